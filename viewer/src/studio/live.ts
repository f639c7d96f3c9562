// live.ts - a run in real time: its factor, sliders for inputs and parameters, keys and gamepad, the pointer that pulls bodies,
// and curves of the last seconds.
import { make } from "../panels";
import { short } from "../plots";
import { decimal } from "../labels";
import type { Picture } from "./picture";
import { server, type Checked, type Port } from "./server";
import { word } from "./words";

interface Frame { t: number; factor: number; paused: boolean; recording: boolean; motion: number[]; outputs: (number | null)[] }
interface Ready { method: string; names: string[]; units: string[] }

const MOST = 12; // sliders of a kind, and curves
const PAST = 10; // seconds of the curves
const byId = (id: string) => document.getElementById(id)!;
// Keys that drive the first input and the second one: less, more.
const keys: Record<string, [number, number]> = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowDown: [1, -1], ArrowUp: [1, 1], a: [0, -1], d: [0, 1], s: [1, -1], w: [1, 1] };

export class Live {
  readonly curves = make("div", { id: "curves" });
  last: Frame | null = null;
  private factor = make("strong", { id: "factor" });
  private clock = make("output", { id: "liveclock" });
  private note = make("span", { className: "bad", id: "livenote" });
  private pauseButton = make("button", { id: "pause" });
  private recordButton = make("button", { id: "record" });
  private sliders: { input: HTMLInputElement; port: Port; send: () => void; range: [number, number] }[] = [];
  private rows: { t: number; y: (number | null)[] }[] = [];
  private canvases: { canvas: HTMLCanvasElement; value: HTMLElement; column: number }[] = [];
  private held = new Set<string>();
  private pulling: { body: string; local: number[] } | null = null;
  private line = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  private busy = false; // a word is on its way
  private waiting = new Map<string, string>(); // words of which the last one counts
  private over = false;

  constructor(private picture: Picture, checked: Checked) {
    this.build(checked);
    this.line.setAttribute("class", "pull");
    byId("stage").append(this.line);
    const canvas = byId("canvas");
    canvas.addEventListener("pointerdown", this.grab, true);
    canvas.addEventListener("pointermove", this.pull, true);
    window.addEventListener("pointerup", this.release, true);
    document.addEventListener("keydown", this.down);
    document.addEventListener("keyup", this.up);
    requestAnimationFrame(this.poll);
  }

  close(): void {
    const canvas = byId("canvas");
    this.over = true;
    canvas.removeEventListener("pointerdown", this.grab, true);
    canvas.removeEventListener("pointermove", this.pull, true);
    window.removeEventListener("pointerup", this.release, true);
    document.removeEventListener("keydown", this.down);
    document.removeEventListener("keyup", this.up);
    if (this.picture.stage) this.picture.stage.controls.enabled = true;
    this.line.remove();
    byId("drive").hidden = true;
  }

  // ---- words to the program ---------------------------------------------------------------------------

  // In turn; of several about one thing the last.
  private say(about: string, line: string): void {
    this.waiting.set(about, line);
    if (!this.busy) void this.send();
  }

  private async send(): Promise<void> {
    this.busy = true;
    for (let next; (next = this.waiting.entries().next().value);) {
      this.waiting.delete(next[0]);
      await server.tell(next[1]).catch(() => {});
    }
    this.busy = false;
  }

  // ---- what is shown --------------------------------------------------------------------------------

  private build(checked: Checked): void {
    const box = byId("drive"), b = (id: "reset" | "saveState" | "restore", line: string) => make("button", { id, textContent: word(id), onclick: () => this.say(id, line) });
    this.pauseButton.onclick = () => this.say("pause", this.last?.paused ? "go" : "pause");
    this.recordButton.onclick = () => this.say("record", "record");
    const speed = make("select", { id: "livespeed" });
    speed.setAttribute("aria-label", word("speedOf"));
    for (const s of [0.05, 0.1, 0.25, 0.5, 1, 2, 5]) speed.add(new Option(`${decimal(String(s))}×`, String(s), false, s === 1));
    speed.onchange = () => this.say("speed", `speed ${speed.value}`);
    const inputs = (checked.inputs ?? []).slice(0, MOST), parameters = (checked.parameters ?? []).filter((p) => p.tunable && p.numbers[0] !== null).slice(0, MOST);
    const grid = make("div", { className: "sliders" }, ...inputs.map((p) => this.slider(p, "input")), ...parameters.map((p) => this.slider(p, "parameter")));
    box.replaceChildren(make("div", { className: "row" }, this.clock, this.factor, this.pauseButton, b("reset", "reset"), b("saveState", "save"), b("restore", "restore"), this.recordButton, speed, this.note), grid,
      make("p", { className: "hint", textContent: word("howLive") }));
    box.hidden = false;
    this.label();
  }

  private label(): void {
    this.pauseButton.textContent = word(this.last?.paused ? "goOn" : "pauseIt");
    this.recordButton.textContent = word("record");
    this.recordButton.setAttribute("aria-pressed", String(this.last?.recording ?? false));
  }

  private slider(port: Port, kind: "input" | "parameter"): HTMLElement {
    const [value, lower, upper] = port.numbers, at = value ?? 0, span = Math.max(2 * Math.abs(at), 1);
    const from = lower ?? (kind === "input" ? -span : Math.min(0, 2 * at)), to = upper ?? (kind === "input" ? span : Math.max(2 * at, at === 0 ? 1 : 0));
    const input = make("input", { type: "range", min: String(from), max: String(to), step: "any", value: String(at) }), shown = make("output", { textContent: short(at) });
    input.dataset.name = port.name;
    input.setAttribute("aria-label", port.name);
    const send = () => {
      shown.textContent = `${short(Number(Number(input.value).toPrecision(3)))} ${port.unit}`;
      this.say(`${kind} ${port.name}`, `${kind} ${port.name} ${input.value}`);
    };
    input.oninput = send;
    if (kind === "input") this.sliders.push({ input, port, send, range: [from, to] });
    return make("label", { className: "slider", title: kind }, make("span", { textContent: port.name }), input, shown);
  }

  begin(ready: Ready): void {
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
    const before = this.last;
    this.last = f;
    if (!before || f.motion.some((x, i) => x !== before.motion[i])) this.picture.move(f.motion); // what rests is drawn sharp
    this.clock.textContent = `t = ${short(Number(f.t.toFixed(2)))} s`;
    this.factor.textContent = f.paused ? "" : word("factor", decimal(f.factor.toFixed(2)));
    if (before?.paused !== f.paused || before?.recording !== f.recording) this.label();
    if (before && f.t < before.t) this.rows = [];
    if (before?.t === f.t) this.rows.pop(); // paused: rows do not pile up
    this.rows.push({ t: f.t, y: f.outputs });
    while (this.rows.length > 0 && this.rows[0].t < f.t - PAST) this.rows.shift();
    if (this.curves.isConnected) for (const c of this.canvases) this.draw(c);
    this.drawLine();
  }

  private draw(c: { canvas: HTMLCanvasElement; value: HTMLElement; column: number }): void {
    const g = c.canvas.getContext("2d")!, w = c.canvas.width, h = c.canvas.height, end = this.last!.t, ys = this.rows.map((r) => r.y[c.column] ?? NaN);
    const low = Math.min(...ys.filter(Number.isFinite)), high = Math.max(...ys.filter(Number.isFinite)), span = high - low || 1;
    g.clearRect(0, 0, w, h);
    g.beginPath();
    this.rows.forEach((r, i) => { if (Number.isFinite(ys[i])) g.lineTo(w - (end - r.t) / PAST * w, h - 4 - (ys[i] - low) / span * (h - 8)); });
    g.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue("--accent");
    g.lineWidth = 1.6;
    g.stroke();
    c.value.textContent = short(Number((ys[ys.length - 1] ?? NaN).toPrecision(4)));
  }

  // ---- the pointer ----------------------------------------------------------------------------------

  // A place under the pointer, in the plane across the eye through a place of the body.
  private under(e: PointerEvent, through: number[]): number[] | null {
    const stage = this.picture.stage!;
    return stage.place(e.clientX, e.clientY, stage.direction(), through)?.at ?? null;
  }

  private grab = (e: PointerEvent): void => {
    const stage = this.picture.stage, hit = stage?.hit(e.clientX, e.clientY);
    if (!stage || !hit || e.button !== 0) return;
    const { name, at } = hit, m = stage.mechanisms[0], group = m.bodies.find((b) => b.name === name);
    if (!group) return;
    const local = group.worldToLocal(group.position.clone().fromArray(at)).toArray();
    if (m.result.scene!.dimension === 2) local[2] = 0;
    stage.controls.enabled = false;
    this.pulling = { body: name, local };
    this.say("grab", `grab ${name} ${local.map((x) => x.toPrecision(6)).join(" ")}`);
    this.to = [e.clientX, e.clientY];
    this.pullTo(at);
    e.preventDefault();
    e.stopPropagation();
  };

  private to = [0, 0];

  private pullTo(at: number[]): void {
    this.say("pull", `pull ${at.map((x) => x.toPrecision(6)).join(" ")}`);
  }

  private pull = (e: PointerEvent): void => {
    if (!this.pulling) return;
    const at = this.under(e, this.grabbed());
    this.to = [e.clientX, e.clientY];
    if (at) this.pullTo(at);
    this.drawLine();
    e.stopPropagation();
  };

  private release = (): void => {
    if (!this.pulling) return;
    this.pulling = null;
    this.waiting.delete("pull");
    this.say("let", "let");
    this.picture.stage!.controls.enabled = true;
    this.drawLine();
  };

  private grabbed(): number[] {
    const group = this.picture.stage!.mechanisms[0].bodies.find((b) => b.name === this.pulling!.body)!;
    return group.localToWorld(group.position.clone().fromArray(this.pulling!.local)).toArray();
  }

  private drawLine(): void {
    this.line.replaceChildren();
    if (!this.pulling) return;
    const box = byId("stage").getBoundingClientRect(), [x, y] = this.picture.stage!.pixel(this.grabbed()), l = document.createElementNS("http://www.w3.org/2000/svg", "line");
    const ends = { x1: x - box.left, y1: y - box.top, x2: this.to[0] - box.left, y2: this.to[1] - box.top };
    for (const [k, v] of Object.entries(ends)) l.setAttribute(k, String(v));
    this.line.append(l);
  }

  // ---- keys and gamepad -------------------------------------------------------------------------------

  private down = (e: KeyboardEvent): void => {
    const target = e.target as HTMLElement;
    if (e.ctrlKey || e.metaKey || e.altKey || target.isContentEditable || target.matches("input, textarea, select")) return;
    if (e.key === " " && !target.matches("button")) {
      this.say("pause", this.last?.paused ? "go" : "pause");
      e.preventDefault();
    }
    if (!(e.key in keys) || this.sliders.length <= keys[e.key][0]) return;
    this.held.add(e.key);
    e.preventDefault();
  };

  private up = (e: KeyboardEvent): void => {
    if (!this.held.delete(e.key)) return;
    const [i] = keys[e.key];
    if (![...this.held].some((k) => keys[k][0] === i)) this.set(i, 0); // let go: as the model has it
  };

  // A part of the range on either side of the model's own value.
  private set(i: number, part: number): void {
    const s = this.sliders[i];
    if (!s) return;
    const [from, to] = s.range, middle = Math.min(Math.max(s.port.numbers[0] ?? 0, from), to), x = part < 0 ? middle + part * (middle - from) : middle + part * (to - middle);
    if (Math.abs(Number(s.input.value) - x) < 1e-12 * Math.max(Math.abs(x), 1)) return;
    s.input.value = String(x);
    s.send();
  }

  private padded = [0, 0];

  private poll = (): void => {
    if (this.over) return;
    for (const k of this.held) this.set(keys[k][0], keys[k][1]);
    const pad = navigator.getGamepads?.().find((p) => p);
    [0, 1].forEach((i) => {
      const x = pad ? Math.round(20 * (pad.axes[i] ?? 0)) / 20 : 0;
      if (x !== this.padded[i]) this.set(i, i === 1 ? -x : x);
      this.padded[i] = x;
    });
    requestAnimationFrame(this.poll);
  };
}
