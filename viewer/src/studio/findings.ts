// findings.ts - what an analysis found: its words, the modes, its tables, and diagrams of those that are better looked at.
import { diagrams } from "../charts/diagrams";
import { groupsOf } from "../charts/tables";
import { decimal } from "../labels";
import { make } from "../panels";
import type { Done } from "./server";
import { word, type Word } from "./words";

const MOST = 200; // rows of a table that are shown
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

export function findingsPanel(done: Done, name: string): HTMLElement {
  const box = make("div", { id: "findings" }, make("h2", { textContent: name })), tables = done.tables ?? [], drawn = drawings(tables);
  if (!done.ok) box.append(make("p", { className: "bad", textContent: word("failed", done.status) }));
  for (const line of done.lines ?? []) box.append(make("p", { textContent: line }));
  if (done.modes?.length) box.append(table(["", word("frequency"), word("damping"), word("rate")], done.modes.map(([f, d, re], i) => [String(i + 1), f, d, re])));
  if (done.signals?.length) box.append(table(["", ""], done.signals));
  for (const t of tables) {
    const labels = t.labels ?? [];
    if (t.name) box.append(make("h2", { textContent: t.name }));
    box.append(make("div", { className: "charts" }, ...(drawn.get(t.name) ?? [])), make("div", { className: "wide" }, table([...(labels.length ? [""] : []), ...t.columns.map(titleOf)], t.rows.map((r, i) => (labels.length ? [labels[i], ...r] : r)))));
    if (t.of > MOST) box.append(make("p", { className: "hint", textContent: `+ ${t.of - MOST}` }));
  }
  return box;
}
