// study.ts - a dialog for what is done with many runs, or asks for numbers: a sweep over a parameter, a comparison of methods, a
// frequency response.
import { make } from "../panels";
import { short } from "../plots";
import type { Checked } from "./server";
import { word, type Word } from "./words";

type Kind = "sweepIt" | "methodsOf" | "response";
const methods = ["auto", "radau", "generalized-alpha", "bdf", "dopri5", "gauss", "trapezoidal", "implicit-euler"];

const MOST = 1000; // runs of a sweep

function row(label: string, field: HTMLElement): HTMLElement {
  return make("label", { className: "field" }, make("span", { textContent: label }), field);
}

function choice(id: string, names: string[]): HTMLSelectElement {
  const s = make("select", { id });
  for (const n of names) s.add(new Option(n, n));
  return s;
}

const number = (id: string, value: number) => make("input", { id, type: "text", inputMode: "decimal", value: String(value), required: true });
const read = (f: HTMLInputElement) => Number(f.value.replace(",", "."));

// option: null: something is no number. empty: only says what the model lacks for it.
interface Part { kind: Kind; fields: HTMLElement; option: () => string | null; empty?: boolean }

function sweep(checked: Checked): Part {
  const parameters = (checked.parameters ?? []).filter((p) => p.numbers[0] !== null), name = choice("sweep-name", parameters.map((p) => p.name));
  if (parameters.length === 0) return { kind: "sweepIt", option: () => null, empty: true, fields: make("p", { className: "hint", textContent: word("noParameter") }) };
  const from = number("sweep-from", 0), to = number("sweep-to", 1), count = number("sweep-count", 11);
  const guess = () => {
    const at = parameters.find((p) => p.name === name.value)?.numbers[0] ?? 1;
    from.value = short(0.5 * at);
    to.value = short(1.5 * at);
  };
  name.onchange = guess;
  guess();
  const sane = () => [from, to, count].every((f) => f.value.trim() !== "" && Number.isFinite(read(f))) && Number.isInteger(read(count)) && read(count) >= 2 && read(count) <= MOST && read(from) !== read(to);
  const option = () => sane() ? `sweep:${name.value}:${read(from)}:${read(to)}:${read(count)}` : null;
  return { kind: "sweepIt", option, fields: make("div", {}, row(word("parameter"), name), row(word("fromValue"), from), row(word("toValue"), to), row(word("howMany"), count)) };
}

function compare(): Part {
  const boxes = methods.map((m, i) => make("input", { type: "checkbox", value: m, checked: i < 3, id: `method-${m}` }));
  const fields = make("div", {}, make("p", { className: "hint", textContent: word("toFirst") }), ...boxes.map((b) => make("label", { className: "check" }, b, ` ${b.value}`)));
  const option = () => { const wanted = boxes.filter((b) => b.checked).map((b) => b.value); return wanted.length > 0 ? `methods:${wanted.join(",")}` : null; };
  return { kind: "methodsOf", fields, option };
}

function response(signals: string[]): Part {
  const signal = choice("response-signal", signals), from = number("response-from", 0.1), to = number("response-to", 100);
  const option = () => read(from) > 0 && read(to) > read(from) ? `@frequency:${read(from)}:${read(to)}:${signal.value}` : null;
  return { kind: "response", option, fields: make("div", {}, row(word("signalOf"), signal), row(word("fromFrequency"), from), row(word("toFrequency"), to)) };
}

// begun: what was asked for, and what it is called.
export function askStudy(checked: Checked, signals: string[], begun: (option: string, name: string) => void): void {
  const parts: Part[] = [sweep(checked), compare()];
  if ((checked.inputs ?? []).length > 0 && signals.length > 0) parts.push(response(signals));
  const dialog = document.getElementById("dialog") as HTMLDialogElement, body = make("div", { className: "form" }), kinds = make("div", { className: "row" });
  kinds.setAttribute("role", "tablist");
  let part = parts.find((p) => !p.empty)!;
  const show = () => {
    kinds.replaceChildren(...parts.map((p) => {
      const b = make("button", { type: "button", id: `kind-${p.kind}`, textContent: word(p.kind as Word), onclick: () => { part = p; show(); } });
      b.setAttribute("role", "tab");
      b.setAttribute("aria-selected", String(p === part));
      return b;
    }));
    body.replaceChildren(part.fields);
    begin.disabled = part.empty === true;
    wrong.textContent = "";
  };
  const wrong = make("p", { className: "bad" }), begin = make("button", { id: "dostudy", textContent: word("doIt") });
  const form = make("form", { onsubmit: (e: Event) => {
    e.preventDefault();
    const option = part.option();
    wrong.textContent = option === null ? word("wrongNumbers") : "";
    if (option === null) return;
    dialog.close();
    begun(option, word(part.kind as Word));
  } }, kinds, body, wrong, make("div", { className: "row" }, begin, make("button", { type: "button", textContent: word("cancel"), onclick: () => dialog.close() })));
  dialog.oncancel = null;
  show();
  dialog.replaceChildren(make("h2", { textContent: word("study").replace(" …", "") }), form);
  dialog.showModal();
}
