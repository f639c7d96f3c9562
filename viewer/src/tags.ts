// tags.ts - words on the picture, at places of the scene: names of bodies, values of forces. Where two would lie on each
// other, the later one moves aside, or is left out.
import * as THREE from "three";

export interface Tag { at: THREE.Vector3; text: string; kind: string }
interface Box { x: number; y: number; w: number; h: number }

const aside = [[8, -20], [8, 4], [-1, -20], [-1, 4], [8, -38], [8, 22], [-1, -38], [-1, 22]]; // x: -1 is to the left

export class Tags {
  private pool: HTMLElement[] = [];
  private used: Box[] = []; // where something is already
  private count = 0;

  // beside: what else lies on the picture.
  constructor(private layer: HTMLElement, private beside: HTMLElement[]) {}

  begin(): void {
    for (const e of this.pool) e.hidden = true;
    this.used = [];
    this.count = 0;
  }

  private reserve(): void {
    const from = this.layer.getBoundingClientRect();
    this.used = this.beside.map((e) => e.getBoundingClientRect()).map((b) => ({ x: b.left - from.left, y: b.top - from.top, w: b.width, h: b.height }));
  }

  // Puts those of one view.
  put(tags: Tag[], camera: THREE.Camera, view: { x: number; width: number; height: number }): void {
    if (tags.length > 0 && this.used.length === 0) this.reserve();
    const p = new THREE.Vector3();
    for (const tag of tags) {
      p.copy(tag.at).project(camera);
      const x = view.x + 0.5 * (p.x + 1) * view.width, y = 0.5 * (1 - p.y) * view.height;
      if (!(Math.abs(p.x) <= 1 && Math.abs(p.y) <= 1 && p.z < 1)) continue;
      const w = 7 * tag.text.length + 8, h = 18;
      const box = aside.map(([dx, dy]) => ({ x: dx < 0 ? x - w - 8 : x + dx, y: y + dy, w, h }))
        .find((b) => b.x >= view.x && b.x + w <= view.x + view.width && this.used.every((o) => apart(b, o)));
      if (!box) continue;
      this.used.push(box);
      const e = this.take(this.count++);
      e.className = `tag ${tag.kind}`;
      if (e.textContent !== tag.text) e.textContent = tag.text;
      e.style.transform = `translate(${Math.round(box.x)}px, ${Math.round(box.y)}px)`;
      e.hidden = false;
    }
  }

  private take(i: number): HTMLElement {
    while (this.pool.length <= i) {
      const e = document.createElement("span");
      this.pool.push(e);
      this.layer.append(e);
    }
    return this.pool[i];
  }
}

function apart(a: Box, b: Box): boolean {
  return a.x + a.w < b.x || b.x + b.w < a.x || a.y + a.h < b.y || b.y + b.h < a.y;
}
