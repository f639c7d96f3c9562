// dividers.ts - the borders between the parts of the workbench, which are dragged, or moved by arrow keys; a double click puts one
// back to where it was.
import { make } from "../panels";
import { word, type Word } from "./words";

const STEP = 24, NARROWEST = 300, THINNEST = 260; // pixels: of a key; of text and picture; of the plots

// One beside the middle; which: the part whose width it sets, on that side.
function divider(bench: HTMLElement, which: "left" | "side", label: Word): HTMLElement {
  const bar = make("div", { className: "divider", id: `divide-${which}`, tabIndex: 0 }), part = () => document.getElementById(which)!.getBoundingClientRect();
  const least = which === "left" ? NARROWEST : THINNEST;
  const set = (width: number) => {
    const room = part().width + document.getElementById("middle")!.getBoundingClientRect().width - NARROWEST;
    bench.style.setProperty(`--${which}`, `${Math.round(Math.max(least, Math.min(width, room)))}px`);
    bar.setAttribute("aria-valuenow", String(Math.round(part().width)));
  };
  bar.setAttribute("role", "separator");
  bar.setAttribute("aria-orientation", "vertical");
  bar.setAttribute("aria-label", word(label));
  bar.title = word(label);
  const sign = which === "left" ? 1 : -1;
  bar.onpointerdown = (e) => {
    const from = e.clientX, width = part().width;
    bar.setPointerCapture(e.pointerId);
    bar.onpointermove = (m) => set(width + sign * (m.clientX - from));
    bar.onpointerup = bar.onpointercancel = () => { bar.onpointermove = null; };
    e.preventDefault();
  };
  bar.onkeydown = (e) => {
    const way = e.key === "ArrowRight" ? 1 : e.key === "ArrowLeft" ? -1 : 0;
    if (way === 0) return;
    set(part().width + sign * way * STEP);
    e.preventDefault();
  };
  bar.ondblclick = () => { bench.style.removeProperty(`--${which}`); };
  return bar;
}

// Made anew in another language.
export function divide(): void {
  const bench = document.getElementById("bench")!, middle = document.getElementById("middle")!;
  middle.querySelectorAll(".divider").forEach((d) => d.remove());
  middle.append(divider(bench, "left", "widerText"), divider(bench, "side", "widerPlots"));
}
