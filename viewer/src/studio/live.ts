// live.ts - runs in real time, one or several side by side: their factor, sliders for inputs and parameters, keys and gamepad,
// the pointer that pulls bodies, and curves of the last seconds. What is about time is told to all runs, so that they stay
// together; sliders, keys and the record belong to the one that is chosen.
import { keepFocus } from "../focus";
import { make } from "../panels";
import { short } from "../plots";
import { decimal } from "../labels";
import { palette } from "../stage";
import { Hands } from "./hands";
import type { Picture } from "./picture";
import { Pull } from "./pull";
import { server, type Checked, type Port } from "./server";
import { word } from "./words";

export interface Frame { run: number; t: number; factor: number; paused: boolean; recording: boolean; motion: number[]; outputs: (number | null)[] }
export interface Ready { run: number; method: string; names: string[]; units: string[] }

const MOST = 12; // sliders of a kind, and curves
const MOST_RUNS = 4;
const PAST = 10; // seconds of the curves
const byId = (id: string) => document.getElementById(id)!;

interface Slider { input: HTMLInputElement; shown: HTMLElement; port: Port; kind: "input" | "parameter"; range: [number, number] }
class Run {
  last: Frame | null = null;
  rows: { t: number; y: (number | null)[] }[] = [];
  set = new Map<string, string>(); // what sliders were moved to, by name
  private busy = false; // a word is on its way
  private waiting = new Map<string, string>(); // words of which the last one counts

  constructor(readonly number: number) {}

  // In turn; of several about one thing the last.
  say(about: string, line: string): void {
    this.waiting.delete(about);
    this.waiting.set(about, line);
    if (!this.busy) void this.send();
  }

  private async send(): Promise<void> {
    this.busy = true;
    for (let next; (next = this.waiting.entries().next().value);) {
      this.waiting.delete(next[0]);
      await server.tell(next[1], this.number).catch(() => {});
    }
    this.busy = false;
  }

  take(f: Frame): void {
    const before = this.last;
    this.last = f;
    if (before && f.t < before.t) this.rows = [];
    if (before?.t === f.t) this.rows.pop(); // paused: rows do not pile up
    this.rows.push({ t: f.t, y: f.outputs });
    while (this.rows.length > 0 && this.rows[0].t < f.t - PAST) this.rows.shift();
  }
}

export class Live {
  readonly curves = make("div", { id: "curves" });
  readonly runs = [new Run(1)];
  private chosen = 0; // of the runs
  private over = new Set<number>();
  private factor = make("strong", { id: "factor" });
  private clock = make("output", { id: "liveclock" });
  private note = make("span", { className: "bad", id: "livenote" });
  private pauseButton = make("button", { id: "pause" });
  private recordButton = make("button", { id: "record" });
  private speed = make("select", { id: "livespeed" });
  private which = make("span", { id: "runs", className: "row" });
  private sliders: Slider[] = [];
  private canvases: { canvas: HTMLCanvasElement; value: HTMLElement; column: number }[] = [];
  private hands: Hands;
  private pull: Pull;

  // more: one more run of the same text begins, by its number.
  constructor(private picture: Picture, checked: Checked, private more: (run: number) => Promise<unknown>) {
    this.build(checked);
    this.pull = new Pull(picture, (view, about, line) => this.runs[view]?.say(about, line));
    this.hands = new Hands(this.inputs().length, (i, part) => this.drive(i, part), () => this.pause());
  }

  close(): void {
    this.hands.close();
    this.pull.close();
    byId("drive").hidden = true;
  }

  private run(): Run {
    return this.runs[this.chosen];
  }

  private all(about: string, line: string): void {
    for (const r of this.runs) r.say(about, line);
  }

  private pause(): void {
    this.all("pause", this.run().last?.paused ? "go" : "pause");
  }

  // ---- runs -----------------------------------------------------------------------------------------

  // One more, from the start; the others begin anew with it.
  private async add(): Promise<void> {
    const run = new Run(this.runs.length + 1);
    this.runs.push(run);
    this.picture.besides(this.runs.length);
    this.choose(this.runs.length - 1);
    await this.more(run.number);
  }

  // It is there: from here on it goes with the others.
  private join(run: Run): void {
    run.say("speed", `speed ${this.speed.value}`);
    if (this.runs[0].last?.paused) run.say("pause", "pause");
    this.all("reset", "reset");
  }

  // One has ended; whether others go on. The first takes all with it.
  end(number: number): boolean {
    this.over.add(number);
    return number > 1 && this.over.size < this.runs.length;
  }

  private choose(i: number): void {
    this.chosen = i;
    for (const s of this.sliders) {
      s.input.value = this.run().set.get(s.port.name) ?? String(s.port.numbers[0] ?? 0);
      this.tell(s);
    }
    this.label();
  }

  private label(): void {
    this.pauseButton.textContent = word(this.run().last?.paused ? "goOn" : "pauseIt");
    this.recordButton.textContent = word("record");
    this.recordButton.setAttribute("aria-pressed", String(this.run().last?.recording ?? false));
    const several = this.runs.length > 1 ? this.runs.map((r, i) => {
      const swatch = make("i"), b = make("button", { id: `run-${r.number}`, onclick: () => this.choose(i) }, swatch, String(r.number));
      swatch.style.background = `#${palette[i % palette.length].toString(16).padStart(6, "0")}`;
      b.setAttribute("aria-pressed", String(i === this.chosen));
      return b;
    }) : [];
    const more = make("button", { id: "moreruns", textContent: word("besideIt"), disabled: this.runs.length >= MOST_RUNS, onclick: () => void this.add() });
    keepFocus(() => this.which.replaceChildren(...several, more));
  }

  // ---- what is shown --------------------------------------------------------------------------------

  private build(checked: Checked): void {
    const box = byId("drive"), b = (id: "reset" | "saveState" | "restore", line: string) => make("button", { id, textContent: word(id), onclick: () => this.all(id, line) });
    this.pauseButton.onclick = () => this.pause();
    this.recordButton.onclick = () => this.run().say("record", "record");
    const speed = this.speed;
    speed.setAttribute("aria-label", word("speedOf"));
    for (const s of [0.05, 0.1, 0.25, 0.5, 1, 2, 5]) speed.add(new Option(`${decimal(String(s))}×`, String(s), false, s === 1));
    speed.onchange = () => this.all("speed", `speed ${speed.value}`);
    const inputs = (checked.inputs ?? []).slice(0, MOST), parameters = (checked.parameters ?? []).filter((p) => p.tunable && p.numbers[0] !== null).slice(0, MOST);
    const grid = make("div", { className: "sliders" }, ...inputs.map((p) => this.slider(p, "input")), ...parameters.map((p) => this.slider(p, "parameter")));
    box.replaceChildren(make("div", { className: "row" }, this.clock, this.factor, this.pauseButton, b("reset", "reset"), b("saveState", "save"), b("restore", "restore"), this.recordButton, speed, this.which, this.note), grid,
      make("p", { className: "hint", textContent: word("howLive") }));
    box.hidden = false;
    this.label();
  }

  private slider(port: Port, kind: "input" | "parameter"): HTMLElement {
    const [value, lower, upper] = port.numbers, at = value ?? 0, span = Math.max(2 * Math.abs(at), 1);
    const from = lower ?? (kind === "input" ? -span : Math.min(0, 2 * at)), to = upper ?? (kind === "input" ? span : Math.max(2 * at, at === 0 ? 1 : 0));
    const input = make("input", { type: "range", min: String(from), max: String(to), step: "any", value: String(at) }), shown = make("output", { textContent: short(at) });
    const s: Slider = { input, shown, port, kind, range: [from, to] };
    input.dataset.name = port.name;
    input.setAttribute("aria-label", port.name);
    input.oninput = () => this.send(s);
    this.sliders.push(s);
    return make("label", { className: "slider", title: word(kind === "input" ? "k_input" : "k_parameter") }, make("span", { textContent: port.name }), input, shown);
  }

  private tell(s: Slider): void {
    s.shown.textContent = `${short(Number(Number(s.input.value).toPrecision(3)))} ${s.port.unit}`;
  }

  private send(s: Slider): void {
    this.tell(s);
    this.run().set.set(s.port.name, s.input.value);
    this.run().say(`${s.kind} ${s.port.name}`, `${s.kind} ${s.port.name} ${s.input.value}`);
  }

  private inputs(): Slider[] {
    return this.sliders.filter((s) => s.kind === "input");
  }

  // A part of the range on either side of the model's own value.
  private drive(i: number, part: number): void {
    const s = this.inputs()[i];
    if (!s) return;
    const [from, to] = s.range, middle = Math.min(Math.max(s.port.numbers[0] ?? 0, from), to);
    s.input.value = String(part < 0 ? middle + part * (middle - from) : middle + part * (to - middle));
    this.send(s);
  }

  begin(ready: Ready): void {
    if (ready.run > 1) {
      this.join(this.runs[ready.run - 1]);
      return;
    }
    this.canvases = [];
    this.curves.replaceChildren(...ready.names.slice(0, MOST).map((name, column) => {
      const canvas = make("canvas", { width: 320, height: 56 }), value = make("span", { className: "values" });
      this.canvases.push({ canvas, value, column });
      return make("div", { className: "plot" }, make("div", { className: "head" }, make("span", { textContent: ready.units[column] ? `${name} [${ready.units[column]}]` : name }), value), canvas);
    }));
  }

  complain(text: string): void {
    this.note.textContent = text;
  }

  frame(f: Frame): void {
    const run = this.runs[f.run - 1], before = run?.last;
    if (!run) return;
    run.take(f);
    if (!before || f.motion.some((x, i) => x !== before.motion[i])) this.picture.move(f.motion, f.run - 1); // what rests is drawn sharp
    if (run === this.run()) {
      this.clock.textContent = `t = ${short(Number(f.t.toFixed(2)))} s`;
      this.factor.textContent = f.paused ? "" : word("factor", decimal(f.factor.toFixed(2)));
      if (before?.paused !== f.paused || before?.recording !== f.recording) this.label();
    }
    if (f.run === 1 && this.curves.isConnected) for (const c of this.canvases) this.draw(c);
    this.pull.draw();
  }

  // One line a run, all on one scale.
  private draw(c: { canvas: HTMLCanvasElement; value: HTMLElement; column: number }): void {
    const g = c.canvas.getContext("2d")!, sharp = window.devicePixelRatio || 1, w = c.canvas.clientWidth || 320, h = c.canvas.clientHeight || 56;
    const end = Math.max(...this.runs.map((r) => r.last?.t ?? 0)), size = [Math.round(w * sharp), Math.round(h * sharp)];
    if (c.canvas.width !== size[0] || c.canvas.height !== size[1]) [c.canvas.width, c.canvas.height] = size;
    let low = Infinity, high = -Infinity;
    for (const r of this.runs) for (const row of r.rows) {
      const y = row.y[c.column] ?? NaN;
      if (y < low) low = y;
      if (y > high) high = y;
    }
    const still = !(high - low > Math.max(1e-12, 1e-9 * Math.max(Math.abs(low), Math.abs(high)))); // rounding errors are no motion
    const span = still ? 2 * Math.max(Math.abs(low), 1e-6) : high - low, style = getComputedStyle(document.documentElement), accent = style.getPropertyValue("--accent");
    if (still) low -= 0.5 * span;
    g.setTransform(sharp, 0, 0, sharp, 0, 0);
    g.clearRect(0, 0, w, h);
    g.font = "10px system-ui, sans-serif";
    g.fillStyle = style.getPropertyValue("--soft");
    if (!still && Number.isFinite(span)) for (const [y, at] of [[high, 10], [low, h - 3]]) g.fillText(short(Math.abs(y) < 1e-4 * span ? 0 : Number(y.toPrecision(3))), 2, at);
    g.lineWidth = 1.6;
    this.runs.forEach((r, i) => {
      g.beginPath();
      for (const row of r.rows) {
        const y = row.y[c.column] ?? NaN;
        if (Number.isFinite(y)) g.lineTo(w - (end - row.t) / PAST * w, h - 4 - (y - low) / span * (h - 8));
      }
      g.strokeStyle = this.runs.length > 1 ? `#${palette[i % palette.length].toString(16).padStart(6, "0")}` : accent;
      g.stroke();
    });
    const now = this.run().last?.outputs[c.column] ?? NaN;
    c.value.textContent = short(Math.abs(now) < 1e-7 * span ? 0 : Number(now.toPrecision(4)));
  }
}
