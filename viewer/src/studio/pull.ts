// pull.ts - the pointer pulls a body of what is live: a line from where it was taken to the pointer.
import type { Picture } from "./picture";

const KEY = 25; // pixels that a key pulls further
const byId = (id: string) => document.getElementById(id)!;
const numbers = (x: number[]) => x.map((v) => v.toPrecision(6)).join(" ");

export class Pull {
  private held: { body: string; local: number[]; view: number } | null = null;
  private to = [0, 0]; // pixels
  private line = document.createElementNS("http://www.w3.org/2000/svg", "svg");

  // say: a word about something to the run whose mechanism it is; of several words about one thing the last counts.
  constructor(private picture: Picture, private say: (view: number, about: string, line: string) => void) {
    const canvas = byId("canvas");
    this.line.setAttribute("class", "pull");
    byId("stage").append(this.line);
    canvas.addEventListener("keydown", this.key);
    canvas.addEventListener("pointerdown", this.grab, true);
    canvas.addEventListener("pointermove", this.move, true);
    window.addEventListener("pointerup", this.release, true);
    window.addEventListener("pointercancel", this.release, true);
  }

  close(): void {
    const canvas = byId("canvas");
    canvas.removeEventListener("keydown", this.key);
    canvas.removeEventListener("pointerdown", this.grab, true);
    canvas.removeEventListener("pointermove", this.move, true);
    window.removeEventListener("pointerup", this.release, true);
    window.removeEventListener("pointercancel", this.release, true);
    if (this.picture.stage) this.picture.stage.controls.enabled = true;
    this.line.remove();
  }

  private group(view: number, body: string) {
    return this.picture.stage!.mechanisms[view]?.bodies.find((b) => b.name === body);
  }

  private grab = (e: PointerEvent): void => {
    const stage = this.picture.stage, hit = stage?.hit(e.clientX, e.clientY);
    if (!stage || !hit || e.button !== 0) return;
    const { name, at, view } = hit, group = this.group(view, name);
    if (!group) return;
    const local = group.worldToLocal(group.position.clone().fromArray(at)).toArray();
    if (stage.mechanisms[view].result.scene!.dimension === 2) local[2] = 0;
    stage.controls.enabled = false;
    this.held = { body: name, local, view };
    this.say(view, "grab", `grab ${name} ${numbers(local)}`);
    this.to = [e.clientX, e.clientY];
    this.say(view, "pull", `pull ${numbers(at)}`);
    e.preventDefault();
    e.stopPropagation();
  };

  // To the place under the pointer, in the plane across the eye through the place of the body.
  private move = (e: PointerEvent): void => {
    const held = this.held, stage = this.picture.stage, from = this.grabbed();
    if (!held || !stage || !from) return;
    const at = stage.place(e.clientX, e.clientY, stage.direction(), from)?.at;
    this.to = [e.clientX, e.clientY];
    if (at) this.say(held.view, "pull", `pull ${numbers(at)}`);
    this.draw();
    e.stopPropagation();
  };

  // The body that is chosen, by its origin: arrows with Shift pull it across the picture, Enter lets it go.
  private key = (e: KeyboardEvent): void => {
    const stage = this.picture.stage, name = stage?.selected(), group = name ? this.group(0, name) : null;
    const way = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[e.key];
    if (e.key === "Enter" && this.held) this.release();
    if (!stage || !name || !group || !e.shiftKey || !way) return;
    if (!this.held) {
      this.held = { body: name, local: [0, 0, 0], view: 0 };
      this.to = stage.pixel(group.position.toArray());
      this.say(0, "grab", `grab ${name} 0 0 0`);
    }
    this.to = this.to.map((x, i) => x + KEY * way[i]);
    const at = stage.place(this.to[0], this.to[1], stage.direction(), this.grabbed()!)?.at;
    if (at) this.say(0, "pull", `pull ${numbers(at)}`);
    this.draw();
    e.preventDefault();
  };

  private release = (): void => {
    if (!this.held) return;
    this.say(this.held.view, "pull", "let");
    this.held = null;
    this.picture.stage!.controls.enabled = true;
    this.draw();
  };

  private grabbed(): number[] | null {
    const group = this.held ? this.group(this.held.view, this.held.body) : null;
    return group ? group.localToWorld(group.position.clone().fromArray(this.held!.local)).toArray() : null;
  }

  draw(): void {
    const from = this.grabbed();
    this.line.replaceChildren();
    if (!from) return;
    const box = byId("stage").getBoundingClientRect(), [x, y] = this.picture.stage!.pixel(from, this.held!.view), l = document.createElementNS("http://www.w3.org/2000/svg", "line");
    const ends = { x1: x - box.left, y1: y - box.top, x2: this.to[0] - box.left, y2: this.to[1] - box.top };
    for (const [k, v] of Object.entries(ends)) l.setAttribute(k, String(v));
    this.line.append(l);
  }
}
