// banner.ts - one line above the workbench that asks or warns, with what can be done about it.
import { make } from "../panels";
import { word, type Word } from "./words";

let said: Word | null = null;

const box = () => document.getElementById("banner")!;

// Words of the program are said as they are; null: nothing is to be said any more.
export function banner(text: Word | null, ...actions: [Word, () => void][]): void {
  said = text;
  show(text === null ? null : word(text), actions);
}

export function bannerOf(error: unknown): void {
  said = null;
  show(error instanceof Error ? error.message : String(error), []);
}

// Whether this is what it says.
export const isSaid = (text: Word) => said === text && !box().hidden;

function show(text: string | null, actions: [Word, () => void][]): void {
  const b = box();
  b.hidden = text === null;
  if (text === null) return;
  b.replaceChildren(make("span", { textContent: text }), ...actions.map(([name, act]) => make("button", {
    id: `do-${name}`, textContent: word(name), onclick: () => { b.hidden = true; act(); },
  })));
  if (actions.length > 0) return;
  const close = make("button", { textContent: "×", onclick: () => { b.hidden = true; } });
  close.setAttribute("aria-label", word("closeIt"));
  b.append(close);
}
