// handles.ts - places of the body that is chosen, which the pointer drags: its origin and its points, as far as the text has
// their numbers. What comes of it is one edit of the text, and undo takes it back.
import type { Builder } from "./builder";
import { setValue } from "./edit";
import type { Editor } from "./editor";
import { find, outline } from "./outline";
import type { Picture } from "./picture";
import type { Stage } from "../stage";

const NEAR = 9; // pixels
const ARROW = 44, HEAD = 9; // pixels
const MOST_FORCES = 60; // that are marked
const SVG = "http://www.w3.org/2000/svg";
const byId = (id: string) => document.getElementById(id)!;

interface Handle { path: string[]; body: string; at: number[] } // at: in the scene

export class Handles {
  private body: string | null = null;
  private held: { handle: Handle; to: number[] } | null = null;
  private marks = document.createElementNS(SVG, "svg");

  // allowed: nothing else has the pointer.
  constructor(private editor: Editor, private picture: Picture, private builder: Builder, private allowed: () => boolean) {
    const canvas = byId("canvas");
    this.marks.setAttribute("class", "handles");
    byId("stage").append(this.marks);
    canvas.addEventListener("pointerdown", this.take, true);
    canvas.addEventListener("pointermove", this.move, true);
    window.addEventListener("pointerup", this.drop, true);
  }

  choose(body: string | null): void {
    this.body = body;
    this.draw();
  }

  // Places whose coordinates are plain numbers: those that are expressions belong to the text.
  list(): Handle[] {
    const state = this.editor.view.state, body = this.body, m = this.picture.stage?.mechanisms[0];
    if (!body || !m || this.picture.player || !this.allowed()) return [];
    const root = outline(state), names: [string[], string][] = [[["bodies", body, "position"], body]];
    for (const p of find(root, ["bodies", body, "points"])?.children ?? []) names.push([["bodies", body, "points", p.key], `${body}.${p.key}`]);
    return names.flatMap(([path, name]) => {
      const e = find(root, path), text = e?.value ? state.sliceDoc(e.value.from, e.value.to) : "", at = m.position(name);
      return at && /^\[[-+\d.eE,\s]*\]$/.test(text) ? [{ path, body, at: [...at] }] : [];
    });
  }

  private take = (e: PointerEvent): void => {
    const stage = this.picture.stage;
    if (!stage || e.button !== 0) return;
    const far = (h: Handle) => Math.hypot(...stage.pixel(h.at).map((v, i) => v - [e.clientX, e.clientY][i]));
    const handle = this.list().filter((h) => far(h) < NEAR).sort((a, b) => far(a) - far(b))[0];
    if (!handle) return;
    this.held = { handle, to: handle.at };
    stage.controls.enabled = false;
    e.preventDefault();
    e.stopPropagation();
  };

  private move = (e: PointerEvent): void => {
    const stage = this.picture.stage, held = this.held;
    if (stage && this.builder.isPlacing() && e.buttons === 0) {
      this.builder.point(stage, e.clientX, e.clientY);
      this.draw();
    }
    if (!stage || !held) return;
    held.to = this.builder.snap(stage, e.clientX, e.clientY, held.handle.at, held.handle.body)?.at ?? held.to;
    this.draw();
    e.stopPropagation();
  };

  private drop = (): void => {
    const held = this.held, stage = this.picture.stage;
    this.held = null;
    if (!held || !stage) return;
    stage.controls.enabled = true;
    const { handle, to } = held, group = stage.mechanisms[0].bodies.find((b) => b.name === handle.body);
    if (!group || to.every((x, i) => x === handle.at[i])) return;
    group.updateMatrixWorld(true);
    const local = handle.path[2] === "points" ? group.worldToLocal(group.position.clone().fromArray(to)).toArray() : to;
    this.editor.edit(setValue(this.editor.view.state, handle.path, this.builder.coordinates(local)));
    this.draw();
  };

  // Also when the eye has moved.
  draw(): void {
    const stage = this.picture.stage, box = byId("stage").getBoundingClientRect();
    this.marks.replaceChildren();
    if (!stage) return;
    const mark = (at: number[], name: string) => {
      const [x, y] = stage.pixel(at), c = document.createElementNS(SVG, "circle");
      for (const [k, v] of Object.entries({ cx: x - box.left, cy: y - box.top, r: 6, class: name })) c.setAttribute(k, String(v));
      this.marks.append(c);
      return [x - box.left, y - box.top];
    };
    if (this.allowed() && !this.picture.player) this.forces(stage, box);
    for (const h of this.list()) mark(h.at, "handle");
    const at = this.held?.to ?? (this.builder.isPlacing() ? this.builder.cursor : null), first = this.held ? null : this.builder.first();
    if (!at) return;
    if (first) this.line(stage.pixel(first), stage.pixel(at), box);
    const [x, y] = mark(at, "held"), text = document.createElementNS(SVG, "text");
    text.setAttribute("x", String(x + 10));
    text.setAttribute("y", String(y - 10));
    text.textContent = `${this.builder.coordinates(at)} ${this.held ? "" : this.builder.under}`;
    this.marks.append(text);
  }

  // Where forces act that nothing else is drawn of: as arrows of one length where the text has their numbers, else as dots.
  private forces(stage: Stage, box: DOMRect): void {
    const state = this.editor.view.state, root = outline(state), m = stage.mechanisms[0], scene = m?.result.scene;
    for (const f of scene?.forces.filter((x) => x.type === "force").slice(0, MOST_FORCES) ?? []) {
      const e = find(root, ["forces", f.name, "value"]), text = e?.value ? state.sliceDoc(e.value.from, e.value.to) : "", at = m.placeOf(f, 1).toArray();
      if (!text.startsWith("[")) continue; // along a joint, whose symbol is there
      const numbers = text.slice(1, -1).split(",").map(Number), plain = numbers.every(Number.isFinite) && !find(root, ["forces", f.name, "frame"]), v = plain ? numbers : [];
      const size = Math.hypot(...v), a = stage.pixel(at).map((c, i) => c - [box.left, box.top][i]), g = document.createElementNS(SVG, "g");
      const to = size > 0 ? stage.pixel(at.map((c, i) => c + 0.1 * scene!.size * (v[i] ?? 0) / size)).map((c, i) => c - [box.left, box.top][i]) : a;
      const away = Math.hypot(to[0] - a[0], to[1] - a[1]);
      g.setAttribute("class", "force");
      g.dataset.name = f.name;
      const add = (tag: string, attributes: Record<string, string | number>) => {
        const part = document.createElementNS(SVG, tag);
        for (const [k, x] of Object.entries(attributes)) part.setAttribute(k, String(x));
        g.append(part);
      };
      if (away > 1) {
        const [x, y] = [(to[0] - a[0]) / away, (to[1] - a[1]) / away], tip = [a[0] + ARROW * x, a[1] + ARROW * y], back = [tip[0] - HEAD * x, tip[1] - HEAD * y];
        add("line", { x1: a[0], y1: a[1], x2: back[0], y2: back[1] });
        add("polygon", { points: [tip, [back[0] - 0.5 * HEAD * y, back[1] + 0.5 * HEAD * x], [back[0] + 0.5 * HEAD * y, back[1] - 0.5 * HEAD * x]].map((p) => p.join(",")).join(" ") });
      } else add("circle", { cx: a[0], cy: a[1], r: 4 });
      this.marks.append(g);
    }
  }

  // What is built reaches from the first place to the one that is pointed at.
  private line(a: number[], b: number[], box: DOMRect): void {
    const l = document.createElementNS(SVG, "line");
    for (const [k, v] of Object.entries({ x1: a[0] - box.left, y1: a[1] - box.top, x2: b[0] - box.left, y2: b[1] - box.top })) l.setAttribute(k, String(v));
    this.marks.append(l);
  }
}
