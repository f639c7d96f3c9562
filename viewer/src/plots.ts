// plots.ts - signals against time or each other, with a cursor at the time that is shown.
import uPlot from "uplot";
import { valueAt, type Result } from "./data";
import { palette } from "./stage";
import { decimal, say } from "./labels";
import type { Player } from "./player";

// Names without their last part, ".x": what is drawn together.
export function groupsOf(names: string[]): string[] {
  const groups: string[] = [];
  for (const name of names) {
    const group = name.replace(/\.(x|y|z|w)$/, "");
    if (!groups.includes(group)) groups.push(group);
  }
  return groups;
}

const STILL = 1e-12, INVISIBLE = 1e-7; // numbers; parts of a plot's height
const HEIGHT = 176; // pixels
const MOST_VALUES = 4; // that are told of one plot

const dashes = [[], [8, 5], [2, 4], [10, 4, 2, 4]];

function colour(k: number): string {
  return `#${palette[k % palette.length].toString(16).padStart(6, "0")}`;
}

function ink(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

interface Line { result: Result; y: number; x: number; label: string; unit: string; dash: number[] }

export class Plots {
  readonly element = document.createElement("div");
  private list = document.createElement("div");
  private choice = document.createElement("select");
  private against = document.createElement("select");
  private search = document.createElement("input");
  private shown: { group: string; x: string; box: HTMLElement; plot: uPlot | null; marks: () => void }[] = [];
  private names: string[] = [];

  // most: groups of signals that are plotted at first.
  constructor(private results: Result[], private player: Player, most = 2) {
    for (const r of results) for (const n of r.names) if (!this.names.includes(n)) this.names.push(n);
    this.element.append(this.controls(), this.list);
    this.list.className = "plots";
    const first = groupsOf(this.names).slice(0, most);
    for (const g of first) this.add(g, "t");
    new ResizeObserver(() => this.resize()).observe(this.list);
  }

  private controls(): HTMLElement {
    const row = document.createElement("div");
    row.className = "row";
    const button = document.createElement("button");
    button.dataset.label = "add";
    button.textContent = say("add");
    button.onclick = () => this.add(this.choice.value, this.against.value);
    this.search.type = "search";
    this.search.id = "find";
    this.search.placeholder = say("find");
    this.search.setAttribute("aria-label", say("find"));
    this.search.oninput = () => this.offer();
    this.search.onkeydown = (e) => { if (e.key === "Enter") this.add(this.choice.value, this.against.value); };
    this.offer();
    this.against.add(new Option("t", "t"));
    for (const n of this.names) this.against.add(new Option(n, n));
    this.choice.setAttribute("aria-label", say("signal"));
    this.against.setAttribute("aria-label", say("against"));
    const word = document.createElement("span");
    word.dataset.label = "against";
    word.textContent = say("against");
    row.append(this.search, this.choice, word, this.against, button);
    row.hidden = this.names.length === 0;
    return row;
  }

  // The signals whose name has what is searched for.
  private offer(): void {
    const wanted = this.search.value.trim().toLowerCase();
    this.choice.replaceChildren(...groupsOf(this.names).filter((g) => g.toLowerCase().includes(wanted)).map((g) => new Option(g, g)));
  }

  private linesOf(group: string, x: string): Line[] {
    const lines: Line[] = [];
    this.results.forEach((result, k) => {
      const xColumn = x === "t" ? -1 : result.names.indexOf(x);
      if (x !== "t" && xColumn < 0) return;
      result.names.forEach((name, y) => {
        if (name !== group && name.replace(/\.(x|y|z|w)$/, "") !== group) return;
        const part = name === group ? name : name.slice(group.length + 1); // the head says the rest
        const label = this.results.length > 1 ? `${part} (${result.label})` : part;
        lines.push({ result, y, x: xColumn, label, unit: result.units[y], dash: dashes[k % dashes.length] });
      });
    });
    return lines;
  }

  add(group: string, x: string): void {
    const lines = this.linesOf(group, x);
    if (lines.length === 0) return;
    const box = document.createElement("div"), head = document.createElement("div"), close = document.createElement("button");
    box.className = "plot";
    head.className = "head";
    const title = document.createElement("span");
    const unit = lines[0].unit ? ` [${lines[0].unit}]` : "";
    title.textContent = x === "t" ? `${group}${unit}` : `${group}${unit} / ${x}`;
    close.textContent = "×";
    close.title = say("remove");
    close.setAttribute("aria-label", say("remove"));
    const values = document.createElement("span");
    values.className = "values";
    head.append(title, values, close);
    box.append(head);
    this.list.append(box);
    const entry = { group, x, box, plot: null as uPlot | null, marks: () => {} };
    close.onclick = () => {
      entry.plot?.destroy();
      box.remove();
      this.shown = this.shown.filter((e) => e !== entry);
    };
    this.draw(entry, lines);
    this.shown.push(entry);
  }

  private draw(entry: (typeof this.shown)[number], lines: Line[]): void {
    const phase = entry.x !== "t", width = this.width(entry.box);
    const series: uPlot.Series[] = [{ label: phase ? entry.x : "t [s]", value: (_, v) => short(v) }];
    lines.forEach((l, k) => series.push({
      label: l.label, stroke: colour(k), width: 1.6, dash: l.dash, points: { show: false },
      value: (_, v) => short(v), spanGaps: false,
      paths: phase ? () => null : undefined, // drawn by us: it may turn back in x
    }));
    const axis = { stroke: ink("--soft"), grid: { stroke: ink("--line"), width: 1 }, ticks: { stroke: ink("--line") } };
    const options: uPlot.Options = {
      width, height: HEIGHT, series, axes: [{ ...axis, label: undefined, size: 32, values: (_, v) => v.map(short) }, { ...axis, size: 64, values: (_, v) => v.map(short) }],
      mode: 1, scales: { x: { time: false, range: phase ? (_, low, high) => widened(low, high) : undefined }, y: { range: (_, low, high) => widened(low, high) } }, legend: { show: lines.length > 1 || phase, live: false },
      cursor: { drag: { x: !phase, y: false }, points: { show: false } },
      hooks: {
        draw: [(u) => { if (phase) lines.forEach((l, k) => curve(u, l, colour(k))); }, () => entry.marks()], // its scales are there by then
        ready: [(u) => this.listen(u, phase)],
      },
    };
    const data = phase ? phaseData(lines) : timeData(lines);
    entry.plot = new uPlot(options, data, entry.box);
    entry.marks = this.cursor(entry.plot, lines, phase, entry.box.querySelector(".values")!);
  }

  // The cursor is the player's: a line at the time, and a dot on each curve, above the drawing, which
  // therefore stays as it is while the time runs.
  private cursor(u: uPlot, lines: Line[], phase: boolean, values: HTMLElement): () => void {
    const mark = (className: string) => {
      const e = document.createElement("div");
      e.className = className;
      u.over.append(e);
      return e;
    };
    const bar = phase ? null : mark("now");
    const dots = lines.map((_, k) => {
      const dot = mark("dot");
      dot.style.background = colour(k);
      return dot;
    });
    const put = (e: HTMLElement, x: number, y: number) => {
      e.hidden = !Number.isFinite(x + y) || x < -0.5 || x > u.over.clientWidth + 0.5 || y < -0.5 || y > u.over.clientHeight + 0.5;
      if (!e.hidden) e.style.transform = `translate(${x}px, ${y}px)`;
    };
    const written = lines.slice(0, MOST_VALUES).map((_, k) => {
      const e = document.createElement("b");
      e.style.color = colour(k);
      values.append(e);
      return e;
    });
    return () => {
      const t = this.player.time;
      const span = (u.scales.y.max ?? 0) - (u.scales.y.min ?? 0);
      written.forEach((e, k) => {
        const v = valueAt(lines[k].result, lines[k].y, t);
        e.textContent = brief(Math.abs(v) < INVISIBLE * span ? 0 : v);
      });
      if (bar) put(bar, u.valToPos(t, "x"), 0);
      lines.forEach((l, k) => {
        const x = phase ? valueAt(l.result, l.x, t) : t;
        put(dots[k], u.valToPos(x, "x"), u.valToPos(valueAt(l.result, l.y, t), "y"));
      });
    };
  }

  private listen(u: uPlot, phase: boolean): void {
    if (phase) return;
    u.over.addEventListener("click", (e) => this.player.seek(u.posToVal(e.offsetX, "x")));
  }

  update(): void {
    for (const e of this.shown) e.marks();
  }

  // After a change of theme or language.
  redraw(): void {
    const all = this.shown.map((e) => [e.group, e.x] as const);
    for (const e of this.shown) {
      e.plot?.destroy();
      e.box.remove();
    }
    this.shown = [];
    for (const [g, x] of all) this.add(g, x);
  }

  // Of one of them; several may stand side by side.
  private width(box?: HTMLElement): number {
    return Math.max(220, ((box ?? this.shown[0]?.box)?.clientWidth || this.list.clientWidth) - 10);
  }

  private resize(): void {
    const width = this.width();
    for (const e of this.shown) if (e.plot && e.plot.width !== width) e.plot.setSize({ width, height: HEIGHT });
  }
}

// With room above and below; rounding errors of what stands still are drawn as a straight line.
function widened(low: number, high: number): [number, number] {
  const least = Math.max(STILL, 1e-9 * Math.max(Math.abs(low), Math.abs(high)));
  if (!(high - low > least)) return [0.5 * (low + high) - Math.max(1e-6, 0.1 * Math.abs(low)), 0.5 * (low + high) + Math.max(1e-6, 0.1 * Math.abs(high))];
  return uPlot.rangeNum(low, high, 0.1, true) as [number, number];
}

export function short(v: number | null): string {
  if (v === null || !Number.isFinite(v)) return "–";
  const a = Math.abs(v);
  return decimal(a !== 0 && (a < 1e-3 || a >= 1e5) ? Number(v.toPrecision(4)).toExponential() : String(Number(v.toPrecision(6))));
}

// Four digits: what is read while it plays.
function brief(v: number): string {
  return Number.isFinite(v) ? short(Number(v.toPrecision(4))) : "–";
}

function timeData(lines: Line[]): uPlot.AlignedData {
  const first = lines[0].result;
  if (lines.every((l) => l.result === first)) {
    return [first.t, ...lines.map((l) => gaps(l.result.signals[l.y]))] as unknown as uPlot.AlignedData;
  }
  const tables = lines.map((l) => [l.result.t, gaps(l.result.signals[l.y])] as unknown as uPlot.AlignedData);
  return uPlot.join(tables, tables.map(() => [0, 2]));
}

// Of a phase portrait the library knows the extents alone.
function phaseData(lines: Line[]): uPlot.AlignedData {
  const [low, high] = extent(lines.map((l) => l.result.signals[l.x]));
  return [[low, high], ...lines.map((l) => extent([l.result.signals[l.y]]))];
}

function extent(columns: Float32Array[]): [number, number] {
  let low = Infinity, high = -Infinity;
  for (const c of columns) for (const v of c) {
    if (v < low) low = v;
    if (v > high) high = v;
  }
  return low <= high ? [low, high] : [0, 1];
}

function curve(u: uPlot, l: Line, stroke: string): void {
  const g = u.ctx, xs = l.result.signals[l.x], ys = l.result.signals[l.y];
  g.strokeStyle = stroke;
  g.lineWidth = 1.6 * devicePixelRatio;
  g.setLineDash(l.dash.map((d) => d * devicePixelRatio));
  g.beginPath();
  let down = false;
  for (let i = 0; i < xs.length; i++) {
    if (!Number.isFinite(xs[i] + ys[i])) {
      down = false;
      continue;
    }
    const x = u.valToPos(xs[i], "x", true), y = u.valToPos(ys[i], "y", true);
    if (down) g.lineTo(x, y);
    else g.moveTo(x, y);
    down = true;
  }
  g.stroke();
  g.setLineDash([]);
}

function gaps(values: Float32Array): (number | null)[] {
  return Array.from(values, (v) => Number.isFinite(v) ? v : null);
}
