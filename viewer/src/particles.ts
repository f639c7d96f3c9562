// particles.ts - particles of a result: spheres, one instance each, coloured by their speed.
import * as THREE from "three";
import { paint } from "./colours";
import type { Particles } from "./data";
import { find } from "./data";
import { drawsInSoftware } from "./renderer";

const MANY = [4000, 30000]; // with fewer corners each
const MOST_DRAWN = 10000; // by a processor

const largest = (p: Particles): number => p.frames.reduce((most, f) => Math.max(most, f.radii.length), 1);

// One of so many of the page is drawn, so that a processor comes to some pictures a second.
export function thinned(p: Particles): number {
  return drawsInSoftware() ? Math.ceil(largest(p) / MOST_DRAWN) : 1;
}

export class ParticleCloud {
  readonly object: THREE.InstancedMesh;
  private colours: Float32Array;
  private speeds: Float32Array;
  private step: number;
  private shown = -1;

  constructor(private particles: Particles) {
    this.step = thinned(particles);
    const most = Math.ceil(largest(particles) / this.step);
    const coarse = drawsInSoftware() ? 1 : 0, round = most > MANY[1] ? 0 : most > MANY[0] ? 1 : 2;
    const ball = new THREE.IcosahedronGeometry(1, Math.max(round - coarse, 0));
    this.speeds = new Float32Array(most);
    this.object = new THREE.InstancedMesh(ball, new THREE.MeshStandardMaterial({ roughness: 0.7 }), most);
    this.colours = new Float32Array(3 * most);
    this.object.instanceColor = new THREE.InstancedBufferAttribute(this.colours, 3);
    this.object.frustumCulled = false;
  }

  update(t: number): void {
    const [i] = find(this.particles.t, t), f = this.particles.frames[i];
    if (!f || i === this.shown) return;
    this.shown = i;
    const m = this.object.instanceMatrix.array as Float32Array, n = Math.ceil(f.radii.length / this.step);
    m.fill(0);
    for (let k = 0, i = 0; k < n; k++, i += this.step) {
      m[16 * k] = m[16 * k + 5] = m[16 * k + 10] = f.radii[i];
      m[16 * k + 12] = f.places[0][i];
      m[16 * k + 13] = f.places[1][i];
      m[16 * k + 14] = f.places[2][i];
      m[16 * k + 15] = 1;
      this.speeds[k] = f.speeds[i];
    }
    paint(this.speeds.subarray(0, n), this.particles.speed, this.colours);
    this.object.count = n;
    this.object.instanceMatrix.needsUpdate = true;
    this.object.instanceColor!.needsUpdate = true;
  }

  // Corners of what all of them reach.
  box(): THREE.Vector3[] {
    const p = this.particles, r = p.radius;
    return Array.from({ length: 8 }, (_, k) => new THREE.Vector3(...[0, 1, 2].map((c) => (k >> c & 1 ? p.high[c] + r : p.low[c] - r)) as [number, number, number]));
  }
}
