// main.ts - the page: picture, time bar, panels, keys.
import { galleryPanel } from "./charts/gallery";
import type { Table } from "./charts/tables";
import { load, type Loaded, type Result } from "./data";
import { keepFocus } from "./focus";
import { icon } from "./icons";
import { decimal, language, say, setLanguage, type Label } from "./labels";
import { helpPanel } from "./help";
import { ledgerPanel, make, modelPanel, viewPanel } from "./panels";
import { Player, speeds } from "./player";
import { Plots, short } from "./plots";
import { thinned } from "./particles";
import { rendererName } from "./renderer";
import { moves, palette, Stage } from "./stage";

const FEW = 10; // frames: what is between them is not known well
const MOST_ENTRIES = 10; // of the legend

const byId = (id: string) => document.getElementById(id)!;

class Page {
  private player: Player;
  private stage: Stage | null = null;
  private plots: Plots;
  private tab: Label = "plots";
  private slider = make("input", { type: "range", min: "0", max: "1000", value: "0", id: "time" });
  private clock = make("output", { id: "clock" });
  private playButton = make("button", { id: "play" });

  constructor(readonly results: Result[], private meshPoints: [number, number], private tables: Table[]) {
    const times = results.flatMap((r) => [...ends(r.t), ...ends(r.frameTimes)]).filter(Number.isFinite);
    this.player = new Player(Math.min(...times, Infinity) === Infinity ? 0 : Math.min(...times), times.length ? Math.max(...times) : 0);
    try {
      if (results.some(moves)) this.stage = new Stage(byId("canvas") as HTMLCanvasElement, results.filter(moves));
    } catch {
      // no WebGL: the note says so
    }
    if (!this.stage) for (const id of ["canvas", "corner", "tags"]) byId(id).remove();
    this.plots = new Plots(results, this.player, results.some(moves) ? 2 : 8); // without a picture there is room
    this.player.onChange(() => this.update());
    document.addEventListener("keydown", (e) => this.key(e));
    letGo();
    if (this.stage) this.listen(this.stage);
    this.build();
    this.update();
  }

  // A click on a part selects it, a second one follows it; one beside all parts lets go.
  private listen(stage: Stage): void {
    const canvas = byId("canvas");
    let from = [0, 0];
    canvas.addEventListener("pointerdown", (e) => { from = [e.clientX, e.clientY]; });
    canvas.addEventListener("click", (e) => {
      if (Math.hypot(e.clientX - from[0], e.clientY - from[1]) < 4) stage.select(stage.pick(e.clientX, e.clientY));
    });
    canvas.addEventListener("dblclick", (e) => { stage.follow(stage.pick(e.clientX, e.clientY)); this.buildTabs(); });
  }

  // All that is written, so that another language writes it again.
  build(): void {
    const first = this.results[0];
    document.title = first.title || first.label;
    byId("title").textContent = first.title || first.label;
    byId("subtitle").textContent = this.results.map((r) => describe(r)).join("  ·  ");
    byId("canvas")?.setAttribute("aria-label", say("copyOf"));
    keepFocus(() => {
      this.buildTools();
      this.buildTabs();
      this.buildBar();
      this.buildLegend();
    });
    this.buildNote();
    this.stage?.label();
  }

  private buildTools(): void {
    const tools = byId("tools");
    tools.replaceChildren();
    if (this.stage && this.stage.mechanisms.length > 1) {
      const stage = this.stage;
      tools.append(make("button", {
        id: "arrangement", textContent: say(stage.beside ? "overlay" : "beside"),
        onclick: () => { stage.arrange(!stage.beside); keepFocus(() => this.buildTools()); },
      }));
    }
    const dark = document.documentElement.dataset.theme === "dark";
    tools.append(
      make("button", { id: "theme", textContent: say(dark ? "light" : "dark"), onclick: () => { setTheme(!dark); this.plots.redraw(); this.stage?.draw(); this.build(); } }),
      make("button", { id: "keys", textContent: "?", title: say("help"), onclick: () => this.help() }),
      make("button", { id: "language", textContent: say("other"), onclick: () => { setLanguage(language === "en" ? "de" : "en"); this.build(); this.update(); } }));
  }

  private buildTabs(): void {
    const panels: [Label, () => HTMLElement][] = [["plots", () => this.plots.element]];
    if (this.stage) panels.push(["view", () => viewPanel(this.stage!, () => { this.buildLegend(); })]);
    if (this.tables.length > 0) panels.push(["analyses", () => galleryPanel(this.tables)]);
    panels.push(["ledger", () => ledgerPanel(this.results)], ["model", () => modelPanel(this.results)]);
    for (const e of this.plots.element.querySelectorAll<HTMLElement>("[data-label]")) e.textContent = say(e.dataset.label as Label);
    byId("tabs").replaceChildren();
    byId("panels").replaceChildren();
    for (const [label, content] of panels) {
      const tab = make("button", { textContent: say(label), id: `tab-${label}` });
      tab.setAttribute("role", "tab");
      tab.setAttribute("aria-selected", String(label === this.tab));
      tab.setAttribute("aria-controls", `panel-${label}`);
      const panel = make("div", { className: "panel", id: `panel-${label}`, hidden: label !== this.tab }, content());
      panel.setAttribute("role", "tabpanel");
      panel.setAttribute("aria-labelledby", tab.id);
      tab.onclick = () => { this.tab = label; this.choose(); };
      byId("tabs").append(tab);
      byId("panels").append(panel);
    }
  }

  private choose(): void {
    for (const tab of byId("tabs").children) tab.setAttribute("aria-selected", String(tab.id === `tab-${this.tab}`));
    for (const panel of byId("panels").children) (panel as HTMLElement).hidden = panel.id !== `panel-${this.tab}`;
  }

  private buildBar(): void {
    const p = this.player;
    this.playButton.onclick = () => p.toggle();
    this.slider.setAttribute("aria-label", say("time"));
    this.slider.oninput = () => p.seek(p.from + Number(this.slider.value) / 1000 * (p.to - p.from));
    const speed = make("select", { id: "speed" });
    for (const s of speeds) speed.add(new Option(`${decimal(String(s))}×`, String(s), false, s === p.speed));
    speed.onchange = () => { p.speed = Number(speed.value); };
    speed.setAttribute("aria-label", say("speed"));
    const loop = make("button", { textContent: say("loop"), onclick: () => { p.loop = !p.loop; loop.setAttribute("aria-pressed", String(p.loop)); } });
    loop.setAttribute("aria-pressed", String(p.loop));
    const start = make("button", { title: say("start"), onclick: () => p.seek(p.from) }, icon("start"));
    const end = make("button", { title: say("end"), onclick: () => p.seek(p.to) }, icon("end"));
    start.setAttribute("aria-label", say("start"));
    end.setAttribute("aria-label", say("end"));
    byId("bar").replaceChildren(start, this.playButton, end, this.slider, this.clock, make("label", {}, `${say("speed")} `, speed), loop);
  }

  // Of several results their colours; of one the parts, as far as there is room.
  private buildLegend(): void {
    const legend = byId("legend"), stage = this.stage;
    const entry = (colour: number, text: string) => {
      const swatch = make("i");
      swatch.style.background = `#${colour.toString(16).padStart(6, "0")}`;
      return make("button", {}, swatch, text);
    };
    legend.replaceChildren();
    if (this.results.length > 1) {
      legend.append(...this.results.map((r, i) => entry(palette[i % palette.length], r.label)));
    } else if (stage) {
      const painted = new Set(stage.mechanisms[0].elastic.map((e) => e.name)); // by their deformation
      for (const p of stage.mechanisms[0].parts.slice(0, MOST_ENTRIES)) {
        const b = entry(p.colour, p.name), hidden = stage.mechanisms[0].hidden;
        if (painted.has(p.name)) b.querySelector("i")!.className = "painted";
        b.setAttribute("aria-pressed", String(!hidden.has(p.name)));
        b.title = say("hide");
        b.onclick = () => { stage.hide(p.name, !hidden.has(p.name)); this.build(); };
        legend.append(b);
      }
      const more = stage.mechanisms[0].parts.length - MOST_ENTRIES;
      if (more > 0) legend.append(make("span", { textContent: say("more", more) }));
    }
    legend.hidden = legend.children.length === 0;
  }

  private help(): void {
    const box = byId("help");
    box.hidden = !box.hidden;
    if (!box.hidden) box.replaceChildren(helpPanel(() => this.help()));
  }

  private buildNote(): void {
    const notes: string[] = [];
    for (const r of this.results) {
      const who = this.results.length > 1 ? `${r.label}: ` : "";
      if (r.signals.some((s) => s.some((x) => !Number.isFinite(x)))) notes.push(who + say("notFinite"));
      if (!r.complete) notes.push(who + say("incomplete"));
      if (r.scene && r.frameTimes.length < r.rows) notes.push(who + say("thinned", r.frameTimes.length, r.rows));
    }
    for (const r of this.results) if (r.scene && r.frameTimes.length > 1 && r.frameTimes.length < FEW) notes.push(say("few", r.frameTimes.length));
    for (const r of this.results) {
      const p = r.particles, every = p ? p.every * thinned(p) : 1;
      if (p && every > 1) notes.push(say("oneOf", every, p.most) + (thinned(p) > 1 ? ` ${say("noCard")}` : ""));
      if (p && p.stride > 1) notes.push(say("fewFrames", p.frames.length, p.stored));
    }
    if (this.meshPoints[0] < this.meshPoints[1]) notes.push(say("coarser", ...this.meshPoints));
    if (!this.stage) notes.push(say(this.results.some(moves) ? "noWebgl" : "noMotion"));
    byId("note").textContent = notes.join(" ");
    byId("stage").classList.toggle("without", !this.stage);
    document.querySelector("main")!.classList.toggle("plain", !this.stage);
  }

  private update(): void {
    const p = this.player;
    this.stage?.update(p.time);
    this.plots.update();
    const label = p.playing ? "pause" : "play";
    if (this.playButton.getAttribute("aria-label") !== say(label)) {
      this.playButton.replaceChildren(icon(label));
      this.playButton.title = say(label);
      this.playButton.setAttribute("aria-label", say(label));
    }
    if (p.to > p.from) this.slider.value = String(1000 * (p.time - p.from) / (p.to - p.from));
    this.slider.setAttribute("aria-valuetext", `${short(p.time)} s`);
    this.clock.textContent = this.modeShown() ?? `t = ${short(Number(p.time.toPrecision(4)))} s`;
  }

  // Of modes that swing one after the other: which, and how fast it is.
  private modeShown(): string | null {
    const r = this.results[0];
    if (!r || !r.facts.some(([name, value]) => name === "method" && value === "modes")) return null;
    const mode = r.names.indexOf("mode"), frequency = r.names.indexOf("frequency"), damping = r.names.indexOf("damping");
    if (mode < 0 || frequency < 0 || r.t.length === 0) return null;
    let i = 0;
    while (i + 1 < r.t.length && r.t[i + 1]! <= this.player.time + 1e-9) i++;
    const at = (k: number): string => short(Number(r.signals[k]![i]!.toPrecision(4)));
    return `${say("modeAt", at(mode), at(frequency))}${damping < 0 ? "" : `, D = ${at(damping)}`}`;
  }

  // Keys belong to the page, but for those that what has the focus needs: a text its letters, a list that was reached by
  // the keyboard its arrows, a button the space that presses it.
  private key(e: KeyboardEvent): void {
    const target = e.target as HTMLElement, p = this.player, stage = this.stage;
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const writes = target.matches?.("input[type=search], input[type=text], textarea") ?? false;
    if (e.key === "Escape") {
      byId("help").hidden = true;
      if (writes) target.blur();
      else stage?.select(null);
      return;
    }
    if (writes || target.tagName === "SELECT") return;
    const pressed = target.tagName === "BUTTON" || target.matches?.("input[type=checkbox]");
    if (pressed && (e.key === " " || e.key === "Enter")) return;
    const frame = (p.to - p.from) / 1000 * (e.shiftKey ? 50 : 5);
    const k = speeds.indexOf(p.speed), chosen = stage?.selected() ?? null;
    switch (e.key) {
      case " ": p.toggle(); break;
      case "ArrowRight": p.seek(p.time + frame); break;
      case "ArrowLeft": p.seek(p.time - frame); break;
      case "Home": p.seek(p.from); break;
      case "End": p.seek(p.to); break;
      case "+": p.speed = speeds[Math.min(k + 1, speeds.length - 1)]; this.buildBar(); break;
      case "-": p.speed = speeds[Math.max(k - 1, 0)]; this.buildBar(); break;
      case "l": p.loop = !p.loop; this.buildBar(); break;
      case "?": this.help(); break;
      case "r": stage?.look("start"); break;
      case "x": case "y": case "z": stage?.look(e.key); break;
      case "s": stage?.look("slant"); break;
      case "n": case "a": case "c": case "j": if (stage) this.toggle(stage, e.key); break;
      case "h": if (stage && chosen) { stage.hide(chosen, true); stage.select(null); this.build(); } break;
      case "H": if (stage) { stage.hideAll(false); this.build(); } break;
      case "f": if (stage) { stage.follow(stage.following() === chosen ? null : chosen); this.buildTabs(); } break;
      case "/": this.tab = "view"; this.choose(); document.getElementById("search")?.focus(); break;
      default: return;
    }
    e.preventDefault();
  }

  private toggle(stage: Stage, key: "n" | "a" | "c" | "j"): void {
    for (const m of stage.mechanisms) {
      if (key === "n") m.names = !m.names;
      else if (key === "a") m.show("arrows", !m.shows("arrows"));
      else if (key === "c") m.show("contacts", !m.shows("contacts"));
      else m.show("joints", !m.shows("joints"));
    }
    stage.refresh();
    this.buildTabs();
  }

  // For programs that drive the page: tests, and whoever wants to.
  api() {
    return {
      results: this.results,
      player: this.player,
      seek: (t: number) => this.player.seek(t),
      time: () => this.player.time,
      // where a body's frame, or a point of it, is in the scene now
      position: (name: string, result = 0) => this.stage?.mechanisms[result]?.position(name) ?? null,
      renderer: () => (this.stage ? rendererName(this.stage.renderer.getContext()) : ""),
      // where a node of a flexible body's mesh is, by its number in the mesh file
      node: (body: string, label: number, result = 0) => this.stage?.mechanisms[result]?.node(body, label) ?? null,
      colour: (what: "displacement" | "stress") => { this.stage?.colour(what); this.stage?.refresh(); },
      showShape: (of: number | null, mode = 0) => this.stage?.showShape(of, mode),
      addPlot: (signal: string, x = "t") => this.plots.add(signal, x),
      hide: (name: string, hidden = true) => this.stage?.hide(name, hidden),
      symbols: (result = 0) => this.stage?.mechanisms[result]?.symbols ?? [],
      pick: (x: number, y: number) => this.stage?.pick(x, y) ?? null,
      // where a place of the scene is in the picture, in pixels of the page
      pixel: (at: number[]) => this.stage?.pixel(at) ?? null,
      look: (from: "start" | "x" | "y" | "z" | "slant") => this.stage?.look(from),
    };
  }
}

// What a pointer used does not keep the focus: the keys are the page's again. Fields to write in keep it, and so does what
// was reached by the keyboard.
function letGo(): void {
  let pointer = false;
  const release = (e: Event) => {
    const control = e.target instanceof HTMLElement ? e.target.closest<HTMLElement>("button, select, input") : null;
    if (control && pointer && !control.matches("input[type=search]")) control.blur();
  };
  document.addEventListener("pointerdown", () => { pointer = true; }, true);
  document.addEventListener("keydown", () => { pointer = false; }, true);
  document.addEventListener("click", (e) => { if (!(e.target instanceof HTMLSelectElement)) release(e); }); // a list is open then
  document.addEventListener("change", release);
}

function ends(t: Float64Array): number[] {
  return t.length > 0 ? [t[0], t[t.length - 1]] : [];
}

function describe(r: Result): string {
  const fact = (name: string) => r.facts.find((f) => f[0] === name)?.[1];
  const parts = [fact("method"), fact("formulation"), fact("settings")].filter((x) => x && x !== "none" && x !== "auto");
  return parts.length ? `${r.label}: ${parts.join(", ")}` : r.label;
}

function setTheme(dark: boolean): void {
  document.documentElement.dataset.theme = dark ? "dark" : "light";
}

// Diagrams alone: there is nothing that moves.
function showTables(tables: Table[]): void {
  const names = tables.map((t) => t.name), first = names.reduce((a, b) => (b.length < a.length ? b : a));
  document.title = first;
  byId("title").textContent = first;
  byId("subtitle").textContent = names.length > 1 && names.length < 6 ? names.join(", ") : "";
  byId("bar").remove();
  const main = document.querySelector("main")!, tools = byId("tools");
  main.className = "diagrams";
  const build = () => {
    const dark = document.documentElement.dataset.theme === "dark";
    main.replaceChildren(galleryPanel(tables));
    tools.replaceChildren(make("button", { id: "theme", textContent: say(dark ? "light" : "dark"), onclick: () => { setTheme(!dark); build(); } }),
      make("button", { id: "language", textContent: say("other"), onclick: () => { setLanguage(language === "en" ? "de" : "en"); build(); } }));
  };
  build();
}

async function begin(): Promise<void> {
  setTheme(matchMedia("(prefers-color-scheme: dark)").matches);
  setLanguage(navigator.language.startsWith("de") ? "de" : "en");
  let loaded: Loaded;
  try {
    loaded = await load();
  } catch (e) {
    byId("note").textContent = String(e);
    return;
  }
  if (loaded.results.length === 0 && loaded.tables.length > 0) {
    showTables(loaded.tables);
    document.documentElement.dataset.ready = "true";
    return;
  }
  if (loaded.results.length === 0) {
    byId("note").textContent = say("noResult");
    return;
  }
  (window as unknown as { flexion: unknown }).flexion = new Page(loaded.results, loaded.meshPoints, loaded.tables).api();
  document.documentElement.dataset.ready = "true";
}

void begin();
