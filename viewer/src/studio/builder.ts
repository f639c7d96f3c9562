// builder.ts - a model built by hand: one chooses what to add and clicks where it is. What comes of it is text.
import { make } from "../panels";
import { niceLength } from "../compass";
import type { Stage } from "../stage";
import { freeName, setValue } from "./edit";
import type { Editor } from "./editor";
import { find, outline, type Entry } from "./outline";
import type { Picture } from "./picture";
import { word, type Word } from "./words";

const DRAGGED = 5; // pixels
const NEAR = 14; // pixels: a place so near to a point is that point
const ON = 0.005; // of the scene's size: a shape so near to a place is there
const kinds = ["rod", "ball", "revolute", "prismatic", "spherical", "fixed", "spring", "torque", "force", "contact", "beam", "parameter", "input"] as const;
type Kind = typeof kinds[number];
const clicks: Partial<Record<Kind, number>> = { rod: 2, ball: 1, revolute: 1, prismatic: 1, spherical: 1, fixed: 1, spring: 2, force: 1, beam: 2 };

interface Spot { at: number[]; name: string | null; bodies: string[] } // name: of a point there

// Places come as single-precision numbers: what is nearly a short one is that one.
const round = (x: number) => { const few = Number(x.toPrecision(5)); return Math.abs(x - few) < 3e-6 * Math.abs(x) ? few : Number(x.toPrecision(8)) || 0; };
const six = (x: number) => Number(x.toPrecision(6));
// Beside what is large nothing is left of a rounding error.
const list = (x: number[], size = 0) => { const most = Math.max(size, ...x.map(Math.abs)); return `[${x.map((v) => (Math.abs(v) < 1e-5 * most ? 0 : round(v))).join(", ")}]`; };

export class Builder {
  private kind: Kind | null = null;
  private spots: Spot[] = [];
  cursor: number[] | null = null; // the place that keys move, or that is pointed at
  under = ""; // a point that is there

  // chosen: the item that the tree has chosen.
  constructor(private editor: Editor, private picture: Picture, private added: (path: string[]) => void, private chosen: () => string[]) {
    const canvas = document.getElementById("canvas")!;
    let from = [0, 0]; // what is dragged turns the picture, and is no place
    canvas.addEventListener("pointerdown", (e) => { from = [e.clientX, e.clientY]; });
    canvas.addEventListener("pointerup", (e) => {
      if (this.kind && this.picture.stage && e.button === 0 && Math.hypot(e.clientX - from[0], e.clientY - from[1]) < DRAGGED) this.click(this.picture.stage, e.clientX, e.clientY);
    });
    canvas.addEventListener("keydown", (e) => this.key(e));
  }

  // Arrows move the cursor in the plane that is built in, Enter takes its place, Escape gives up.
  private key(e: KeyboardEvent): void {
    const stage = this.picture.stage;
    if (!this.kind || !stage || e.ctrlKey || e.metaKey || e.altKey) return;
    const across = this.normal(stage).indexOf(1), [right, up] = [0, 1, 2].filter((k) => k !== across), at = this.cursor ?? [0, 0, 0];
    const step = niceLength(0.1 * stage.mechanisms[0].result.scene!.size), move = (k: number, by: number) => at.map((x, i) => (i === k ? round(x + by * step) : x));
    if (e.key === "ArrowRight" || e.key === "ArrowLeft") this.cursor = move(right, e.key === "ArrowRight" ? 1 : -1);
    else if (e.key === "ArrowUp" || e.key === "ArrowDown") this.cursor = move(up, e.key === "ArrowUp" ? 1 : -1);
    else if (e.key === "Enter") this.take({ ...this.snap(stage, ...stage.pixel(at), at)!, at });
    else if (e.key === "Escape") {
      this.kind = null;
      this.added([]);
    } else return;
    if (!this.kind) this.cursor = null;
    this.under = "";
    stage.draw();
    e.preventDefault();
    e.stopPropagation();
  }

  // What there is to add, as buttons and a list.
  // Of a robot file nothing is built here: its text is no model's.
  private isRobot(): boolean {
    return /^\s*</.test(this.editor.text());
  }

  tools(): HTMLElement[] {
    if (this.isRobot()) return [make("p", { className: "hint", id: "isrobot", textContent: word("isRobot") })];
    const choice = make("select", { id: "adder" });
    choice.setAttribute("aria-label", word("addItem"));
    choice.add(new Option(word("addItem"), ""));
    for (const k of kinds) choice.add(new Option(word(`k_${k}` as Word), k));
    choice.onchange = () => { const k = choice.value as Kind | ""; choice.value = ""; if (k) this.start(k); };
    const parts: HTMLElement[] = [choice];
    if (outline(this.editor.view.state).children.length === 0) parts.push(make("button", { id: "inplane", textContent: word("inPlane"), onclick: () => this.begin(true) }));
    if (this.kind) {
      parts.push(make("span", { className: "hint", id: "asked", textContent: word(this.spots.length === 0 ? (clicks[this.kind] === 2 ? "clickFirst" : "clickPlace") : "clickSecond") }),
        make("button", { id: "defaultplace", textContent: word("byDefault"), onclick: () => this.finish() }),
        make("button", { textContent: word("cancel"), onclick: () => { this.kind = null; this.added([]); } }));
    }
    return parts;
  }

  // A model without bodies, in the plane or in space.
  begin(planar: boolean): void {
    this.head(planar);
    this.added([]);
  }

  // Nothing of it could move yet.
  isBare(): boolean {
    const root = outline(this.editor.view.state);
    return root.children.length > 0 && !["bodies", "equations", "parts", "particles", "fmus"].some((section) => find(root, [section]));
  }

  isPlacing(): boolean {
    return this.kind !== null;
  }

  // What is there already that it needs.
  private missing(kind: Kind): Word | null {
    if (kind === "torque") return this.motorJoint() ? null : "needsJoint";
    const free = kind === "rod" || kind === "ball" || kind === "beam" || kind === "parameter" || kind === "input";
    return free || this.bodies().length > 0 ? null : "needsBody";
  }

  private start(kind: Kind): void {
    const missing = this.missing(kind);
    if (missing) {
      this.picture.say(word(missing));
      return;
    }
    this.kind = kind;
    this.spots = [];
    if (!clicks[kind]) {
      this.finish();
      return;
    }
    this.cursor = [0, 0, 0];
    document.getElementById("canvas")!.focus(); // no field has it: what is asked for is shown
    this.added([]);
    this.picture.stage?.draw();
  }

  // ---- places -------------------------------------------------------------------------------------

  planar(): boolean {
    const e = find(outline(this.editor.view.state), ["dimension"]);
    return e?.value ? this.editor.view.state.sliceDoc(e.value.from, e.value.to) === "2" : false;
  }

  // The plane of the axes that is seen most from the front; upright ones rather than the ground.
  private normal(stage: Stage): number[] {
    if (this.planar()) return [0, 0, 1];
    const d = stage.direction().map(Math.abs), upright = [d[0], d[1], 0.5 * d[2]], most = upright.indexOf(Math.max(...upright));
    return [0, 1, 2].map((k) => (k === most ? 1 : 0));
  }

  // Points of bodies, by name and place, in the picture as it is.
  private points(stage: Stage): { name: string; body: string; at: number[] }[] {
    const m = stage.mechanisms[0], scene = m.result.scene!, written = this.bodies(), beams = new Set(scene.bodies.filter((b) => b.name.endsWith(".end")).map((b) => b.name.slice(0, -4)));
    return scene.bodies.flatMap((b) => [b.name, ...b.points.map((p) => `${b.name}.${p.name}`)].flatMap((name) => {
      const at = m.position(name), of = written.find((w) => b.name.startsWith(`${w}.`)); // b: a node of a beam
      const called = name !== b.name || of ? name : beams.has(name) ? `${name}.start` : "";
      return at ? [{ name: called, body: of ?? b.name, at: [...at] }] : [];
    }));
  }

  // The place under a pixel in the plane through another one: a point of a body where one is near, the origin, or a place of the
  // grid. without: a body whose own points do not count. null: the plane is not seen there.
  snap(stage: Stage, x: number, y: number, through: number[], without?: string): Spot | null {
    const hit = stage.place(x, y, this.normal(stage), through);
    if (!hit) return null;
    const near = this.points(stage).filter((p) => p.body !== without).map((p) => ({ ...p, far: Math.hypot(...stage.pixel(p.at).map((v, i) => v - [x, y][i])) })).filter((p) => p.far < NEAR).sort((a, b) => a.far - b.far);
    const step = niceLength(12 * hit.pixel), snapped = hit.at.map((v) => round(step * Math.round(v / step)));
    const [px, py] = stage.pixel([0, 0, 0]);
    const at = near[0]?.at ?? (Math.hypot(px - x, py - y) < NEAR ? [0, 0, 0] : snapped);
    const called = near.find((p) => p.name); // its body comes first: a place by name is on that one
    return { at, name: called?.name ?? null, bodies: [...new Set([...(called ? [called.body] : []), ...near.map((p) => p.body)])] };
  }

  // As the text has them.
  coordinates(at: number[]): string {
    return list(this.planar() ? at.slice(0, 2) : at, this.picture.result?.scene?.size);
  }

  // The pointer is there, and nothing is pressed.
  point(stage: Stage, x: number, y: number): void {
    const spot = this.snap(stage, x, y, this.spots[0]?.at ?? [0, 0, 0]);
    this.cursor = spot?.at ?? this.cursor;
    this.under = spot?.name ?? spot?.bodies[0] ?? "";
  }

  // Where it begins, of what has two places.
  first(): number[] | null {
    return this.kind ? this.spots[0]?.at ?? null : null;
  }

  private click(stage: Stage, x: number, y: number): void {
    const spot = this.snap(stage, x, y, this.spots[0]?.at ?? [0, 0, 0]);
    if (spot) this.take(spot);
  }

  // Bodies whose shape is at a place, as the middle of a bar is, which is no point of it.
  private around(at: number[]): string[] {
    const m = this.picture.stage?.mechanisms[0], there = m?.around(at, ON * m.result.scene!.size) ?? [];
    return this.bodies().filter((b) => there.includes(b));
  }

  private take(spot: Spot): void {
    this.spots.push({ ...spot, bodies: [...new Set([...spot.bodies, ...this.around(spot.at)])] });
    if (this.spots.length >= (clicks[this.kind!] ?? 0)) this.finish();
    else this.added([]);
  }

  // ---- what comes of it -------------------------------------------------------------------------------

  private finish(): void {
    const kind = this.kind!, s = this.spots;
    this.kind = null;
    this.spots = [];
    const path = this.write(kind, s);
    this.added(path);
  }

  // A body whose shape is a file of the folder.
  addMesh(file: string): void {
    if (this.isRobot()) {
      this.picture.say(word("isRobot"));
      return;
    }
    this.head();
    const state = this.editor.view.state, name = freeName(state, file.replace(/\.\w+$/, "").replace(/\W/g, "_").replace(/^(?=\d)/, "m"));
    this.editor.edit(setValue(state, ["bodies", name], `\n    type: rigid\n    mass: 1\n    inertia: ${this.planar() ? "0.01" : "[0.01, 0.01, 0.01]"}\n    shape: {mesh: ${file}, scale: 1}`));
    this.added(["bodies", name]);
  }

  // A model that says nothing yet gets what every model needs, below its comments.
  private head(planar = false): void {
    const state = this.editor.view.state, root = outline(state);
    if (root.children.length > 0) return;
    const axes = planar ? "dimension: 2\ngravity: [0, -9.81]" : "gravity: [0, 0, -9.81]";
    const there = state.doc.toString(), from = there.trim() === "" ? 0 : state.doc.length;
    this.editor.edit([{ from, to: state.doc.length, insert: `${from > 0 && !there.endsWith("\n") ? "\n" : ""}flexion: 1\n${axes}\n\nsimulate: {until: 5}\n\noutputs:\n  every: 0.02\n  signals: [energy]\n` }]);
  }

  // The joint that is chosen, else the first one without a motor; of those that have one coordinate.
  private motorJoint(): { name: string; turns: boolean } | null {
    const state = this.editor.view.state, root = outline(state), [section, item] = this.chosen(), text = (e: Entry | null) => (e?.value ? state.sliceDoc(e.value.from, e.value.to) : "");
    const joints = (find(root, ["joints"])?.children ?? []).map((j) => ({ name: j.key, type: text(find(j, ["type"])) })).filter((j) => j.type === "revolute" || j.type === "prismatic");
    const driven = new Set((find(root, ["forces"])?.children ?? []).map((f) => text(find(f, ["on"]))));
    const j = joints.find((x) => section === "joints" && x.name === item) ?? joints.find((x) => x.type === "revolute" && !driven.has(x.name)) ?? joints.find((x) => !driven.has(x.name)) ?? joints[0];
    return j ? { name: j.name, turns: j.type === "revolute" } : null;
  }

  // As the picture has them: of a body that is repeated each by its number.
  private bodies(): string[] {
    const drawn = this.picture.result?.scene?.bodies.map((b) => b.name) ?? [];
    return find(outline(this.editor.view.state), ["bodies"])?.children.flatMap((c) => (find(c, ["repeat"]) ? drawn.filter((b) => b.startsWith(`${c.key}(`) && b.endsWith(")")) : [c.key])) ?? [];
  }

  private write(kind: Kind, spots: Spot[]): string[] {
    this.head();
    const planar = this.planar(), size = this.picture.result?.scene?.size ?? 1, cut = (x: number[]) => list(planar ? x.slice(0, 2) : x, size);
    const put = (section: string, wish: string, text: string): string[] => {
      const name = freeName(this.editor.view.state, wish);
      this.editor.edit(setValue(this.editor.view.state, [section, name], text));
      return [section, name];
    };
    const all = this.bodies(), [section, item] = this.chosen(), last = (section === "bodies" && all.find((b) => b === item)) || (all[all.length - 1] ?? "ground"), normal = planar ? "" : `, axis: ${list(this.picture.stage ? this.normal(this.picture.stage) : [0, 1, 0])}`;
    if (kind === "rod" || kind === "ball") return put("bodies", kind === "rod" ? "rod" : "ball", kind === "rod" ? rod(spots, planar) : ball(spots, planar));
    if (kind === "beam") {
      const [a, b] = ends(spots);
      const path = put("bodies", "beam", `{type: beam, from: ${cut(a)}, to: ${cut(b)}, elements: 8, section: {radius: ${round(0.01 * length(a, b))}}, material: {E: 2.1e11, nu: 0.3, density: 7850}, damping: {rayleigh: [0, 1e-4]}}`);
      this.output(`${path[1]}.end.position.${planar ? "y" : "z"}`);
      return path;
    }
    const [first, second] = this.pair(spots[0], last), at = spots[0]?.name ?? cut(spots[0]?.at ?? this.origin(second));
    if (kind === "revolute" || kind === "prismatic") {
      const path = put("joints", kind === "revolute" ? "hinge" : "guide", `{type: ${kind}, on: [${first}, ${second}], at: ${at}${kind === "prismatic" ? `, axis: ${cut([1, 0, 0])}` : normal}}`);
      this.output(`${path[1]}.${kind === "revolute" ? "angle" : "displacement"}`);
      return path;
    }
    if (kind === "spherical" || kind === "fixed") return put("joints", kind === "fixed" ? "weld" : "ball_joint", `{type: ${kind}, on: [${first}, ${second}], at: ${at}}`);
    if (kind === "spring") {
      const on = this.between(spots, last), at = ends(spots).map((p, i) => (spots[i]?.name && spots[i].bodies[0] === on[i] ? spots[i].name : cut(p)));
      return put("forces", "spring", `{type: spring, on: [${on.join(", ")}], at: [${at.join(", ")}], stiffness: 100, damping: 1}`);
    }
    if (kind === "torque") {
      const { name: joint, turns } = this.motorJoint()!, input = put("inputs", turns ? "T" : "F", `{value: 0, unit: ${turns ? "N m" : "N"}, lower: -5, upper: 5}`);
      return put("forces", "motor", `{type: ${turns ? "torque" : "force"}, on: ${joint}, value: ${input[1]}}`);
    }
    if (kind === "force") {
      const on = spots[0]?.bodies[0] ?? last, at = spots[0] && (spots[0].name ?? cut(spots[0].at));
      return put("forces", "force", `{type: force, on: ${on}, ${at ? `at: ${at}, ` : ""}value: ${cut([0, planar ? -10 : 0, -10])}}`);
    }
    if (kind === "contact") return put("forces", "contact", `{type: contact, on: [ground, ${last}], surfaces: [{plane: ${planar ? "[0, 1]" : "[0, 0, 1]"}}, {sphere: ${this.radiusOf(last)}}], law: hunt-crossley, stiffness: 1e5, restitution: 0.5${this.joined("ground", last) ? ", connected: true" : ""}}`);
    if (kind === "input") return put("inputs", "u", "{value: 0, lower: -1, upper: 1}");
    return put("parameters", "p", "1");
  }

  // Of the sphere that the text draws the body with.
  private radiusOf(body: string): string {
    const state = this.editor.view.state, e = find(outline(state), ["bodies", body, "shape", "sphere"]);
    return e?.value ? state.sliceDoc(e.value.from, e.value.to) : "0.05";
  }

  // The two bodies that a place belongs to.
  private pair(spot: Spot | undefined, last: string): [string, string] {
    const b = spot?.bodies ?? [];
    const all = this.bodies(), order = [b[0], b[1]].sort((x, y) => all.indexOf(x) - all.indexOf(y)); // as the text has them
    if (b.length > 1 && !this.joined(b[0], b[1])) return [order[0], order[1]];
    // of two that are joined already the one that begins there, as a ball does at the end of a bar
    return ["ground", (b.length > 1 ? b.find((name) => near(this.origin(name), spot!.at)) : b[0]) ?? b[0] ?? last];
  }

  // Of two ends: what is in the air is on the ground, but not both of them.
  private between(spots: Spot[], last: string): [string, string] {
    const [a, b] = [spots[0]?.bodies ?? [], spots[1]?.bodies ?? []], first = a.find((name) => name !== b[0]) ?? a[0];
    return [first ?? "ground", b.find((name) => name !== first) ?? (first ? "ground" : last)];
  }

  private joined(a: string, b: string): boolean {
    const state = this.editor.view.state;
    return find(outline(state), ["joints"])?.children.some((c) => {
      const on = find(c, ["on"])?.value, names = on ? state.sliceDoc(on.from, on.to).split(/[[\],\s]+/) : [];
      return names.includes(a) && names.includes(b);
    }) ?? false;
  }

  private origin(body: string): number[] {
    return [...(this.picture.stage?.mechanisms[0]?.position(body) ?? [0, 0, 0])];
  }

  // A signal more among the outputs, where these are a list.
  private output(signal: string): void {
    const state = this.editor.view.state, e = find(outline(state), ["outputs", "signals"]);
    if (e?.kind !== "list" || !e.flow || e.children.length === 0) return;
    const last = e.children[e.children.length - 1], energy = state.sliceDoc(last.from, last.to) === "energy"; // stays the last one
    this.editor.edit([energy ? { from: last.from, insert: `${signal}, ` } : { from: last.to, insert: `, ${signal}` }]);
  }
}

const near = (a: number[], b: number[]) => length(a, b) < 1e-5 * Math.max(1, ...a.map(Math.abs));
const length = (a: number[], b: number[]) => Math.hypot(...a.map((x, i) => x - b[i]));

function ends(spots: Spot[]): [number[], number[]] {
  const a = spots[0]?.at ?? [0, 0, 0], b = spots[1]?.at ?? [a[0] + 1, a[1], a[2]];
  return length(a, b) > 0 ? [a, b] : [a, [a[0] + 1, a[1], a[2]]];
}

// A bar from place to place: its inertia is that of its shape.
function rod(spots: Spot[], planar: boolean): string {
  const [a, b] = ends(spots), L = length(a, b), w = Number((0.05 * L).toPrecision(3)), d = b.map((x, i) => (x - a[i]) / L), across = (L * L + w * w) / 12;
  const position = spots[0]?.name ?? list(planar ? a.slice(0, 2) : a, L), lines = ["", "type: rigid", "mass: 1"];
  if (planar) lines.push(`com: [${round(L / 2)}, 0]`, `inertia: ${six(across)}`, `position: ${position}`, `orientation: ${round(Math.atan2(d[1], d[0]))}`, `points: {end: [${round(L)}, 0]}`);
  else {
    lines.push(`com: [${round(L / 2)}, 0, 0]`, `inertia: ${list([w * w / 6, across, across].map(six))}`, `position: ${position}`);
    if (length(d, [1, 0, 0]) > 1e-9) lines.push(`orientation: {x: ${list(d)}, y: ${list(Math.abs(d[1]) > 0.9 ? [0, 0, 1] : [0, 1, 0])}}`);
    lines.push(`points: {end: [${round(L)}, 0, 0]}`);
  }
  lines.push(`shape: {box: [${round(L)}, ${w}, ${w}], at: [${round(L / 2)}, 0, 0]}`);
  return lines.join("\n    ");
}

function ball(spots: Spot[], planar: boolean): string {
  const r = 0.1, I = 0.4 * r * r, at = spots[0]?.at ?? [0, 0, 1];
  return ["", "type: rigid", "mass: 1", `inertia: ${planar ? round(I) : list([I, I, I])}`, `position: ${list(planar ? at.slice(0, 2) : at)}`, `shape: {sphere: ${r}}`].join("\n    ");
}
