// particles.ts - particles of a result: spheres, one instance each, coloured by their speed.
import * as THREE from "three";
import { paint } from "./colours";
import type { Particles } from "./data";
import { find } from "./data";

const MANY = 4000; // with fewer corners each

export class ParticleCloud {
  readonly object: THREE.InstancedMesh;
  private colours: Float32Array;
  private shown = -1;

  constructor(private particles: Particles) {
    const most = Math.max(...particles.frames.map((f) => f.radii.length), 1);
    const ball = new THREE.IcosahedronGeometry(1, most > MANY ? 1 : 2);
    this.object = new THREE.InstancedMesh(ball, new THREE.MeshStandardMaterial({ roughness: 0.7 }), most);
    this.colours = new Float32Array(3 * most);
    this.object.instanceColor = new THREE.InstancedBufferAttribute(this.colours, 3);
    this.object.frustumCulled = false;
  }

  update(t: number): void {
    const [i] = find(this.particles.t, t), f = this.particles.frames[i];
    if (!f || i === this.shown) return;
    this.shown = i;
    const m = this.object.instanceMatrix.array as Float32Array, n = f.radii.length;
    m.fill(0);
    for (let k = 0; k < n; k++) {
      m[16 * k] = m[16 * k + 5] = m[16 * k + 10] = f.radii[k];
      m[16 * k + 12] = f.places[0][k];
      m[16 * k + 13] = f.places[1][k];
      m[16 * k + 14] = f.places[2][k];
      m[16 * k + 15] = 1;
    }
    paint(f.speeds, this.particles.speed, this.colours);
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
