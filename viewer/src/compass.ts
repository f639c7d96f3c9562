// compass.ts - the cross of the ground's axes, and a bar that tells how large things are.
import { decimal } from "./labels";
import * as THREE from "three";

const REACH = 26; // pixels of an axis
const names = ["x", "y", "z"], colours = ["#d64545", "#3a9d4d", "#3b7dd8"];
const space = "http://www.w3.org/2000/svg";

export class Compass {
  private lines: SVGLineElement[] = [];
  private words: SVGTextElement[] = [];

  constructor(svg: Element, private bar: HTMLElement) {
    svg.replaceChildren();
    for (const k of [0, 1, 2]) {
      const line = document.createElementNS(space, "line"), word = document.createElementNS(space, "text");
      line.setAttribute("stroke", colours[k]);
      line.setAttribute("stroke-width", "2.5");
      line.setAttribute("stroke-linecap", "round");
      word.setAttribute("fill", colours[k]);
      word.textContent = names[k];
      this.lines.push(line);
      this.words.push(word);
      svg.append(line, word);
    }
  }

  // metres: of one pixel, at what is looked at.
  update(camera: THREE.Camera, metres: number): void {
    const inverse = camera.quaternion.clone().invert();
    [0, 1, 2].forEach((k) => {
      const d = new THREE.Vector3().setComponent(k, 1).applyQuaternion(inverse), away = Math.hypot(d.x, d.y) < 0.08;
      this.lines[k].setAttribute("x2", String(REACH * d.x));
      this.lines[k].setAttribute("y2", String(-REACH * d.y));
      this.words[k].setAttribute("x", String((REACH + 9) * d.x));
      this.words[k].setAttribute("y", String(-(REACH + 9) * d.y + 4));
      this.words[k].style.display = this.lines[k].style.display = away ? "none" : "";
    });
    const length = niceLength(110 * metres);
    if (!(length > 0)) return;
    this.bar.style.width = `${length / metres}px`;
    this.bar.textContent = inMetres(length);
  }
}

// The largest of 1, 2, 5 times a power of ten that is not larger.
export function niceLength(x: number): number {
  const p = 10 ** Math.floor(Math.log10(x)), m = x / p;
  return Number(((m >= 5 ? 5 : m >= 2 ? 2 : 1) * p).toPrecision(1));
}

export function inMetres(x: number): string {
  const [factor, unit] = x >= 1000 ? [1e-3, "km"] : x >= 1 ? [1, "m"] : x >= 0.01 ? [100, "cm"] : x >= 1e-3 ? [1000, "mm"] : [1e6, "µm"];
  return `${decimal(String(Number((factor * x).toPrecision(3))))} ${unit}`;
}
