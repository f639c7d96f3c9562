// picture.ts - the mechanism: as it starts while one types, as it moves when it was run, as it is while it is live.
import type { Result } from "../data";
import { keepFocus } from "../focus";
import { icon } from "../icons";
import { decimal, say } from "../labels";
import { make } from "../panels";
import { Player, speeds } from "../player";
import { short } from "../plots";
import { moves, Stage } from "../stage";

const MOST_ENTRIES = 10; // of the legend
const LOOK = 15; // frames of what is live: so often the eye goes back where something is outside, unless the user has moved it
const byId = (id: string) => document.getElementById(id)!;

export class Picture {
  stage: Stage | null = null;
  player: Player | null = null; // of a run; null: one position
  result: Result | null = null;
  anew = true; // what comes next is another model: the eye goes where it is seen best
  private moved = 0; // frames
  private slider = make("input", { type: "range", min: "0", max: "1000", value: "0", id: "time" });
  private clock = make("output", { id: "clock" });
  private playButton = make("button", { id: "play" });

  // chosen: a part was clicked; null: beside all parts.
  constructor(private chosen: (name: string | null) => void, private turned: () => void) {
    const canvas = byId("canvas");
    let from = [0, 0];
    canvas.addEventListener("pointerdown", (e) => { from = [e.clientX, e.clientY]; });
    canvas.addEventListener("click", (e) => {
      if (!this.stage || Math.hypot(e.clientX - from[0], e.clientY - from[1]) >= 4) return;
      const name = this.stage.pick(e.clientX, e.clientY);
      this.stage.select(name);
      this.chosen(name);
    });
  }

  private replace(results: Result[], beside: boolean): void {
    const was = this.stage!.beside;
    this.stage!.beside = beside;
    this.stage!.replace(results, this.anew);
    this.anew = false;
    if (beside || was) this.stage!.look("start");
  }

  // A result in the place of what is seen: of one row a position, else a motion; others to compare it with follow.
  show(result: Result, ...others: Result[]): void {
    const results = [result, ...others].filter(moves);
    this.player = null;
    const before = this.result;
    this.result = result;
    if (!moves(result)) {
      if (result.rows > 1) this.playOver([result, ...others].map((r) => r.t)); // its plots have a time
      this.build();
      return;
    }
    try {
      this.anew ||= (before?.scene?.bodies.length ?? 0) > 0 && result.scene!.bodies.length === 0; // all of it went
      if (this.stage) this.replace(results, false);
      else this.stage = new Stage(byId("canvas") as HTMLCanvasElement, results);
      this.anew = false;
    } catch {
      byId("note").textContent = say("noWebgl");
      return;
    }
    this.stage.update(result.frameTimes[0]);
    if (result.frameTimes.length > 1) {
      this.playOver(results.map((r) => r.frameTimes));
      this.stage.reveal();
    }
    this.build();
  }

  private playOver(times: ArrayLike<number>[]): void {
    this.player = new Player(times[0][0], Math.max(...times.map((t) => t[t.length - 1])));
    this.player.onChange(() => this.update());
  }

  // So many of it side by side, each to be moved by itself.
  besides(n: number): void {
    const r = this.result;
    if (!r || !this.stage) return;
    this.replace(Array.from({ length: n }, (_, i) => (i === 0 ? r : { ...r, motion: r.motion.map((m) => m.slice()) })), n > 1);
    this.build();
  }

  // The first frame becomes this one.
  move(motion: ArrayLike<number>, of = 0): void {
    const r = this.stage?.mechanisms[of]?.result;
    if (!r || !this.stage) return;
    for (let k = 0; k < motion.length && k < r.motion.length; k++) r.motion[k][0] = motion[k];
    this.stage.update(r.frameTimes[0]);
    if (++this.moved % LOOK === 0 && !this.stage.touched && this.stage.controls.enabled) this.stage.reveal();
  }

  // By itself, unless the user has asked for less motion.
  play(): void {
    if (!matchMedia("(prefers-reduced-motion: reduce)").matches) this.player?.toggle();
  }

  say(text: string): void {
    byId("note").textContent = text;
  }

  build(): void {
    keepFocus(() => {
      this.buildLegend();
      this.buildBar();
    });
    byId("canvas").setAttribute("aria-label", say("copyOf"));
  }

  private buildLegend(): void {
    const legend = byId("legend"), stage = this.stage;
    legend.replaceChildren();
    for (const p of stage?.mechanisms[0].parts.slice(0, MOST_ENTRIES) ?? []) {
      const swatch = make("i"), hidden = stage!.mechanisms[0].hidden, b = make("button", { title: say("hide") }, swatch, p.name);
      swatch.style.background = `#${p.colour.toString(16).padStart(6, "0")}`;
      swatch.hidden = stage!.mechanisms.length > 1; // each has one colour then
      b.setAttribute("aria-pressed", String(!hidden.has(p.name)));
      b.onclick = () => { stage!.hide(p.name, !hidden.has(p.name)); keepFocus(() => this.buildLegend()); };
      legend.append(b);
    }
    const more = (stage?.mechanisms[0].parts.length ?? 0) - MOST_ENTRIES;
    if (more > 0) legend.append(make("span", { textContent: say("more", more) }));
    legend.hidden = legend.children.length === 0;
  }

  private buildBar(): void {
    const bar = byId("bar"), stage = this.stage, p = this.player;
    const views = make("span", { className: "views" }, ...(stage ? (["start", "x", "y", "z", "slant"] as const).map((from) => make("button", {
      textContent: from === "start" ? "⌂" : from === "slant" ? "◇" : from, title: say(from === "start" ? "reset" : from === "slant" ? "slant" : from === "x" ? "fromX" : from === "y" ? "fromY" : "fromZ"),
      onclick: () => stage.look(from),
    })) : []));
    if (!p) {
      bar.replaceChildren(views);
      return;
    }
    this.playButton.onclick = () => p.toggle();
    this.slider.setAttribute("aria-label", say("time"));
    this.slider.oninput = () => p.seek(p.from + Number(this.slider.value) / 1000 * (p.to - p.from));
    const speed = make("select", { id: "speed" });
    for (const s of speeds) speed.add(new Option(`${decimal(String(s))}×`, String(s), false, s === p.speed));
    speed.onchange = () => { p.speed = Number(speed.value); };
    speed.setAttribute("aria-label", say("speed"));
    bar.replaceChildren(this.playButton, this.slider, this.clock, speed, views);
    this.update();
  }

  private update(): void {
    const p = this.player;
    if (!p) return;
    this.stage?.update(p.time);
    const label = p.playing ? "pause" : "play";
    if (this.playButton.getAttribute("aria-label") !== say(label)) {
      this.playButton.replaceChildren(icon(label));
      this.playButton.title = say(label);
      this.playButton.setAttribute("aria-label", say(label));
    }
    if (p.to > p.from) this.slider.value = String(1000 * (p.time - p.from) / (p.to - p.from));
    this.clock.textContent = `t = ${short(Number(p.time.toPrecision(4)))} s`;
    this.turned();
  }
}
