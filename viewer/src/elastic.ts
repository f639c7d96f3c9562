// elastic.ts - a body that bends: its nodes moved by its shapes, coloured by how far they moved.
import * as THREE from "three";
import { paint, type Colouring } from "./colours";
import type { Elastic } from "./data";

const RING = 10; // corners of the tube round a line of nodes

export class ElasticBody {
  readonly object: THREE.Object3D;
  private places: Float32Array; // of the nodes, moved
  private moved: Float32Array; // how far each is
  private positions: THREE.BufferAttribute;
  private colours: THREE.BufferAttribute;
  readonly modes: number;
  private e: Elastic;

  constructor(given: Elastic, private radius: number) {
    const e = this.e = lineUp(given);
    this.modes = e.shapes.length;
    const n = e.nodes.length, corners = e.line ? RING * n : n;
    this.places = new Float32Array(3 * n);
    this.moved = new Float32Array(n);
    this.positions = new THREE.BufferAttribute(new Float32Array(3 * corners), 3);
    this.colours = new THREE.BufferAttribute(new Float32Array(3 * corners), 3);
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", this.positions);
    geometry.setAttribute("color", this.colours);
    if (e.line) {
      geometry.setIndex(sides(n));
      this.object = new THREE.Mesh(geometry, new THREE.MeshStandardMaterial({ vertexColors: true, roughness: 0.5, side: THREE.DoubleSide }));
    } else {
      this.object = new THREE.Points(geometry, new THREE.PointsMaterial({ vertexColors: true, size: 1.6 * radius }));
    }
    this.object.frustumCulled = false;
  }

  has(what: Colouring): boolean {
    return what === "displacement";
  }

  // The largest value with these coordinates.
  largest(q: number[], what: Colouring): number {
    return this.has(what) ? this.move(q, 1) : 0;
  }

  // Nodes where the coordinates put them; returns the largest displacement.
  private move(q: number[], exaggeration: number): number {
    let largest = 0;
    this.e.nodes.forEach((at, i) => {
      let x = 0, y = 0, z = 0;
      this.e.shapes.forEach((shape, k) => {
        x += q[k] * shape[i][0];
        y += q[k] * shape[i][1];
        z += q[k] * shape[i][2];
      });
      this.moved[i] = Math.hypot(x, y, z);
      if (this.moved[i] > largest) largest = this.moved[i];
      this.places[3 * i] = at[0] + exaggeration * x;
      this.places[3 * i + 1] = at[1] + exaggeration * y;
      this.places[3 * i + 2] = at[2] + exaggeration * z;
    });
    return largest;
  }

  update(q: number[], exaggeration: number, what: Colouring, largest: number): void {
    this.move(q, exaggeration);
    if (!this.has(what)) this.moved.fill(0);
    if (this.e.line) this.sweep();
    else this.positions.array.set(this.places);
    paint(this.moved, largest, this.colours.array as Float32Array, this.e.line ? RING : 1);
    this.positions.needsUpdate = true;
    this.colours.needsUpdate = true;
    if (this.e.line) (this.object as THREE.Mesh).geometry.computeVertexNormals();
  }

  // A ring of corners round every node, across the line.
  private sweep(): void {
    const n = this.moved.length, u = new THREE.Vector3(), e = new THREE.Vector3(), g = new THREE.Vector3();
    const p = (i: number) => new THREE.Vector3().fromArray(this.places, 3 * Math.min(Math.max(i, 0), n - 1));
    for (let i = 0; i < n; i++) {
      u.copy(p(i + 1)).sub(p(i - 1));
      if (u.lengthSq() === 0) u.set(1, 0, 0);
      u.normalize();
      e.crossVectors(u, Math.abs(u.z) < 0.9 ? new THREE.Vector3(0, 0, 1) : new THREE.Vector3(0, 1, 0)).normalize();
      g.crossVectors(u, e);
      for (let c = 0; c < RING; c++) {
        const w = 2 * Math.PI * c / RING, at = p(i);
        at.addScaledVector(e, this.radius * Math.cos(w)).addScaledVector(g, this.radius * Math.sin(w));
        this.positions.setXYZ(RING * i + c, at.x, at.y, at.z);
      }
    }
  }
}

// Nodes on one straight line are a beam, whoever listed them.
function lineUp(e: Elastic): Elastic {
  const nodes = e.nodes.map((p) => new THREE.Vector3().fromArray(p));
  if (e.line || nodes.length < 2) return e;
  const far = nodes.reduce((a, b) => b.distanceTo(nodes[0]) > a.distanceTo(nodes[0]) ? b : a);
  const along = far.clone().sub(nodes[0]), length = along.length();
  if (length === 0) return e;
  along.normalize();
  const across = (p: THREE.Vector3) => p.clone().sub(nodes[0]).cross(along).length();
  if (nodes.some((p) => across(p) > 1e-6 * length)) return e;
  const order = nodes.map((p, i) => [p.dot(along), i]).sort((a, b) => a[0] - b[0]).map((x) => x[1]);
  return { ...e, line: true, nodes: order.map((i) => e.nodes[i]), shapes: e.shapes.map((s) => order.map((i) => s[i])) };
}

function sides(n: number): number[] {
  const index: number[] = [];
  for (let i = 0; i + 1 < n; i++) {
    for (let c = 0; c < RING; c++) {
      const a = RING * i + c, b = RING * i + (c + 1) % RING;
      index.push(a, a + RING, b, b, a + RING, b + RING);
    }
  }
  return index;
}
