// solid.ts - a solid of large deformation: its surface between nodes, which are bodies or places of bodies.
import * as THREE from "three";
import type { Solid } from "./data";

export class SolidBody {
  readonly object: THREE.Mesh;
  private positions: THREE.BufferAttribute;
  private at: THREE.Vector3[];

  constructor(private solid: Solid, private bodies: THREE.Object3D[], colour: number, opacity: number) {
    const geometry = new THREE.BufferGeometry();
    this.at = solid.at.map((x) => new THREE.Vector3().fromArray(x));
    this.positions = new THREE.BufferAttribute(new Float32Array(3 * this.at.length), 3);
    geometry.setAttribute("position", this.positions);
    geometry.setIndex(solid.triangles.flat());
    this.object = new THREE.Mesh(geometry, new THREE.MeshStandardMaterial({
      color: colour, roughness: 0.6, flatShading: true, side: THREE.DoubleSide, transparent: opacity < 1, opacity,
    }));
    this.object.name = solid.name;
    this.object.frustumCulled = false;
  }

  update(): void {
    const p = new THREE.Vector3();
    let known = true;
    this.at.forEach((at, i) => {
      const body = this.bodies[this.solid.bodies[i]];
      p.copy(at);
      if (body) p.applyQuaternion(body.quaternion).add(body.position);
      known &&= Number.isFinite(p.x);
      this.positions.setXYZ(i, p.x, p.y, p.z);
    });
    this.object.userData.known = known;
    this.positions.needsUpdate = true;
  }
}
