// colours.ts - the scale of colours of flexible bodies, and its bar beside the picture.
import { decimal, say } from "./labels";

export type Colouring = "displacement" | "stress";

// From blue by green to red; the same as in pictures without a browser (src/draw/film_paint.c).
const marks = [[0.20, 0.30, 0.85], [0.15, 0.70, 0.85], [0.25, 0.75, 0.30], [0.95, 0.80, 0.20], [0.85, 0.20, 0.15]];
const STEPS = 256;

function mark(s: number): number[] {
  const x = 4 * Math.min(Math.max(s, 0), 1), k = Math.min(Math.floor(x), 3), f = x - k;
  return marks[k].map((c, i) => c + f * (marks[k + 1][i] - c));
}

// As the renderer wants colours: linear in light.
const table = new Float32Array(3 * STEPS);
for (let i = 0; i < STEPS; i++) {
  mark(i / (STEPS - 1)).forEach((c, k) => { table[3 * i + k] = c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; });
}

// Colours of values from 0 to largest, three numbers each; every value `each` times.
export function paint(values: Float32Array, largest: number, out: Float32Array, each = 1): void {
  const factor = largest > 0 ? (STEPS - 1) / largest : 0;
  let at = 0;
  for (let i = 0; i < values.length; i++) {
    let k = 3 * Math.round(Math.min(factor * values[i], STEPS - 1));
    if (!(k >= 0)) k = 0;
    for (let e = 0; e < each; e++, at += 3) {
      out[at] = table[k];
      out[at + 1] = table[k + 1];
      out[at + 2] = table[k + 2];
    }
  }
}

// 2.5e7 Pa is 25 MPa.
export function withUnit(x: number, unit: string): string {
  const steps: [number, string][] = [[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"]];
  const [factor, prefix] = steps.find(([f]) => x >= f) ?? [1, ""];
  return `${decimal(String(Number((x / factor).toPrecision(3))))} ${prefix}${unit}`;
}

// relative: of a mode's shape, whose size is nobody's.
export function showScale(bar: HTMLElement, what: Colouring, largest: number, relative: boolean): void {
  const stops = Array.from({ length: 9 }, (_, i) => `rgb(${mark(i / 8).map((c) => Math.round(255 * c)).join()})`);
  const top = relative ? "1" : withUnit(largest, what === "stress" ? "Pa" : "m");
  bar.hidden = !(largest > 0);
  bar.querySelector<HTMLElement>("i")!.style.background = `linear-gradient(0deg, ${stops.join()})`;
  bar.querySelector(".top")!.textContent = top;
  bar.querySelector(".what")!.textContent = say(what === "stress" ? "mises" : "displacement");
}
