// chart.ts - one diagram as SVG: curves and marks in any order of x, linear or logarithmic axes, guides behind them. The pointer
// finds the nearest point, a rectangle drawn with it is what is shown then, a double click shows all again.
import { make } from "../panels";
import { short } from "../plots";

export interface Axis { label: string; log?: boolean; reversed?: boolean }
export interface Curve {
  name: string; colour: number; x: ArrayLike<number>; y: ArrayLike<number>;
  mark?: "cross" | "circle" | "dot"; dash?: string; quiet?: boolean; // a mark for a line; quiet: the pointer does not find it
}
export interface Guide { x: number[]; y: number[]; label?: string }
export interface ChartDef {
  id: string; title: string; x: Axis; y: Axis; curves: Curve[];
  guides?: (range: Range) => Guide[]; // behind the curves, for what is shown
  include?: [number, number][]; // places that are to be seen
  tell?: (curve: Curve, i: number) => string; // what is said of a point
  found?: (curve: Curve, i: number) => void; // the pointer is there
}
export interface Range { x: [number, number]; y: [number, number] }

export const colours = ["#3b7dd8", "#e8871e", "#3f9e4d", "#c44e52", "#8b6fc0", "#2aa5a5", "#a0784a", "#d163a6"];
export const colourOf = (k: number): string => colours[k % colours.length]!;

const WIDTH = 460, HEIGHT = 280, LEFT = 66, RIGHT = 14, TOP = 10, BOTTOM = 42;
const NEAR = 30; // pixels
const NS = "http://www.w3.org/2000/svg";

function svg(tag: string, attributes: Record<string, string | number>, text = ""): SVGElement {
  const e = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, String(value));
  e.textContent = text;
  return e;
}

const scaled = (a: Axis, v: number) => (a.log ? Math.log10(v) : v);
const fits = (a: Axis, v: number) => Number.isFinite(v) && (!a.log || v > 0);

// Round places of one axis; of a logarithmic one decades, and 2 and 5 of each where there are few.
function ticks(a: Axis, [low, high]: [number, number]): number[] {
  if (!a.log || high - low < 1) {
    const from = a.log ? 10 ** low : low, to = a.log ? 10 ** high : high;
    const step = 10 ** Math.floor(Math.log10((to - from) / 4)), n = (to - from) / step;
    const wide = step * (n > 20 ? 5 : n > 8 ? 2 : 1), all: number[] = [];
    for (let k = Math.ceil(from / wide - 1e-9); k * wide <= to + 1e-9 * wide; k++) all.push(k * wide);
    return all;
  }
  const all: number[] = [], every = Math.ceil((high - low) / 8);
  for (let k = Math.floor(low); k <= high; k += every) {
    for (const m of high - low < 3 ? [1, 2, 5] : [1]) {
      const v = Math.log10(m) + k;
      if (v >= low - 1e-9 && v <= high + 1e-9) all.push(m * 10 ** k);
    }
  }
  return all;
}

export class Chart {
  readonly element = make("figure", { className: "chart" });
  private root = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img" }) as SVGSVGElement;
  private back = svg("g", { class: "back" });
  private body = svg("g", {});
  private marks = svg("g", { class: "shown" });
  private box = svg("rect", { class: "zoom", visibility: "hidden" });
  private words = make("figcaption", { className: "told" });
  private all: Range;
  private range: Range;
  private start: [number, number] | null = null;
  private hidden = new Set<string>();

  constructor(readonly def: ChartDef) {
    this.element.id = def.id;
    this.element.dataset.curves = def.curves.map((c) => c.name).join("|");
    this.root.setAttribute("aria-label", def.title);
    this.all = this.extent();
    this.range = this.all;
    const clip = svg("clipPath", { id: `${def.id}-clip` });
    clip.append(svg("rect", { x: LEFT, y: TOP, width: WIDTH - LEFT - RIGHT, height: HEIGHT - TOP - BOTTOM }));
    for (const g of [this.body, this.marks]) g.setAttribute("clip-path", `url(#${def.id}-clip)`);
    this.root.append(clip, this.back, this.body, this.marks, this.box);
    this.element.append(make("h3", { textContent: def.title }), this.root, this.words, this.legend());
    this.root.addEventListener("pointermove", (e) => this.move(e));
    this.root.addEventListener("pointerdown", (e) => { this.start = this.place(e); });
    this.root.addEventListener("pointerup", (e) => this.end(e));
    this.root.addEventListener("pointerleave", () => { this.start = null; this.box.setAttribute("visibility", "hidden"); });
    this.root.addEventListener("dblclick", () => { this.range = this.all; this.draw(); });
    this.draw();
  }

  // ---- what is shown ----

  private extent(): Range {
    const along = (a: Axis, take: (c: Curve) => ArrayLike<number>, more: number[]): [number, number] => {
      let low = Infinity, high = -Infinity;
      const meet = (v: number) => {
        if (!fits(a, v)) return;
        low = Math.min(low, scaled(a, v));
        high = Math.max(high, scaled(a, v));
      };
      for (const c of this.def.curves) if (!this.hidden.has(c.name)) for (let i = 0; i < c.x.length; i++) if (fits(this.def.x, c.x[i]!) && fits(this.def.y, c.y[i]!)) meet(take(c)[i]!);
      more.forEach(meet);
      if (!(low <= high)) return [0, 1];
      const size = high - low, least = 1e-9 * Math.max(Math.abs(low), Math.abs(high)) || 1e-12;
      if (size < least) return [low - (a.log ? 0.5 : Math.max(Math.abs(low), 1) / 2), high + (a.log ? 0.5 : Math.max(Math.abs(high), 1) / 2)];
      const room = a.log ? 0.02 : 0.05;
      return [low - room * size, high + room * size];
    };
    const places = this.def.include ?? [];
    return { x: along(this.def.x, (c) => c.x, places.map((p) => p[0])), y: along(this.def.y, (c) => c.y, places.map((p) => p[1])) };
  }

  private px(v: number): number {
    const [a, b] = this.range.x;
    return LEFT + (scaled(this.def.x, v) - a) / (b - a) * (WIDTH - LEFT - RIGHT);
  }

  private py(v: number): number {
    const [a, b] = this.range.y;
    return HEIGHT - BOTTOM - (scaled(this.def.y, v) - a) / (b - a) * (HEIGHT - TOP - BOTTOM);
  }

  // The path of a curve; what is far beyond the picture is cut to its neighbourhood, since browsers draw it badly.
  private path(x: ArrayLike<number>, y: ArrayLike<number>): string {
    const near = (v: number) => Math.max(-1e4, Math.min(1e4, v)).toFixed(2);
    let d = "", down = false;
    for (let i = 0; i < x.length; i++) {
      if (!fits(this.def.x, x[i]!) || !fits(this.def.y, y[i]!)) {
        down = false;
        continue;
      }
      d += `${down ? "L" : "M"}${near(this.px(x[i]!))} ${near(this.py(y[i]!))}`;
      down = true;
    }
    return d;
  }

  draw(): void {
    const { def } = this, bottom = HEIGHT - BOTTOM;
    this.back.replaceChildren(svg("rect", { class: "frame", x: LEFT, y: TOP, width: WIDTH - LEFT - RIGHT, height: bottom - TOP }));
    for (const v of ticks(def.x, this.range.x)) {
      const x = this.px(v);
      this.back.append(svg("line", { class: v === 0 ? "axis" : "grid", x1: x, x2: x, y1: TOP, y2: bottom }), svg("text", { x, y: bottom + 15, "text-anchor": "middle" }, short(Number(v.toPrecision(6)))));
    }
    for (const v of ticks(def.y, this.range.y)) {
      const y = this.py(v);
      this.back.append(svg("line", { class: v === 0 ? "axis" : "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y, y2: y }), svg("text", { x: LEFT - 6, y: y + 4, "text-anchor": "end" }, short(Number(v.toPrecision(6)))));
    }
    this.back.append(svg("text", { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 8, "text-anchor": "middle", class: "label" }, def.x.label),
      svg("text", { x: 13, y: (TOP + bottom) / 2, "text-anchor": "middle", class: "label", transform: `rotate(-90 13 ${(TOP + bottom) / 2})` }, def.y.label));
    this.body.replaceChildren(...this.guides(), ...def.curves.filter((c) => !this.hidden.has(c.name)).flatMap((c) => this.curve(c)));
    this.marks.replaceChildren();
  }

  private guides(): SVGElement[] {
    const taken: [number, number][] = [];
    return (this.def.guides?.(this.range) ?? []).flatMap((g) => {
      const line = svg("path", { class: "guide", d: this.path(g.x, g.y) }), parts = [line];
      for (let i = g.x.length - 1; g.label && i >= 0; i--) { // at its last place that is seen
        const x = this.px(g.x[i]!), y = this.py(g.y[i]!);
        if (!(x > LEFT + 2 && x < WIDTH - RIGHT - 34 && y > TOP + 14 && y < HEIGHT - BOTTOM - 4)) continue;
        if (taken.some(([a, b]) => Math.abs(a - x) < 40 && Math.abs(b - y) < 12)) continue;
        taken.push([x, y]);
        parts.push(svg("text", { class: "guide", x: x + 3, y: y - 3 }, g.label));
        break;
      }
      return parts;
    });
  }

  private curve(c: Curve): SVGElement[] {
    const stroke = colourOf(c.colour);
    if (!c.mark) return [svg("path", { class: "curve", d: this.path(c.x, c.y), stroke, ...(c.dash ? { "stroke-dasharray": c.dash } : {}) })];
    const parts: SVGElement[] = [];
    for (let i = 0; i < c.x.length; i++) {
      const x = this.px(c.x[i]!), y = this.py(c.y[i]!);
      if (!Number.isFinite(x + y) || Math.abs(x) > 1e4 || Math.abs(y) > 1e4) continue;
      parts.push(c.mark === "cross" ? svg("path", { class: "cross", stroke, d: `M${x - 4} ${y - 4}l8 8m0 -8l-8 8` })
        : svg("circle", { class: c.mark, stroke, cx: x, cy: y, r: c.mark === "dot" ? 3 : 4.5, ...(c.mark === "dot" ? { fill: stroke } : {}) }));
    }
    return parts;
  }

  private legend(): HTMLElement {
    const row = make("div", { className: "keys" });
    for (const c of this.def.curves) {
      if (c.quiet && !c.mark) continue;
      const swatch = make("i");
      swatch.style.background = colourOf(c.colour);
      const b = make("button", { type: "button" }, swatch, c.mark === "cross" ? `× ${c.name}` : c.mark === "circle" ? `○ ${c.name}` : c.name);
      b.setAttribute("aria-pressed", "true");
      b.onclick = () => {
        if (!this.hidden.delete(c.name)) this.hidden.add(c.name);
        b.setAttribute("aria-pressed", String(!this.hidden.has(c.name)));
        this.all = this.range = this.extent();
        this.draw();
      };
      row.append(b);
    }
    return row;
  }

  // ---- the pointer ----

  private place(e: PointerEvent): [number, number] {
    const r = this.root.getBoundingClientRect();
    return [(e.clientX - r.left) / r.width * WIDTH, (e.clientY - r.top) / r.height * HEIGHT];
  }

  private move(e: PointerEvent): void {
    const [x, y] = this.place(e);
    if (this.start) {
      const [a, b] = this.start;
      for (const [name, v] of Object.entries({ x: Math.min(a, x), y: Math.min(b, y), width: Math.abs(x - a), height: Math.abs(y - b), visibility: "visible" })) this.box.setAttribute(name, String(v));
      return;
    }
    const at = this.nearest(x, y);
    if (!at) return;
    this.show([at]);
    this.say(this.def.tell?.(at[0], at[1]) ?? "");
    this.def.found?.(at[0], at[1]);
  }

  private nearest(x: number, y: number): [Curve, number] | null {
    let best: [Curve, number] | null = null, least = NEAR;
    for (const c of this.def.curves) {
      if (c.quiet || this.hidden.has(c.name)) continue;
      for (let i = 0; i < c.x.length; i++) {
        const d = Math.hypot(this.px(c.x[i]!) - x, this.py(c.y[i]!) - y);
        if (d < least) [best, least] = [[c, i], d];
      }
    }
    return best;
  }

  private end(e: PointerEvent): void {
    const from = this.start, to = this.place(e);
    this.start = null;
    this.box.setAttribute("visibility", "hidden");
    if (!from || Math.abs(to[0] - from[0]) < 8 || Math.abs(to[1] - from[1]) < 8) return;
    const x = (v: number) => this.range.x[0] + (v - LEFT) / (WIDTH - LEFT - RIGHT) * (this.range.x[1] - this.range.x[0]);
    const y = (v: number) => this.range.y[0] + (HEIGHT - BOTTOM - v) / (HEIGHT - TOP - BOTTOM) * (this.range.y[1] - this.range.y[0]);
    this.range = { x: [x(Math.min(from[0], to[0])), x(Math.max(from[0], to[0]))], y: [y(Math.max(from[1], to[1])), y(Math.min(from[1], to[1]))] };
    this.draw();
  }

  // Points that are pointed at, here or in a diagram of the same numbers.
  show(points: [Curve, number][]): void {
    this.marks.replaceChildren(...points.flatMap(([c, i]) => {
      const x = this.px(c.x[i]!), y = this.py(c.y[i]!);
      return Number.isFinite(x + y) ? [svg("circle", { cx: x, cy: y, r: 5, fill: colourOf(c.colour) })] : [];
    }));
  }

  say(text: string): void {
    this.words.textContent = text;
  }
}
