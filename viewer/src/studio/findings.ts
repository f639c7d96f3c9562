// findings.ts - what an analysis found: its words, the modes, its tables, and curves of those that have a course.
import uPlot from "uplot";
import { decimal } from "../labels";
import { make } from "../panels";
import { short } from "../plots";
import type { Done } from "./server";
import { word } from "./words";

const MOST = 200; // rows of a table that are shown
const ink = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const digits = (x: number | null) => (x === null ? "" : decimal(String(Number(x.toPrecision(6)))));

function table(head: string[], rows: (string | number | null)[][]): HTMLElement {
  const t = make("table", {}, make("tr", {}, ...head.map((h) => make("th", { textContent: h, className: "number" }))));
  for (const r of rows.slice(0, MOST)) t.append(make("tr", {}, ...r.map((x) => make("td", { className: typeof x === "string" ? "" : "number", textContent: typeof x === "string" ? x : digits(x) }))));
  return t;
}

// Against the first column where it ascends: frequencies on a logarithmic axis.
function curve(x: NonNullable<Done["tables"]>[number]): HTMLElement | null {
  const first = x.rows.map((r) => r[0]);
  if (x.rows.length < 8 || x.columns.length < 2 || first.some((v, i) => v === null || (i > 0 && v <= (first[i - 1] ?? -Infinity)))) return null;
  const box = make("div", { className: "plot" }), log = /freq|omega|speed/i.test(x.columns[0][0]) && (first[0] ?? 0) > 0;
  const axis = { stroke: ink("--soft"), grid: { stroke: ink("--line"), width: 1 }, values: (_: uPlot, v: number[]) => v.map((a) => short(a)) };
  const colours = ["#3b7dd8", "#e8871e", "#4caf50", "#c44e52", "#8b6fc0"];
  new uPlot({
    width: 330, height: 190, legend: { live: false }, scales: { x: { time: false, distr: log ? 3 : 1 } }, axes: [axis, { ...axis, size: 60 }],
    series: [{ label: x.columns[0].join(" ") }, ...x.columns.slice(1, 6).map(([name, unit], k) => ({ label: unit ? `${name} [${unit}]` : name, stroke: colours[k], width: 1.6 }))],
  }, [first as number[], ...x.columns.slice(1, 6).map((_, k) => x.rows.map((r) => r[k + 1]))] as uPlot.AlignedData, box);
  return box;
}

export function findingsPanel(done: Done, name: string): HTMLElement {
  const box = make("div", { id: "findings" }, make("h2", { textContent: name }));
  if (!done.ok) box.append(make("p", { className: "bad", textContent: word("failed", done.status) }));
  for (const line of done.lines ?? []) box.append(make("p", { textContent: line }));
  if (done.modes?.length) box.append(table(["", word("frequency"), word("damping")], done.modes.map(([f, d], i) => [String(i + 1), f, d])));
  if (done.signals?.length) box.append(table(["", ""], done.signals));
  for (const x of done.tables ?? []) {
    box.append(make("h2", { textContent: x.name }));
    const drawn = curve(x);
    if (drawn) box.append(drawn);
    box.append(table(x.columns.map(([n, u]) => (u ? `${n} [${u}]` : n)), x.rows));
    if (x.of > MOST) box.append(make("p", { className: "hint", textContent: `+ ${x.of - MOST}` }));
  }
  return box;
}
