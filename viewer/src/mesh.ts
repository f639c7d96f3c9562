// mesh.ts - a flexible body with a mesh: its surface moved by its modes, coloured by how far it moved or
// by von Mises' stress.
import * as THREE from "three";
import { paint, type Colouring } from "./colours";
import type { Field, Mesh } from "./data";

export class MeshBody {
  readonly object: THREE.Mesh;
  readonly modes: number;
  readonly size: number; // points
  private moved: Float32Array[]; // x, y, z
  private stress: Float32Array[];
  private values: Float32Array;
  private positions: THREE.BufferAttribute;
  private colours: THREE.BufferAttribute;

  constructor(private mesh: Mesh, opacity: number) {
    const n = mesh.points[0].length, geometry = new THREE.BufferGeometry();
    this.modes = mesh.modes.length;
    this.size = n;
    this.moved = [0, 1, 2].map(() => new Float32Array(n));
    this.stress = mesh.stress ? Array.from({ length: 6 }, () => new Float32Array(n)) : [];
    this.values = new Float32Array(n);
    this.positions = new THREE.BufferAttribute(new Float32Array(3 * n), 3);
    this.colours = new THREE.BufferAttribute(new Float32Array(3 * n), 3);
    geometry.setAttribute("position", this.positions);
    geometry.setAttribute("color", this.colours);
    geometry.setIndex(new THREE.BufferAttribute(mesh.triangles, 1));
    this.object = new THREE.Mesh(geometry, new THREE.MeshStandardMaterial({
      vertexColors: true, roughness: 0.6, flatShading: true, side: THREE.DoubleSide, transparent: opacity < 1, opacity,
    }));
    this.object.frustumCulled = false;
  }

  has(what: Colouring): boolean {
    return what === "displacement" || this.mesh.stress !== null;
  }

  // The largest value with these coordinates.
  largest(q: number[], what: Colouring): number {
    this.evaluate(q, what);
    let largest = 0;
    for (const v of this.values) if (v > largest) largest = v;
    return largest;
  }

  private evaluate(q: number[], what: Colouring): void {
    const n = this.values.length, [x, y, z] = this.moved;
    sum(this.mesh.modes, q, this.moved);
    if (what === "stress" && this.mesh.stress) {
      sum(this.mesh.stress, q, this.stress);
      const [xx, yy, zz, xy, yz, xz] = this.stress;
      for (let i = 0; i < n; i++) {
        const a = xx[i] - yy[i], b = yy[i] - zz[i], c = zz[i] - xx[i];
        this.values[i] = Math.sqrt(0.5 * (a * a + b * b + c * c) + 3 * (xy[i] * xy[i] + yz[i] * yz[i] + xz[i] * xz[i]));
      }
    } else {
      for (let i = 0; i < n; i++) this.values[i] = what === "stress" ? 0 : Math.sqrt(x[i] * x[i] + y[i] * y[i] + z[i] * z[i]);
    }
  }

  update(q: number[], exaggeration: number, what: Colouring, largest: number): void {
    this.evaluate(q, what);
    const out = this.positions.array as Float32Array, p = this.mesh.points;
    for (let k = 0; k < 3; k++) {
      const at = p[k], by = this.moved[k];
      for (let i = 0, j = k; i < at.length; i++, j += 3) out[j] = at[i] + exaggeration * by[i];
    }
    paint(this.values, largest, this.colours.array as Float32Array);
    this.positions.needsUpdate = true;
    this.colours.needsUpdate = true;
  }

  // Where the node with this number is, in the body's frame, as last drawn; null: it is not in the page.
  node(label: number): THREE.Vector3 | null {
    const i = this.mesh.labels.indexOf(label);
    return i < 0 ? null : new THREE.Vector3().fromBufferAttribute(this.positions, i);
  }
}

function sum(fields: Field[], q: number[], out: Float32Array[]): void {
  for (const part of out) part.fill(0);
  fields.forEach((field, k) => {
    const factor = q[k] * field.unit;
    if (!(factor !== 0)) return;
    field.parts.forEach((part, c) => {
      const to = out[c];
      for (let i = 0; i < to.length; i++) to[i] += factor * part[i];
    });
  });
}
