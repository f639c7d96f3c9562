// panels.ts - beside the picture: what is shown, the ledger, the model's text.
import type { Colouring } from "./colours";
import type { Result } from "./data";
import { factLabel } from "./facts";
import { decimal, say } from "./labels";
import { short } from "./plots";
import type { Stage } from "./stage";

export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K, properties: Partial<HTMLElementTagNameMap[K]> = {}, ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const e = document.createElement(tag);
  Object.assign(e, properties);
  e.append(...children);
  return e;
}

function check(text: string, on: boolean, change: (on: boolean) => void): HTMLElement {
  const box = make("input", { type: "checkbox", checked: on });
  box.onchange = () => change(box.checked);
  return make("label", {}, box, ` ${text}`);
}

// ---- the view -------------------------------------------------------------------------------

// changed: parts were hidden or shown.
export function viewPanel(stage: Stage, changed: () => void): HTMLElement {
  const panel = make("div");
  const first = stage.mechanisms[0], all = stage.mechanisms;
  const redraw = () => stage.refresh();
  const directions = make("div", { className: "row" });
  for (const [label, from] of [["reset", "start"], ["slant", "slant"], ["fromX", "x"], ["fromY", "y"], ["fromZ", "z"]] as const) {
    directions.append(make("button", { textContent: say(label), onclick: () => stage.look(from) }));
  }
  const follow = make("select", { id: "follow" });
  follow.add(new Option(say("nobody"), ""));
  for (const b of first.bodies) follow.add(new Option(b.name, b.name));
  follow.value = stage.following() ?? "";
  follow.onchange = () => stage.follow(follow.value || null);
  const shown = make("div", { className: "checks" },
    check(say("joints"), first.shows("joints"), (on) => { all.forEach((m) => m.show("joints", on)); redraw(); }),
    check(say("names"), first.names, (on) => { all.forEach((m) => { m.names = on; }); redraw(); }),
    check(say("frames"), first.shows("frames"), (on) => { all.forEach((m) => m.show("frames", on)); redraw(); }),
    check(say("grid"), stage.showsGrid(), (on) => stage.showGrid(on)));
  const bending = make("div");
  if (all.some((m) => m.has("elastic"))) {
    const factor = make("select", { id: "exaggeration" });
    for (const x of [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]) factor.add(new Option(`${decimal(String(x))}×`, String(x)));
    factor.onchange = () => { all.forEach((m) => { m.exaggeration = Number(factor.value); }); redraw(); };
    factor.value = String(first.exaggeration);
    bending.append(make("div", { className: "row" }, make("label", { htmlFor: "exaggeration", textContent: say("bending") }), factor),
      ...colourChoice(stage), modeChoice(stage));
  }
  panel.append(directions, make("div", { className: "row" }, make("label", { htmlFor: "follow", textContent: say("follow") }), follow), bending,
    make("h2", { textContent: say("shown") }), shown, arrowChoice(stage), ...contactChoice(stage), ...partList(stage, changed));
  return panel;
}

function arrowChoice(stage: Stage): HTMLElement {
  const all = stage.mechanisms;
  if (!all.some((m) => m.has("arrows"))) return make("p", { className: "hint", textContent: say("noArrows") });
  const factor = make("select", { id: "arrow-length" });
  for (const x of [0.2, 0.5, 1, 2, 5, 10]) factor.add(new Option(`${decimal(String(x))}×`, String(x)));
  factor.value = String(all[0].arrows.factor);
  factor.setAttribute("aria-label", say("arrowLength"));
  factor.onchange = () => { all.forEach((m) => { m.arrows.factor = Number(factor.value); }); stage.refresh(); };
  return make("div", { className: "row checks" },
    check(say("arrows"), all[0].shows("arrows"), (on) => { all.forEach((m) => m.show("arrows", on)); stage.refresh(); }), factor);
}

// Where surfaces touch, and how much longer than they are depths are drawn.
function contactChoice(stage: Stage): HTMLElement[] {
  const all = stage.mechanisms;
  if (!all.some((m) => m.has("contacts"))) return [];
  const row = make("div", { className: "row checks" },
    check(say("contacts"), all[0].shows("contacts"), (on) => { all.forEach((m) => m.show("contacts", on)); stage.refresh(); }));
  if (!all.some((m) => m.contacts.deep)) return [row];
  const factor = make("select", { id: "depth-length" });
  factor.add(new Option(say("asTheyAre"), "1"));
  for (const x of [10, 100, 1000, 10000, 100000]) factor.add(new Option(`${x}×`, String(x)));
  factor.value = String(all[0].contacts.factor);
  factor.setAttribute("aria-label", say("depthLength"));
  factor.onchange = () => { all.forEach((m) => { m.contacts.factor = Number(factor.value); }); stage.refresh(); };
  row.append(factor);
  return [row];
}

// Parts that can be hidden, and places that can leave traces; a search finds both by name.
function partList(stage: Stage, changed: () => void): HTMLElement[] {
  const first = stage.mechanisms[0], search = make("input", { type: "search", id: "search", placeholder: say("search") });
  search.setAttribute("aria-label", say("search"));
  const parts = make("div", { className: "checks", id: "parts" }), traces = make("div", { className: "checks", id: "traces" });
  const fill = () => {
    const wanted = search.value.trim().toLowerCase(), found = (name: string) => name.toLowerCase().includes(wanted);
    parts.replaceChildren(...first.parts.filter((p) => found(p.name)).map((p) => {
      const row = check(p.name, !first.hidden.has(p.name), (on) => { stage.hide(p.name, !on); changed(); }), swatch = make("i");
      swatch.style.background = `#${p.colour.toString(16).padStart(6, "0")}`;
      row.insertBefore(swatch, row.lastChild);
      return row;
    }));
    traces.replaceChildren(...first.places.filter((p) => found(p.name)).map((p) =>
      check(p.name, first.traced(p.name), (on) => { stage.mechanisms.forEach((m) => m.trace(p.name, on)); stage.refresh(); })));
  };
  search.oninput = fill;
  fill();
  const every = (hidden: boolean) => { stage.hideAll(hidden); fill(); changed(); };
  return [make("div", { className: "row searching" }, search,
    make("button", { id: "show-all", textContent: say("showAll"), onclick: () => every(false) }),
    make("button", { id: "hide-all", textContent: say("hideAll"), onclick: () => every(true) })),
  make("h2", { textContent: say("parts") }), parts, make("h2", { textContent: say("traces") }), traces];
}

function colourChoice(stage: Stage): HTMLElement[] {
  if (!stage.has("stress")) return [];
  const choice = make("select", { id: "colouring" });
  choice.add(new Option(say("displacement"), "displacement"));
  choice.add(new Option(say("mises"), "stress"));
  choice.value = stage.mechanisms[0].colouring;
  choice.onchange = () => { stage.colour(choice.value as Colouring); stage.refresh(); };
  return [make("div", { className: "row" }, make("label", { htmlFor: "colouring", textContent: say("colour") }), choice)];
}

function modeChoice(stage: Stage): HTMLElement {
  const choice = make("select", { id: "modes" });
  choice.add(new Option(say("computed"), ""));
  stage.mechanisms[0].elastic.forEach((e, i) => {
    for (let k = 0; k < e.body.modes; k++) choice.add(new Option(say("mode", e.name, k + 1), `${i} ${k}`));
  });
  choice.onchange = () => {
    const [of, mode] = choice.value.split(" ").map(Number);
    stage.showShape(choice.value ? of : null, mode);
  };
  return make("div", { className: "row" }, make("label", { htmlFor: "modes", textContent: say("modes") }), choice);
}

// ---- the ledger -----------------------------------------------------------------------------

function entry(name: string, results: Result[], prefix: string): HTMLTableRowElement {
  const [label, unit] = factLabel(name) ?? [name.slice(prefix.length).replaceAll("_", " "), ""];
  const row = make("tr", {}, make("td", { textContent: label }));
  for (const r of results) {
    const fact = r.facts.find((f) => f[0] === name);
    const value = fact === undefined || fact[1] === null ? "–" : typeof fact[1] === "number" ? `${short(fact[1])} ${unit}`.trim() : fact[1];
    row.append(make("td", { className: fact && typeof fact[1] === "number" ? "number" : "", textContent: value }));
  }
  return row;
}

function section(title: string, prefix: string, results: Result[], without: string[] = []): Node[] {
  const names: string[] = [];
  for (const r of results) for (const [n] of r.facts) {
    const mine = prefix ? n.startsWith(prefix) : !n.includes("/");
    if (mine && !names.includes(n) && !without.includes(n)) names.push(n);
  }
  if (names.length === 0) return [];
  const head = make("tr", {}, make("th", { textContent: say("entry") }));
  for (const r of results) head.append(make("th", { textContent: results.length > 1 ? r.label : say("value") }));
  return [make("h2", { textContent: title }), make("table", {}, head, ...names.map((n) => entry(n, results, prefix)))];
}

export function ledgerPanel(results: Result[]): HTMLElement {
  const panel = make("div");
  for (const r of results) {
    if (r.facts.some((f) => f[0] === "ledger/balanced" && f[1] === 0)) {
      panel.append(make("p", { className: "bad", textContent: `${r.label}: ${say("notBalanced")}` }));
    }
  }
  panel.append(...section(say("run"), "", results, ["title"]), ...section(say("ledger"), "ledger/", results, ["ledger/status", "ledger/balanced"]),
    ...section(say("measures"), "measures/", results));
  for (const r of results) {
    const notes = r.facts.filter((f) => f[0].startsWith("notes/"));
    if (notes.length === 0) continue;
    panel.append(make("h2", { textContent: results.length > 1 ? `${say("notes")}: ${r.label}` : say("notes") }),
      make("ul", { className: "notes" }, ...notes.map((f) => make("li", { textContent: String(f[1]) }))));
  }
  for (const r of results.filter((x) => x.events.length > 0)) {
    const rows = r.events.slice(0, 500).map(([t, name]) =>
      make("tr", {}, make("td", { className: "number", textContent: short(t) }), make("td", { textContent: name })));
    panel.append(make("h2", { textContent: results.length > 1 ? `${say("events")}: ${r.label}` : say("events") }), make("table", {}, ...rows));
  }
  return panel;
}

export function modelPanel(results: Result[]): HTMLElement {
  const panel = make("div");
  for (const r of results) {
    if (results.length > 1) panel.append(make("h2", { textContent: r.label }));
    panel.append(r.model ? make("pre", { textContent: r.model }) : make("p", { textContent: say("noModel") }));
  }
  return panel;
}
