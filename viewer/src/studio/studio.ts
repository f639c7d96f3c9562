// studio.ts - the workbench: the text, the picture, what is run, and how they follow one another. The file has the truth:
// whatever is done by forms or the pointer is an edit of the text, and everything else follows from it.
import { take, type Body, type Packed, type Result } from "../data";
import { keepFocus } from "../focus";
import { decimal, language, say, setLanguage } from "../labels";
import { ledgerPanel, make, viewPanel } from "../panels";
import { Plots, short } from "../plots";
import { moves } from "../stage";
import { banner, bannerOf } from "./banner";
import { Builder } from "./builder";
import { divide } from "./dividers";
import { Editor } from "./editor";
import { showGallery } from "./gallery";
import { Files } from "./files";
import { findingsPanel, markMode } from "./findings";
import { Handles } from "./handles";
import { askImport } from "./import";
import { Items } from "./items";
import { Live } from "./live";
import { find, outline } from "./outline";
import { members } from "./members";
import { Picture } from "./picture";
import { Language, type Schema } from "./schema";
import { listen, Refused, server, type Checked, type Done, type Message } from "./server";
import { askStudy } from "./study";
import { welcome } from "./welcome";
import { statusOf, word, type Word } from "./words";

const byId = (id: string) => document.getElementById(id)!;
const PATIENCE = 400; // milliseconds of a check before it is said that one goes on
const MOST_KEPT = 4; // runs

type Work = "none" | "run" | "live" | "analyse" | "study" | "import";

export class Studio {
  readonly editor: Editor;
  readonly picture: Picture;
  readonly items: Items;
  private files: Files;
  private builder: Builder;
  private handles: Handles;
  private plots: Plots | null = null;
  private left: Word = "text";
  private live: Live | null = null;
  private found: { done: Done; name: string; shown: Result | null } | null = null; // shown: its motion
  private analysis = "";
  private kept: Result[] = []; // runs to compare with
  private count = 0; // of runs
  private drawn: { content: string; result: Result } | null = null; // the start that was drawn last: most keys do not change it
  checked: Checked | null = null;
  private checking = false;
  private slow = false; // the check takes its time
  private due = false; // the text is another one than was checked
  private timer = 0;
  private work: Work = "none";
  private worked = ""; // the text that is computed: messages have their places there
  private progress: [number, number] | null = null;
  private done: Done | null = null;
  private tab: Word = "plots";
  private times: number[] = []; // milliseconds from key to picture, the last ones
  private keyed = 0; // when the last key came that was not drawn yet

  constructor() {
    this.editor = new Editor(byId("editor"), (byUser) => this.edited(byUser));
    this.picture = new Picture((name) => { this.choose(name); }, () => { this.plots?.update(); this.mark(); });
    this.builder = new Builder(this.editor, this.picture, (path) => this.added(path), () => this.items.path);
    this.items = new Items(byId("items"), this.editor, () => this.builder.tools(), (path) => { this.picture.stage?.select(path[1] ?? null); this.handles.choose(path[0] === "bodies" ? path[1] ?? null : null); }, (body) => this.drawnBody(body));
    this.handles = new Handles(this.editor, this.picture, this.builder, () => this.work === "none" && !this.builder.isPlacing());
    document.addEventListener("keydown", (e) => this.key(e));
    this.files = new Files(this.editor, () => this.build());
  }

  // A part of the picture, or nothing.
  private choose(name: string | null): void {
    if (this.builder.isPlacing()) return;
    if (name) this.items.chooseByName(name);
    this.handles.choose(name);
  }

  private drawnBody(name: string): { body: Body; planar: boolean } | null {
    const scene = this.picture.result?.scene, body = scene?.bodies.find((b) => b.name === name);
    return scene && body ? { body, planar: scene.dimension === 2 } : null;
  }

  async begin(): Promise<void> {
    await this.files.begin();
    listen((event, data) => this.hear(event, data));
    void server.schema().then((s) => {
      const known = new Language(s as Schema);
      this.editor.learn(known);
      this.items.learn(known);
    });
    this.build();
  }

  // ---- the text -----------------------------------------------------------------------------------

  private edited(byUser: boolean): void {
    if (byUser && this.keyed === 0) this.keyed = performance.now();
    this.due = true;
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.check(), 0);
    if (byUser) this.files.edited();
    this.state();
  }

  // Something was added by hand, or is about to be.
  private added(path: string[]): void {
    if (path.length > 0) {
      const e = find(outline(this.editor.view.state), path);
      if (e) this.editor.show(e.from);
      this.items.choose(path);
    } else this.items.build();
    this.welcome();
  }

  // Nothing of the model before is left.
  private leave(): void {
    this.done = this.found = null;
    this.plots = null;
    this.kept = [];
    this.picture.anew = true;
  }

  private async beginWith(name: string, text: string): Promise<void> {
    this.leave();
    await this.files.beginWith(name, text).catch(bannerOf);
  }

  private async open(name: string): Promise<void> {
    this.leave();
    await this.files.open(name).catch(bannerOf);
  }

  private import(): Promise<void> {
    return askImport(this.files.name, (name) => void this.open(name), (name) => { this.analysis = name; void this.start("import", name); }, (name) => this.builder.addMesh(name));
  }

  private gallery(): void {
    showGallery(this.picture, (name, text) => void server.needs(name).then(() => this.beginWith(name, text)).catch(bannerOf), () => { this.due = this.picture.anew = true; void this.check(); });
  }

  // One check at a time: what is written meanwhile is checked after it. Typing waits for none of it.
  private async check(): Promise<void> {
    if (this.checking || !this.due) return;
    this.checking = true;
    this.due = false;
    const said = window.setTimeout(() => { this.slow = true; this.state(); }, PATIENCE);
    const text = this.editor.text(), keyed = this.keyed;
    this.keyed = 0;
    try {
      const answer = await server.check(text);
      if (answer.superseded) throw new Refused(409, "");
      if (text.trim() === "") answer.messages = []; // nothing that could be wrong yet
      this.checked = answer;
      if (text === this.editor.text()) this.editor.mark(answer.messages);
      if (answer.large && this.work === "none") this.picture.say(word("large", answer.large));
      else if (answer.data && this.work === "none") await this.draw(answer.data, keyed);
      else if (this.work === "none") this.withoutPicture(answer.ok);
      this.list(answer.messages);
      this.commands();
      this.items.build();
    } catch (e) {
      if (!(e instanceof Refused) || e.code !== 409) this.picture.say(String(e));
    }
    clearTimeout(said);
    this.checking = this.slow = false;
    this.state();
    if (this.due) void this.check();
  }

  private async draw(data: Packed, keyed: number): Promise<void> {
    const content = JSON.stringify(data.header) + data.block + data.meshes;
    if (content !== this.drawn?.content || this.picture.result !== this.drawn.result) {
      const [r] = (await take(data)).results;
      this.picture.show(r);
      this.drawn = { content, result: r };
    }
    if (this.picture.stage) this.picture.stage.drawn = () => this.handles.draw();
    this.picture.say("");
    if (keyed > 0) requestAnimationFrame(() => requestAnimationFrame(() => {
      this.times.push(performance.now() - keyed);
      if (this.times.length > 200) this.times.shift();
    }));
  }

  // The picture of the text as it is, however many bodies it has.
  private async drawAll(): Promise<void> {
    const data = this.checked?.data ?? (await server.check(this.editor.text(), "all").catch(() => null))?.data;
    if (data) await this.draw(data, 0);
  }

  // Nothing to draw: with errors the last picture stays; of a model without bodies an empty one is there to click into.
  private withoutPicture(ok: boolean): void {
    const blank = this.editor.text().trim() === "", planar = this.builder.planar(), scene = this.picture.result?.scene;
    const other = scene?.bodies.length === 0 && planar !== (scene.dimension === 2); // the empty one is in other axes
    if (blank || ok || !this.picture.stage || other) this.picture.show(emptyResult(planar));
    const seen = (this.picture.result?.scene?.bodies.length ?? 0) > 0;
    this.picture.say(blank || ok ? "" : seen ? word("stale") : this.builder.isBare() ? word("needsBody") : word("notYet"));
  }

  private list(messages: Message[]): void {
    this.items.messages = messages;
    const box = byId("messages"), s = this.checked?.summary;
    box.replaceChildren(...messages.map((m) => {
      const b = make("button", { textContent: m.line > 0 ? `${m.line}:${m.column}  ${m.text}` : m.text, className: m.error ? "error" : "note" });
      b.onclick = () => {
        const doc = this.editor.view.state.doc;
        if (m.line > 0 && m.line <= doc.lines) this.editor.show(doc.line(m.line).from + m.column - 1);
        this.editor.view.focus();
      };
      return b;
    }));
    if (s) box.append(make("span", { className: "empty", textContent: word("freedoms", s.bodies, s.joints, s.freedoms, s.method) }));
  }

  // ---- work ---------------------------------------------------------------------------------------

  // What is computed is the text as it is now.
  private async start(work: Exclude<Work, "none">, option = ""): Promise<void> {
    if (this.work !== "none") return;
    this.work = work;
    this.worked = this.editor.text();
    this.progress = null;
    this.commands();
    try {
      await server.work(work, this.worked, option);
    } catch (e) {
      this.work = "none";
      this.live?.close();
      this.live = null;
      bannerOf(e);
      this.commands();
    }
  }

  run(): Promise<void> {
    return this.start("run");
  }

  // One of the model's analyses, or one of three that every model may have.
  analyse(option: string, name: string): Promise<void> {
    this.analysis = name;
    return this.start("analyse", option);
  }

  // Many runs, or an analysis that asks for numbers.
  study(option: string, name: string): Promise<void> {
    this.analysis = name;
    return this.start(option.startsWith("@") ? "analyse" : "study", option);
  }

  private ask(): void {
    if (this.checked) askStudy(this.checked, (this.checked.signals ?? []).filter((name) => name !== "t"), (option, name) => void this.study(option, name));
  }

  private async analysed(done: Done): Promise<void> {
    this.found = { done, name: this.analysis, shown: null };
    if (done.motion) {
      const [r] = (await take(await server.result())).results;
      this.found.shown = r;
      this.picture.show(r);
      this.picture.play();
    }
    this.tab = "findings";
  }

  private seesFound(): boolean {
    return this.found?.shown != null && this.found.shown === this.picture.result;
  }

  private mark(): void {
    if (this.found?.done.modes?.length) markMode(this.seesFound() ? this.picture.player?.time ?? null : null);
  }

  // In real time, from the text as it is: the picture of its start moves.
  async goLive(): Promise<void> {
    const checked = this.checked;
    if (!checked?.ok) return;
    await this.drawAll(); // of equations alone there is nothing to draw
    this.live = new Live(this.picture, checked, (run) => server.work("live", this.worked, String(run)).catch(bannerOf));
    this.tab = "curves";
    this.tabs();
    await this.start("live");
  }

  async stop(): Promise<void> {
    await server.stop();
  }

  // What is live ends with its last run.
  private ended(done: Done): void {
    const more = this.live?.end(done.run ?? 0) ?? false;
    if (more && !done.ok) bannerOf(new Error(done.messages[0]?.text ?? statusOf(done.status)));
    if (!more) void this.finished(done);
  }

  private async finished(done: Done): Promise<void> {
    const was = this.work;
    this.work = "none";
    this.live?.close();
    this.live = null;
    if (was === "run" || was === "live") this.done = done;
    this.progress = null;
    this.list([...done.messages]);
    if (done.messages.length > 0 && this.worked === this.editor.text()) this.editor.mark(done.messages);
    if (was === "run" && done.t !== undefined) {
      const [r] = (await take(await server.result())).results;
      r.label = word("runLabel", ++this.count);
      this.picture.show(r, ...this.kept);
      this.tab = "plots";
      this.plot(r);
      this.picture.say(done.balanced === false ? word("unbalanced") : "");
      this.picture.play();
    }
    if (was === "import" && done.ok) await this.beginWith(`${this.analysis.replace(/\.\w+$/, "")}.yaml`, done.text ?? "");
    if (was === "analyse" || was === "study") await this.analysed(done);
    if (was === "study" && this.analysis === word("report") && done.ok) window.open("report");
    if (!done.ok) this.picture.say(word("failed", statusOf(done.status)));
    this.commands();
    this.state();
    this.tabs();
    if (was === "live" || (done.t === undefined && !done.motion)) {
      this.due = true;
      void this.check();
    }
  }

  private plot(r: Result): void {
    if (this.picture.player) this.plots = new Plots([r, ...this.kept], this.picture.player, moves(r) ? 2 : 4);
    this.tabs();
  }

  // The run that is seen stays, and those to come are seen with it.
  private runsBar(): HTMLElement {
    const r = this.picture.result, stage = this.picture.stage, row = make("div", { className: "row" });
    if (r && r.rows > 1 && this.kept.length < MOST_KEPT && !this.kept.includes(r)) row.append(make("button", { id: "keeprun", textContent: word("keepRun"), onclick: () => { this.kept.push(r); this.tabs(); } }));
    if (this.kept.length > 0) row.append(make("button", { id: "dropruns", textContent: word("dropRuns"), onclick: () => { this.kept = []; this.tabs(); } }));
    if (stage && this.kept.length > 0 && stage.mechanisms.length > 1) row.append(make("button", { id: "arrangement", textContent: say(stage.beside ? "overlay" : "beside"), onclick: () => { stage.arrange(!stage.beside); this.tabs(); } }));
    return row;
  }

  private hear(event: string, data: unknown): void {
    if (event === "progress") {
      this.progress = data as [number, number];
      this.commands();
    } else if (event === "done") this.ended(data as Done);
    else if (event === "ready") this.live?.begin(data as Parameters<Live["begin"]>[0]);
    else if (event === "frame") this.live?.frame(data as Parameters<Live["frame"]>[0]);
    else if (event === "note") this.live?.complain((data as { text: string }).text);
    else if (event === "changed") void this.files.changed((data as { deleted: boolean }).deleted);
    else if (event === "taken") {
      this.editor.frozen = true; // two pages would overwrite what the other keeps
      banner("taken", ["takeBack", () => location.reload()]);
    }
    else if (event === "gone") this.files.lost();
    else if (event === "here") this.files.found();
  }

  // ---- what is written ------------------------------------------------------------------------------

  private leftTabs(): void {
    keepFocus(() => byId("lefttabs").replaceChildren(...(["text", "items"] as Word[]).map((name) => {
      const tab = make("button", { textContent: word(name), id: `left-${name}`, onclick: () => { this.left = name; this.leftTabs(); } });
      tab.setAttribute("role", "tab");
      tab.setAttribute("aria-selected", String(name === this.left));
      return tab;
    })));
    byId("editor").hidden = this.left !== "text";
    byId("items").hidden = this.left !== "items";
    this.items.build();
  }

  build(): void {
    this.editor.speak(language === "de");
    divide();
    this.leftTabs();
    byId("title").textContent = this.files.name;
    this.commands();
    this.tools();
    this.tabs();
    this.state();
    this.picture.build();
  }

  private commands(): void {
    const keys: Partial<Record<Word, string>> = { save: "Ctrl-S", undo: "Ctrl-Z", redo: "Ctrl-Y", run: "Ctrl-Enter", stop: "Esc" };
    const b = (name: Word, act: () => void, on = true) => make("button", { id: name, textContent: word(name), title: (keys[name] ?? "").replace("Ctrl", language === "de" ? "Strg" : "Ctrl"), onclick: act, disabled: !on });
    const busy = this.work !== "none", good = this.checked?.ok ?? false, parts: HTMLElement[] = [];
    parts.push(b("gallery", () => this.gallery(), !busy), b("import", () => void this.import(), !busy), b("save", () => void this.files.save()), b("undo", () => this.editor.undo()), b("redo", () => this.editor.redo()));
    if (busy) parts.push(b("stop", () => void this.stop()));
    else parts.push(b("run", () => void this.run(), good), b("live", () => void this.goLive(), good));
    if (!busy) parts.push(this.analyses(good), b("study", () => this.ask(), good));
    if (!busy && this.done?.file) parts.push(b("report", () => void this.study("report", word("report"))));
    if (this.checked?.large && !busy) parts.push(b("drawIt", () => void this.drawAll()));
    if (this.work === "analyse") parts.push(make("span", { className: "empty", textContent: word("analysing") }));
    if (this.work === "study" && this.progress) parts.push(make("progress", { max: this.progress[1] || 1, value: this.progress[0] }), make("span", { className: "empty", textContent: word("runsDone", Math.floor(this.progress[0]), this.progress[1]) }));
    if (this.work === "run") {
      const [t, until] = this.progress ?? [0, 1];
      parts.push(make("progress", { max: until || 1, value: t }));
      if (this.progress) parts.push(make("span", { className: "empty", textContent: word("running", short(Number(t.toPrecision(3))), short(until)) }));
    }
    keepFocus(() => byId("commands").replaceChildren(...parts));
  }

  private analyses(good: boolean): HTMLElement {
    const choice = make("select", { id: "analyse", disabled: !good });
    choice.setAttribute("aria-label", word("analyse"));
    choice.add(new Option(word("analyse"), ""));
    for (const name of this.checked?.analyses ?? []) choice.add(new Option(name, name));
    if (this.checked?.sweep) choice.add(new Option(word("sweepOwn"), "sweep:"));
    for (const [name, option] of [["ownRest", "@equilibrium"], ["ownModesAtRest", "@rest"], ["ownModes", "@modes"]] as [Word, string][]) choice.add(new Option(word(name), option));
    choice.onchange = () => { if (choice.value) void (choice.value === "sweep:" ? this.study("sweep", word("sweepOwn")) : this.analyse(choice.value, choice.selectedOptions[0].text)); };
    return choice;
  }

  private tools(): void {
    const dark = document.documentElement.dataset.theme === "dark";
    keepFocus(() => byId("tools").replaceChildren(
      make("button", { id: "theme", textContent: dark ? "☀" : "☾", title: word("theme"), onclick: () => { setTheme(!dark); this.plots?.redraw(); this.picture.stage?.draw(); this.tools(); } }),
      make("button", { id: "language", textContent: word("other"), onclick: () => { setLanguage(language === "en" ? "de" : "en"); this.build(); } })));
  }

  // Of a model that says nothing yet: how to begin, until one does.
  private welcome(): void {
    const box = byId("welcome"), hidden = this.editor.text().trim() !== "" || this.builder.isPlacing() || this.work !== "none";
    if (box.hidden === hidden && (hidden || box.lang === language)) return;
    box.hidden = hidden;
    box.lang = language;
    const build = (planar: boolean) => { this.left = "items"; this.builder.begin(planar); this.leftTabs(); byId("adder").focus(); };
    if (!hidden) box.replaceChildren(...welcome({ gallery: () => this.gallery(), open: () => void this.import(), build, write: () => { this.left = "text"; this.leftTabs(); this.editor.view.focus(); } }));
  }

  private state(): void {
    this.welcome();
    const errors = this.checked?.messages.filter((m) => m.error).length ?? 0, notes = (this.checked?.messages.length ?? 0) - errors;
    const parts = [word(this.files.isDirty() ? "unsaved" : "saved")];
    if (!this.files.isDirty() && this.editor.text().trim() === "") { // nothing that could be wrong yet
      byId("state").textContent = word("blank");
      return;
    }
    if (!this.checked || this.slow) parts.push(word("checking"));
    else if (errors > 0) parts.push(errors === 1 ? word("oneError") : word("errors", errors));
    else parts.push(word("fine"));
    if (notes > 0) parts.push(notes === 1 ? word("oneNote") : word("notes", notes));
    byId("state").textContent = parts.join(" · ");
  }

  private tabs(): void {
    keepFocus(() => this.buildTabs());
  }

  private buildTabs(): void {
    const panels: [Word, () => HTMLElement][] = [["plots", () => this.plots ? make("div", {}, this.runsBar(), this.plots.element) : make("p", { className: "empty", textContent: word("nothing") })]];
    if (this.found) panels.push(["findings", () => findingsPanel(this.found!.done, this.found!.name, this.seesFound() ? (mode) => { if (this.seesFound()) this.picture.player?.repeat(mode, mode + 1); } : null)]);
    if (this.live) panels.unshift(["curves", () => this.live!.curves]);
    if (this.done?.last) panels.push(["values", () => this.lastValues()]);
    if (this.picture.stage) panels.push(["view", () => viewPanel(this.picture.stage!, () => this.picture.build())]);
    byId("tabs").replaceChildren();
    byId("panels").replaceChildren();
    if (!panels.some(([name]) => name === this.tab)) this.tab = "plots";
    for (const [name, content] of panels) {
      const tab = make("button", { textContent: word(name), id: `tab-${name}`, onclick: () => { this.tab = name; this.tabs(); } });
      tab.setAttribute("role", "tab");
      tab.setAttribute("aria-selected", String(name === this.tab));
      byId("tabs").append(tab);
      if (name === this.tab) byId("panels").append(make("div", { className: "panel", id: `panel-${name}` }, content()));
    }
  }

  private lastValues(): HTMLElement {
    const table = make("table", { id: "last" }), d = this.done!;
    for (const [name, x] of d.last ?? []) table.append(make("tr", {}, make("td", { textContent: name }), make("td", { className: "number", textContent: decimal(String(x)) })));
    const box = make("div", {}, make("p", { textContent: word("done", short(d.t ?? 0), short(Number((d.seconds ?? 0).toPrecision(3))), d.steps ?? 0, d.file ?? "") }), make("div", { className: "wide" }, table));
    if (this.picture.result) box.append(ledgerPanel([this.picture.result]));
    return box;
  }

  // ---- keys -----------------------------------------------------------------------------------------

  private key(e: KeyboardEvent): void {
    const ctrl = e.ctrlKey || e.metaKey;
    if (ctrl && e.key === "s") void this.files.save();
    else if (ctrl && e.key === "Enter") void this.run();
    else if (e.key === "Escape" && this.work !== "none") void this.stop();
    else if (e.key === " " && !ctrl && document.activeElement === byId("canvas")) this.picture.player?.toggle();
    else return;
    e.preventDefault();
  }

  // For programs that drive the page: tests, and whoever wants to.
  api() {
    return {
      text: () => this.editor.text(),
      write: (text: string) => this.editor.replace(text),
      type: (text: string, at: number, to = at) => this.editor.edit([{ from: at, to, insert: text }]),
      members: (base: string) => members(this.editor.view.state, base),
      checked: () => this.checked,
      idle: () => !this.checking && !this.due && this.work === "none",
      done: () => this.done,
      found: () => this.found?.done ?? null,
      forget: () => { this.done = this.found = null; },
      mechanisms: () => this.picture.stage?.mechanisms.length ?? 0,
      time: () => this.picture.player?.time ?? null,
      position: (name: string) => this.picture.stage?.mechanisms[0]?.position(name) ?? null,
      live: (run = 1) => this.live?.runs[run - 1]?.last ?? null,
      pick: (x: number, y: number) => this.picture.stage?.pick(x, y) ?? null,
      latencies: () => this.times.splice(0),
      pixel: (at: number[]) => this.picture.stage?.pixel(at) ?? null,
    };
  }
}

// A place to begin: the ground, and nothing on it.
function emptyResult(planar: boolean): Result {
  return {
    label: "", title: "", complete: true, rows: 1, t: new Float64Array([0]), names: [], units: [], signals: [], frameTimes: new Float64Array([0]), motion: [],
    facts: [], events: [], model: null, surfaces: [], meshes: [],
    scene: { dimension: planar ? 2 : 3, size: 6, gravity: planar ? [0, -9.81, 0] : [0, 0, -9.81], bodies: [], joints: [], forces: [] },
  };
}

function setTheme(dark: boolean): void {
  document.documentElement.dataset.theme = dark ? "dark" : "light";
}

async function begin(): Promise<void> {
  setTheme(matchMedia("(prefers-color-scheme: dark)").matches);
  setLanguage(navigator.language.startsWith("de") ? "de" : "en");
  const studio = new Studio();
  (window as unknown as { studio: unknown }).studio = studio.api();
  await studio.begin();
  document.documentElement.dataset.ready = "true";
}

void begin();
