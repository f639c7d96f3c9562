// tags.ts - words on the picture, at places of the scene: names of bodies, values of forces. Where two would lie on each
// other, the later one moves aside, or is left out.
import * as THREE from "three";

export interface Tag { at: THREE.Vector3; text: string; kind: string }
interface Box { x: number; y: number; w: number; h: number }

const aside = [[8, -20], [8, 4], [-1, -20], [-1, 4], [8, -38], [8, 22], [-1, -38], [-1, 22]]; // x: -1 is to the left

export class Tags {
  private pool: HTMLElement[] = [];

  constructor(private layer: HTMLElement) {}

  begin(): Box[] {
    for (const e of this.pool) e.hidden = true;
    return [];
  }

  // Puts those of one view; used: how many are there already, and where.
  put(tags: Tag[], camera: THREE.Camera, view: { x: number; width: number; height: number }, used: Box[]): void {
    const p = new THREE.Vector3();
    for (const tag of tags) {
      p.copy(tag.at).project(camera);
      const x = view.x + 0.5 * (p.x + 1) * view.width, y = 0.5 * (1 - p.y) * view.height;
      if (!(Math.abs(p.x) <= 1 && Math.abs(p.y) <= 1 && p.z < 1)) continue;
      const w = 7 * tag.text.length + 8, h = 18;
      for (const [dx, dy] of aside) {
        const box = { x: dx < 0 ? x - w - 8 : x + dx, y: y + dy, w, h };
        const free = box.x >= view.x && box.x + w <= view.x + view.width && used.every((o) => box.x + w < o.x || o.x + o.w < box.x || box.y + h < o.y || o.y + o.h < box.y);
        if (!free) continue;
        const e = this.take(used.length);
        used.push(box);
        e.className = `tag ${tag.kind}`;
        if (e.textContent !== tag.text) e.textContent = tag.text;
        e.style.transform = `translate(${Math.round(box.x)}px, ${Math.round(box.y)}px)`;
        e.hidden = false;
        break;
      }
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
