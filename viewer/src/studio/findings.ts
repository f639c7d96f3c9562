// findings.ts - what an analysis found: its words, the modes, its tables, and drawings of those that are better looked at: Bode
// diagrams, poles and zeros in their plane, frequencies over speed (Campbell), values over a parameter.
import uPlot from "uplot";
import { decimal } from "../labels";
import { make } from "../panels";
import { short } from "../plots";
import type { Done } from "./server";
import { word } from "./words";

const MOST = 200; // rows of a table that are shown
const CURVES = 6;
const colours = ["#3b7dd8", "#e8871e", "#4caf50", "#c44e52", "#8b6fc0", "#2aa5a5"];
const ink = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const digits = (x: number | null) => (x === null ? "" : decimal(String(Number(x.toPrecision(6)))));

type Table = NonNullable<Done["tables"]>[number];
const titleOf = ([name, unit]: [string, string]) => (unit ? `${name} [${unit}]` : name);

function table(head: string[], rows: (string | number | null)[][]): HTMLElement {
  const t = make("table", {}, make("tr", {}, ...head.map((h) => make("th", { textContent: h, className: "number" }))));
  for (const r of rows.slice(0, MOST)) t.append(make("tr", {}, ...r.map((x) => make("td", { className: typeof x === "string" ? "" : "number", textContent: typeof x === "string" ? x : digits(x) }))));
  return t;
}

interface Curve { name: string; y: (number | null)[] }

// Curves over x; log: which axes are logarithmic; points: no lines, and those of the first are filled.
function plot(xName: string, x: (number | null)[], curves: Curve[], log: { x?: boolean; y?: boolean } = {}, points = false): HTMLElement {
  const box = make("div", { className: "plot" });
  const axis = { stroke: ink("--soft"), grid: { stroke: ink("--line"), width: 1 }, values: (_: uPlot, v: number[]) => v.map((a) => (a === null ? "" : short(a))) };
  new uPlot({
    width: 330, height: 210, legend: { live: false }, scales: { x: { time: false, distr: log.x ? 3 : 1 }, y: { distr: log.y ? 3 : 1 } }, axes: [{ ...axis, label: xName, labelSize: 18, labelFont: "12px system-ui" }, { ...axis, size: 72 }],
    series: [{ label: xName }, ...curves.map((c, k) => ({ label: c.name, stroke: colours[k % colours.length], width: points ? 0 : 1.6, points: { show: points || x.length < 40, size: points ? 8 : 5, fill: points && k === 0 ? colours[0] : undefined } }))],
  }, [x, ...curves.map((c) => c.y)] as uPlot.AlignedData, box);
  box.dataset.curves = curves.map((c) => c.name).join("|");
  return box;
}

const column = (t: Table, k: number) => t.rows.map((r) => r[k]);
const positive = (v: (number | null)[]) => v.every((x) => x !== null && x > 0);

// Magnitudes and phases over frequency, one pair of diagrams for all pairs of output and input.
function bode(t: Table): HTMLElement[] {
  const parts = (end: string) => t.columns.flatMap((c, k) => (c[0].endsWith(` ${end}`) ? [{ name: titleOf([c[0].slice(0, -end.length - 1), c[1]]), y: column(t, k) }] : [])).slice(0, CURVES);
  const magnitude = parts("magnitude"), f = column(t, 1);
  return [make("h2", { textContent: word("magnitude") }), plot(titleOf(t.columns[1]), f, magnitude, { x: positive(f), y: magnitude.every((c) => positive(c.y)) }),
    make("h2", { textContent: word("phase") }), plot(titleOf(t.columns[1]), f, parts("phase"), { x: positive(f) })];
}

// Poles and zeros in the plane of s, which uPlot wants in the order of x.
function plane(poles: Table, zeros: Table | undefined): HTMLElement {
  const of = (t: Table | undefined) => {
    const re = t?.columns.findIndex((c) => c[0] === "re") ?? -1, im = t?.columns.findIndex((c) => c[0] === "im") ?? -1;
    return re < 0 || im < 0 ? [] : t!.rows.map((r) => [r[re] ?? 0, r[im] ?? 0]);
  };
  const all = [...of(poles).map((p) => ({ p, pole: true })), ...of(zeros).map((p) => ({ p, pole: false }))].sort((a, b) => a.p[0] - b.p[0]);
  return plot("Re s [1/s]", all.map((a) => a.p[0]), [{ name: word("poles"), y: all.map((a) => (a.pole ? a.p[1] : null)) }, ...(zeros ? [{ name: word("zeros"), y: all.map((a) => (a.pole ? null : a.p[1])) }] : [])], {}, true);
}

// Over the first column where it ascends or descends: of a Campbell diagram the frequencies alone.
function over(t: Table): HTMLElement | null {
  const x = column(t, 0), up = x.length > 1 && (x[1] ?? 0) > (x[0] ?? 0);
  if (x.length < 3 || t.columns.length < 2 || x.some((v, i) => v === null || (i > 0 && (up ? v <= (x[i - 1] ?? 0) : v >= (x[i - 1] ?? 0))))) return null;
  const wanted = t.columns.map((c, k) => ({ c, k })).slice(1), frequencies = wanted.filter(({ c }) => /^frequency\(/.test(c[0]));
  const curves = (frequencies.length > 0 ? frequencies : wanted).slice(0, CURVES).map(({ c, k }) => ({ name: titleOf(c), y: up ? column(t, k) : column(t, k).reverse() }));
  return plot(titleOf(t.columns[0]), up ? x : x.reverse(), curves, { x: /freq|^w$/i.test(t.columns[0][0]) && positive(x) });
}

function drawings(t: Table, all: Table[]): HTMLElement[] {
  if (t.labels?.length) return [];
  if (t.name === "response" && t.columns.length > 5) return bode(t);
  if (t.name === "poles") return [plane(t, all.find((x) => x.name.startsWith("zeros") && x.rows.length > 0))];
  const curve = over(t);
  return curve ? [curve] : [];
}

export function findingsPanel(done: Done, name: string): HTMLElement {
  const box = make("div", { id: "findings" }, make("h2", { textContent: name })), tables = done.tables ?? [];
  if (!done.ok) box.append(make("p", { className: "bad", textContent: word("failed", done.status) }));
  for (const line of done.lines ?? []) box.append(make("p", { textContent: line }));
  if (done.modes?.length) box.append(table(["", word("frequency"), word("damping")], done.modes.map(([f, d], i) => [String(i + 1), f, d])));
  if (done.signals?.length) box.append(table(["", ""], done.signals));
  for (const t of tables) {
    const labels = t.labels ?? [];
    if (t.name) box.append(make("h2", { textContent: t.name }));
    box.append(...drawings(t, tables), make("div", { className: "wide" }, table([...(labels.length ? [""] : []), ...t.columns.map(titleOf)], t.rows.map((r, i) => (labels.length ? [labels[i], ...r] : r)))));
    if (t.of > MOST) box.append(make("p", { className: "hint", textContent: `+ ${t.of - MOST}` }));
  }
  return box;
}
