// beam.ts - a beam of large deformation: its section swept along its nodes, which are bodies.
import * as THREE from "three";
import type { BeamLine } from "./data";

const ROUND = 10; // corners of a circle
const FINE = 4; // sections from node to node

export class BeamBody {
  readonly object: THREE.Mesh;
  private corners: THREE.Vector2[]; // y and z of the section
  private positions: THREE.BufferAttribute;

  constructor(line: BeamLine, private nodes: THREE.Object3D[], size: number, colour: number, opacity: number) {
    const least = 0.008 * size, [width, height] = line.size.map((x) => Math.max(x, least));
    const round = line.round || !(line.size[0] > 0);
    this.corners = round
      ? Array.from({ length: ROUND }, (_, k) => new THREE.Vector2(Math.cos(2 * Math.PI * k / ROUND), Math.sin(2 * Math.PI * k / ROUND)).multiplyScalar(width))
      : [[1, 1], [-1, 1], [-1, -1], [1, -1]].map(([y, z]) => new THREE.Vector2(0.5 * y * height, 0.5 * z * width));
    const sections = FINE * (nodes.length - 1) + 1, geometry = new THREE.BufferGeometry();
    this.positions = new THREE.BufferAttribute(new Float32Array(3 * sections * this.corners.length), 3);
    geometry.setAttribute("position", this.positions);
    geometry.setIndex(sides(sections, this.corners.length));
    this.object = new THREE.Mesh(geometry, new THREE.MeshStandardMaterial({
      color: colour, roughness: 0.5, flatShading: true, side: THREE.DoubleSide, transparent: opacity < 1, opacity,
    }));
    this.object.name = line.name;
    this.object.frustumCulled = false;
  }

  // A cubic along the x axes of two nodes; the axes turn in proportion.
  update(): void {
    const p = new THREE.Vector3(), q = new THREE.Quaternion(), x = new THREE.Vector3();
    const xa = new THREE.Vector3(), xb = new THREE.Vector3();
    let at = 0;
    for (let i = 0; i + 1 < this.nodes.length; i++) {
      const a = this.nodes[i], b = this.nodes[i + 1], length = a.position.distanceTo(b.position);
      xa.set(length, 0, 0).applyQuaternion(a.quaternion);
      xb.set(length, 0, 0).applyQuaternion(b.quaternion);
      for (let k = 0; k < FINE + (i + 2 === this.nodes.length ? 1 : 0); k++) {
        const s = k / FINE, r = 1 - s;
        p.copy(a.position).multiplyScalar((1 + 2 * s) * r * r).addScaledVector(xa, s * r * r)
          .addScaledVector(b.position, s * s * (3 - 2 * s)).addScaledVector(xb, -s * s * r);
        q.slerpQuaternions(a.quaternion, b.quaternion, s);
        for (const c of this.corners) {
          x.set(0, c.x, c.y).applyQuaternion(q).add(p);
          this.positions.setXYZ(at++, x.x, x.y, x.z);
        }
      }
    }
    this.object.userData.known = Number.isFinite(p.x);
    this.positions.needsUpdate = true;
  }
}

function sides(sections: number, n: number): number[] {
  const index: number[] = [];
  for (let i = 0; i + 1 < sections; i++) {
    for (let k = 0; k < n; k++) {
      const a = n * i + k, b = n * i + (k + 1) % n;
      index.push(a, b, b + n, a, b + n, a + n);
    }
  }
  for (let k = 1; k + 1 < n; k++) index.push(0, k + 1, k, n * (sections - 1), n * (sections - 1) + k, n * (sections - 1) + k + 1);
  return index;
}
