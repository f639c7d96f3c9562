// findings.ts - what an analysis found: its words, the modes, its tables, and diagrams of those that are better looked at.
import { diagrams } from "../charts/diagrams";
import { groupsOf } from "../charts/tables";
import { decimal } from "../labels";
import { make } from "../panels";
import type { Done } from "./server";
import { statusOf, word, type Word } from "./words";

const MOST = 200; // rows of a table that are shown
const few = (x: number) => decimal(String(Number(x.toPrecision(2))));
const digits = (x: number | null) => (x === null ? "" : decimal(String(Number(x.toPrecision(6)))));

type Table = NonNullable<Done["tables"]>[number];
// Names that the comparison of methods gives its columns.
const known: Record<string, Word> = { steps: "col_steps", evaluations: "col_evaluations", time: "col_time", "energy drift": "col_drift", "largest difference": "col_difference" };
const titleOf = ([name, unit]: [string, string]) => `${known[name] ? word(known[name]) : name}${unit ? ` [${unit}]` : ""}`;

function table(head: string[], rows: (string | number | null)[][]): HTMLElement {
  const t = make("table", {}, make("tr", {}, ...head.map((h) => make("th", { textContent: h, className: "number" }))));
  for (const r of rows.slice(0, MOST)) t.append(make("tr", {}, ...r.map((x) => make("td", { className: typeof x === "string" ? "" : "number", textContent: typeof x === "string" ? x : digits(x) }))));
  return t;
}

// Diagrams of tables whose rows have no names of their own; zeros and critical speeds go with the table that they belong to.
function drawings(tables: Table[]): Map<string, HTMLElement[]> {
  const plain = tables.filter((t) => !t.labels?.length).map((t) => ({ name: t.name, columns: t.columns.map(([name]) => name), units: t.columns.map(([, unit]) => unit), rows: t.rows }));
  return new Map(groupsOf(plain).map((g, k) => [g.main.name, diagrams(`finding${k}`, g)]));
}

// The row of the mode that swings at this time; null: none does. A mode has a second of the motion.
export function markMode(time: number | null): void {
  document.querySelectorAll<HTMLElement>("#modes button").forEach((b, i, all) => {
    b.setAttribute("aria-pressed", String(time !== null && Math.min(Math.floor(time), all.length - 1) === i));
  });
}

// What is to be known before the modes are believed.
function notesOf(n: NonNullable<Done["notes"]>): [string, boolean][] {
  const lines: [string, boolean][] = []; // whether it is a warning
  if (!n.balanced) lines.push([word("isUnbalanced"), true]);
  if (!n.steady) lines.push([word("isUnsteady"), true]);
  if (n.turning > 0) lines.push([word("isTurning", digits(n.turning), digits(n.turning / (2 * Math.PI))), false]);
  if (n.neutral > 0) lines.push([`${word("areNeutral", n.neutral)}${n.within > 0 ? ` ${word("areWithin", few(n.within))}` : ""}`, false]);
  if (n.hidden > 0) lines.push([word("areHidden", n.hidden, few(n.below)), false]);
  if (n.unproven > 0) lines.push([word("areUnproven", n.unproven), true]);
  lines.push([n.counted === "all" ? word("countedAll", n.total, n.listed) : n.counted === "below" ? word("countedBelow", digits(n.bound)) : word("countedNone", n.total), false]);
  return lines;
}

function linesOf(done: Done): [string, boolean][] {
  const lines: [string, boolean][] = (done.lines ?? []).map((text) => [text, false]), { rest, path, buckling } = done;
  if (done.notes && done.ok) lines.push(...notesOf(done.notes));
  if (rest && done.ok) lines.push([word("foundRest", few(rest.residual), few(rest.moved)), false]);
  if (path && path.steps > 0) lines.push([word("foundPath", digits(path.factor), path.steps), false]);
  for (const c of path?.critical ?? []) lines.push([word(c.limit ? "limitPoint" : "branchPoint", digits(c.factor), c.moves), false]);
  if (buckling && done.ok && buckling.factors.length === 0) lines.push([word(buckling.elsewhere > 0 ? "neverLost" : "neverSoft"), false]);
  return lines;
}

// Modes, each with a button that plays it alone.
function modesTable(modes: NonNullable<Done["modes"]>, moves: string[], play: ((mode: number) => void) | null): HTMLElement {
  const t = table(["", word("frequency"), word("damping"), word("rate"), word("movesMost")], modes.map(([f, d, re], i) => [String(i + 1), f, d, re, moves[i] ?? ""]));
  if (play) [...t.querySelectorAll("tr")].slice(1).forEach((row, i) => row.cells[0].replaceChildren(make("button", { textContent: String(i + 1), title: word("playMode"), onclick: () => play(i) })));
  return make("div", { className: "wide", id: "modes" }, t);
}

// Of a comparison of methods times and errors are sizes, no more.
const shorter = (t: Table) => (x: number | null, k: number) => (x !== null && known[t.columns[k][0]] && !Number.isInteger(x) ? Number(x.toPrecision(2)) : x);

// play: where the modes are seen.
export function findingsPanel(done: Done, name: string, play: ((mode: number) => void) | null): HTMLElement {
  const box = make("div", { id: "findings" }, make("h2", { textContent: name })), tables = done.tables ?? [], drawn = drawings(tables);
  if (!done.ok) box.append(make("p", { className: "bad", textContent: word("failed", statusOf(done.status)) }), ...done.messages.map((m) => make("p", { textContent: m.text }))); // the next check has messages of its own
  for (const [line, bad] of linesOf(done)) box.append(make("p", { textContent: line, className: bad ? "bad" : "" }));
  if (done.modes?.length) box.append(modesTable(done.modes, done.moves ?? [], play));
  if (done.buckling?.factors.length) box.append(make("div", { className: "wide" }, table(["", word("loadFactor"), word("movesMost")], done.buckling.factors.map((f, i) => [String(i + 1), f, done.buckling!.moves[i]]))));
  if (done.signals?.length) box.append(table(["", ""], done.signals));
  for (const t of tables) {
    const labels = t.labels ?? [];
    if (t.name) box.append(make("h2", { textContent: t.name }));
    box.append(make("div", { className: "charts" }, ...(drawn.get(t.name) ?? [])), make("div", { className: "wide" }, table([...(labels.length ? [""] : []), ...t.columns.map(titleOf)], t.rows.map((r, i) => (labels.length ? [labels[i], ...r.map(shorter(t))] : r)))));
    if (t.of > MOST) box.append(make("p", { className: "hint", textContent: `+ ${t.of - MOST}` }));
  }
  return box;
}
