// diagrams.ts - the diagrams that engineers draw of linear systems: Bode, Nyquist, Nichols, poles and zeros, root loci, Campbell,
// responses to steps and impulses. Diagrams of the same numbers show the same point.
import { decimal } from "../labels";
import { make } from "../panels";
import { Chart, type Curve, type Guide, type Range } from "./chart";
import { column, kindOf, named, titleOf, type Group, type Table } from "./tables";
import { chartWord } from "./words";

const MOST = 16; // curves of one diagram
const digits = (v: number, n = 4): string => decimal(String(Number(v.toPrecision(n))));

function line(from: [number, number], to: [number, number], label?: string): Guide {
  const part = Array.from({ length: 97 }, (_, k) => k / 96);
  return { x: part.map((k) => from[0] + k * (to[0] - from[0])), y: part.map((k) => from[1] + k * (to[1] - from[1])), label };
}

// ---- frequency responses ----

interface Pair { name: string; re: number[]; im: number[]; size: number[]; phase: number[]; decibel: number[] }

// Phases go on from one frequency to the next.
function unwrap(phase: number[]): number[] {
  let turns = 0;
  return phase.map((v, i) => {
    const last = phase[i - 1];
    if (last !== undefined && Math.abs(v - last) > 180) turns -= 360 * Math.round((v - last) / 360);
    return v + turns;
  });
}

function pairsOf(t: Table): Pair[] {
  return t.columns.filter((c) => c.endsWith(" magnitude")).slice(0, MOST).map((c) => {
    const name = c.slice(0, -" magnitude".length), size = named(t, c);
    return { name, re: named(t, `${name} re`), im: named(t, `${name} im`), size, phase: unwrap(named(t, `${name} phase`)), decibel: size.map((v) => 20 * Math.log10(v)) };
  });
}

// Where |L/(1 + L)| is the same, in the planes of L.
const closed = [-12, -6, -3, 3, 6];
function contour(decibel: number, shift = 0): { phase: number[]; size: number[]; re: number[]; im: number[] } {
  const m = 10 ** (decibel / 20), out = { phase: [] as number[], size: [] as number[], re: [] as number[], im: [] as number[] };
  for (let k = 1; k < 240; k++) {
    const a = 2 * Math.PI * k / 240, re = m * Math.cos(a), im = m * Math.sin(a), n = (1 - re) ** 2 + im ** 2;
    const x = (re * (1 - re) - im * im) / n, y = im / n, phase = Math.atan2(y, x) * 180 / Math.PI;
    out.re.push(x);
    out.im.push(y);
    out.phase.push((phase > 0 ? phase - 360 : phase) + shift);
    out.size.push(20 * Math.log10(Math.hypot(x, y)));
  }
  return out;
}

function response(id: string, t: Table): Chart[] {
  const f = named(t, "frequency"), pairs = pairsOf(t), charts: Chart[] = [];
  const curves = (x: (p: Pair) => number[], y: (p: Pair) => number[]): Curve[] => pairs.map((p, k) => ({ name: p.name, colour: k, x: x(p), y: y(p) }));
  const tell = (c: Curve, i: number): string => {
    const p = pairs.find((q) => q.name === c.name);
    return p ? `${p.name}: ${digits(f[i]!)} Hz, ${digits(2 * Math.PI * f[i]!)} rad/s: ${digits(p.size[i]!)} (${digits(p.decibel[i]!)} dB), ${digits(p.phase[i]!)}°` : "";
  };
  const found = (c: Curve, i: number) => {
    for (const chart of charts) {
      const same = chart.def.curves.find((d) => d.name === c.name);
      if (same) chart.show([[same, i]]);
      chart.say(tell(c, i));
    }
  };
  const add = (name: string, title: string, x: Chart["def"]["x"], y: Chart["def"]["y"], list: Curve[], more: Partial<Chart["def"]> = {}) =>
    charts.push(new Chart({ id: `${id}-${name}`, title, x, y, curves: list, tell, found, ...more }));
  const hertz = { label: `${chartWord("frequency")} [Hz]`, log: f.every((v) => v > 0) };
  add("magnitude", `Bode: ${chartWord("magnitude")}`, hertz, { label: chartWord("magnitude"), log: pairs.every((p) => p.size.some((v) => v > 0)) }, curves(() => f, (p) => p.size));
  add("phase", `Bode: ${chartWord("phase")}`, hertz, { label: `${chartWord("phase")} [°]` }, curves(() => f, (p) => p.phase));
  const mirrored = pairs.map((p, k) => ({ name: `${p.name} *`, colour: k, x: p.re, y: p.im.map((v) => -v), dash: "4 3", quiet: true }));
  const circle = Array.from({ length: 121 }, (_, k) => 2 * Math.PI * k / 120);
  add("nyquist", "Nyquist", { label: "Re" }, { label: "Im" }, [...curves((p) => p.re, (p) => p.im), ...mirrored, { name: "-1", colour: 3, x: [-1], y: [0], mark: "cross", quiet: true }],
    { guides: () => [{ x: circle.map(Math.cos), y: circle.map(Math.sin), label: "|L| = 1" }] });
  const phases = pairs.flatMap((p) => p.phase).filter(Number.isFinite), middle = phases.length ? (Math.min(...phases) + Math.max(...phases)) / 2 : -180;
  const turn = 360 * Math.round((middle + 180) / 360);
  add("nichols", "Nichols", { label: `${chartWord("phase")} [°]` }, { label: `${chartWord("magnitude")} [dB]` },
    [...curves((p) => p.phase, (p) => p.decibel), { name: "-1", colour: 3, x: [turn - 180], y: [0], mark: "cross", quiet: true }],
    { guides: () => closed.map((m) => { const c = contour(m, turn); return { x: c.phase, y: c.size, label: `${m} dB` }; }) });
  return charts;
}

// ---- the plane of s ----

// Rays of equal damping and circles of equal frequency.
function plane(range: Range): Guide[] {
  const size = Math.max(...range.x.map(Math.abs), ...range.y.map(Math.abs)), far = 4 * size, guides: Guide[] = [];
  for (const d of range.x[0] < 0 ? [0.1, 0.3, 0.5, 0.7, 0.9] : []) {
    const at: [number, number] = [-d * far, Math.sqrt(1 - d * d) * far];
    guides.push(line([0, 0], at, `D = ${digits(d)}`), line([0, 0], [at[0], -at[1]]));
  }
  const angles = Array.from({ length: 121 }, (_, k) => 2 * Math.PI * k / 120), step = 10 ** Math.floor(Math.log10(size || 1));
  for (let r = step; r <= 1.5 * size && guides.length < 30; r += step * (size / step > 5 ? 2 : 1)) guides.push({ x: angles.map((a) => r * Math.cos(a)), y: angles.map((a) => r * Math.sin(a)) });
  return guides;
}

function tellPole(re: number, im: number): string {
  const w = Math.hypot(re, im);
  return `s = ${digits(re)}${im === 0 ? "" : ` ${im < 0 ? "−" : "+"} ${digits(Math.abs(im))}i`} 1/s` + (w > 0 ? `, ${digits(w / (2 * Math.PI))} Hz, D = ${digits(-re / w)}` : "");
}

const axes = { x: { label: "Re s [1/s]" }, y: { label: "Im s [1/s]" } };

function zerosOf(group: Group, colour: number): Curve[] {
  return group.with.filter((t) => t.columns.includes("re") && !t.columns.includes("output") && t.rows.length > 0)
    .map((t) => ({ name: chartWord("zeros"), colour, x: named(t, "re"), y: named(t, "im"), mark: "circle" as const }));
}

function poles(id: string, group: Group): Chart[] {
  const t = group.main, re = named(t, "re"), im = named(t, "im");
  const size = Math.max(...re.map(Math.abs), ...im.map(Math.abs)) || 1;
  const tell = (c: Curve, i: number) => {
    const more = c.mark === "cross" ? t.columns.map((name, k) => (/^(reach|sight) /.test(name) ? `, ${name} ${digits(t.rows[i]![k] ?? NaN, 3)}` : "")).join("") : "";
    return `${c.mark === "cross" ? chartWord("pole") : chartWord("zero")}: ${tellPole(c.x[i]!, c.y[i]!)}${more}`;
  };
  return [new Chart({ id: `${id}-poles`, title: chartWord("polesAndZeros"), ...axes, tell, guides: plane, include: [[0, 0], [-0.05 * size, 0]],
    curves: [{ name: chartWord("poles"), colour: 0, x: re, y: im, mark: "cross" }, ...zerosOf(group, 1)] })];
}

function locus(id: string, group: Group): HTMLElement[] {
  const t = group.main, n = Math.floor((t.columns.length - 1) / 2), gain = column(t, 0), branches: Curve[] = [], last = gain.length - 1;
  for (let b = 0; b < n; b++) branches.push({ name: `${chartWord("pole")} ${b + 1}`, colour: b, x: column(t, 1 + 2 * b), y: column(t, 2 + 2 * b) });
  const begin: Curve = { name: `${t.columns[0]} = ${digits(gain[0]!)}`, colour: 0, x: branches.map((b) => b.x[0]!), y: branches.map((b) => b.y[0]!), mark: "cross", quiet: true };
  const crossings = group.with.filter((x) => x.columns.includes("gain") || x.columns.includes("mode")).flatMap((x): Curve[] =>
    (x.columns.includes("im") && x.rows.length > 0 ? [{ name: chartWord("crossings"), colour: 3, x: named(x, "im").map(() => 0), y: named(x, "im"), mark: "dot", quiet: true }] : []));
  const at = make("input", { type: "range", min: "0", max: String(last), value: "0", id: `${id}-gain` }), shown = make("output", { id: `${id}-value` });
  at.setAttribute("aria-label", t.columns[0]!);
  const go = (i: number) => {
    at.value = String(i);
    chart.show(branches.map((b) => [b, i]));
    const worst = branches.reduce((a, b) => (b.x[i]! > a.x[i]! ? b : a));
    shown.textContent = `${t.columns[0]} = ${digits(gain[i]!, 6)}; ${chartWord("slowest")} ${tellPole(worst.x[i]!, worst.y[i]!)}`;
  };
  const chart = new Chart({ id: `${id}-locus`, title: chartWord("locus"), ...axes, guides: plane, curves: [...branches, begin, ...zerosOf(group, 1), ...crossings],
    tell: (c, i) => (branches.includes(c) ? `${t.columns[0]} = ${digits(gain[i]!, 6)}: ${tellPole(c.x[i]!, c.y[i]!)}` : `${c.name}: ${tellPole(c.x[i]!, c.y[i]!)}`),
    found: (c, i) => { if (branches.includes(c)) go(i); } });
  at.oninput = () => go(Number(at.value));
  go(0);
  return [chart.element, make("div", { className: "row sliding" }, at, shown)];
}

// ---- rotors ----

function campbell(id: string, group: Group): HTMLElement[] {
  const t = group.main, speed = column(t, 0), critical = group.with.filter((x) => x.columns.includes("order") && x.columns.includes("speed"));
  const known = [...new Set(critical.flatMap((x) => named(x, "order")))], orders = make("input", { type: "text", size: 8, value: (known.length > 0 ? known : [1]).map((k) => digits(k)).join(" ") });
  orders.setAttribute("aria-label", chartWord("orders"));
  const modes = t.columns.flatMap((c, k) => (/^frequency\(/.test(c) ? [k] : [])).slice(0, MOST), curves: Curve[] = [];
  modes.forEach((k, j) => {
    const w = t.columns.indexOf(`whirl(${j + 1})`), turn = w < 0 ? 0 : column(t, w).filter(Number.isFinite).reduce((a, b) => a + b, 0) / Math.max(1, speed.length);
    const word = turn > 0.1 ? chartWord("forward") : turn < -0.1 ? chartWord("backward") : "";
    curves.push({ name: `${chartWord("mode")} ${j + 1}${word ? `, ${word}` : ""}`, colour: j, x: speed, y: column(t, k), dash: turn < -0.1 ? "6 4" : undefined });
  });
  const marks: Curve[] = critical.map((x) => ({ name: chartWord("critical"), colour: 3, x: named(x, "speed"), y: named(x, "frequency"), mark: "circle" }));
  const damping = (j: number) => { const k = t.columns.indexOf(`damping(${j + 1})`); return k < 0 ? null : column(t, k); };
  const tell = (c: Curve, i: number): string => {
    const j = curves.indexOf(c), d = j < 0 ? null : damping(j);
    return `${c.name}: ${t.columns[0]} = ${digits(c.x[i]!, 6)}, ${digits(c.y[i]!, 6)} Hz${d ? `, D = ${digits(d[i]!)}` : ""}`;
  };
  const rays = (range: Range): Guide[] => orders.value.replace(/,/g, ".").split(/[\s;]+/).map(Number).filter((k) => k > 0).flatMap((k) => {
    const most = Math.max(...range.x.map(Math.abs));
    return [line([0, 0], [most, k * most / (2 * Math.PI)], `${digits(k)} Ω`)];
  });
  const chart = new Chart({ id: `${id}-campbell`, title: "Campbell", x: { label: t.columns[0]! }, y: { label: `${chartWord("frequency")} [Hz]` }, curves: [...curves, ...marks], tell, guides: rays, include: [[speed[0]!, 0]] });
  orders.oninput = () => chart.draw();
  return [chart.element, make("label", { className: "row sliding" }, `${chartWord("orders")} `, orders)];
}

// ---- over the first column ----

// Columns by their units, in the order in which these come; a time that is always the same is no curve.
function byUnit(t: Table): number[][] {
  const groups = new Map<string, number[]>(), last = (k: number) => column(t, k)[t.rows.length - 1];
  for (let k = 1; k < t.columns.length; k++) {
    if (t.columns[k] === "t" && t.columns.length > 2 && column(t, k).every((v) => v === last(k))) continue;
    const unit = t.units?.[k] ?? "";
    groups.set(unit, [...(groups.get(unit) ?? []), k]);
  }
  return [...groups.values()];
}

// What has one unit is one diagram: scales of others would hide it.
function course(id: string, t: Table, time: boolean): Chart[] {
  const x = column(t, 0), log = !time && /freq|^w$/i.test(t.columns[0]!) && x.every((v) => v > 0);
  const title = /step$/.test(t.name) ? chartWord("step") : /impulse$/.test(t.name) ? chartWord("impulse") : t.name;
  return byUnit(t).slice(0, MOST).map((columns, g, all) => {
    const curves = columns.slice(0, MOST).map((k, j): Curve => ({ name: titleOf(t, k), colour: j, x, y: column(t, k) }));
    return new Chart({ id: `${id}-course${g > 0 ? g + 1 : ""}`, title: all.length > 1 ? `${title} [${t.units?.[columns[0]!] || "1"}]`.trim() : title, x: { label: time ? `${chartWord("time")} [s]` : titleOf(t, 0), log }, y: { label: "" }, curves,
      tell: (c, i) => `${c.name}: ${time ? "t" : t.columns[0]} = ${digits(c.x[i]!)}: ${digits(c.y[i]!, 6)}` });
  });
}

// What was measured, the fit with its band, and what is left; tables one after the other are not joined.
function fit(id: string, t: Table): Chart[] {
  const of = named(t, "table"), x: number[] = [], parts: Record<string, number[]> = { measured: [], fitted: [], low: [], high: [], residual: [] };
  t.rows.forEach((_, i) => {
    if (i > 0 && of[i] !== of[i - 1]) for (const list of [x, ...Object.values(parts)]) list.push(NaN);
    x.push(column(t, 0)[i]!);
    for (const [name, list] of Object.entries(parts)) list.push(named(t, name)[i]!);
  });
  const time = { label: `${chartWord("time")} [s]` };
  const tell = (c: Curve, i: number) => `${c.name}: t = ${digits(x[i]!)} s: ${digits(c.y[i]!, 6)}`;
  return [new Chart({ id: `${id}-fit`, title: t.name, x: time, y: { label: "" }, tell, curves: [
    { name: chartWord("band"), colour: 5, x, y: parts.low!, dash: "3 3" }, { name: chartWord("band"), colour: 5, x, y: parts.high!, dash: "3 3", quiet: true },
    { name: chartWord("fitted"), colour: 1, x, y: parts.fitted! }, { name: chartWord("measured"), colour: 0, x, y: parts.measured!, mark: "dot" }] }),
  new Chart({ id: `${id}-residual`, title: chartWord("residual"), x: time, y: { label: "" }, tell, include: [[x[0] ?? 0, 0]],
    curves: [{ name: chartWord("residual"), colour: 0, x, y: parts.residual!, mark: "dot" }] })];
}

// The diagrams of one group of tables; none where nothing is to be drawn.
export function diagrams(id: string, group: Group): HTMLElement[] {
  const elements = (charts: Chart[]) => charts.map((c) => c.element);
  const times = group.with.filter((t) => kindOf(t) === "course").flatMap((t, k) => course(`${id}-${k}`, t, true));
  switch (group.kind) {
  case "response": return elements(response(id, group.main));
  case "poles": return elements([...poles(id, group), ...times]);
  case "locus": return group.main.rows.length > 0 ? locus(id, group) : [];
  case "campbell": return campbell(id, group);
  case "fit": return elements(fit(id, group.main));
  case "course": return elements(course(id, group.main, true));
  case "curves": return elements(course(id, group.main, false));
  default: return [];
  }
}
