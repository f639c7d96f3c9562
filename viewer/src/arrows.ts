// arrows.ts - forces and moments as arrows, in front of everything; all forces on one scale, all moments on another.
import * as THREE from "three";
import { valueAt, type Link, type Result } from "./data";
import { vector } from "./symbols";
import { withUnit } from "./colours";

const LONGEST = 0.3; // of the largest force, parts of the mechanism's size
const yAxis = new THREE.Vector3(0, 1, 0);

interface Arrow {
  object: THREE.Group; shaft: THREE.Mesh; head: THREE.Mesh;
  columns: number[]; // x, y, z; one: a pull along the link
  place: number[]; // x, y, z of where it acts; none: the second end of the link
  link: Link | null; name: string; unit: string; text: string;
}

export class Arrows {
  readonly group = new THREE.Group();
  private list: Arrow[] = [];
  private largest = new Map<string, number>(); // by unit
  factor = 1; // of their length

  // placeOf: an end of a link, from the ground.
  constructor(private result: Result, private size: number, private placeOf: (link: Link, end: number) => THREE.Vector3) {
    const scene = result.scene!;
    for (const f of scene.forces) if (f.type !== "bushing") this.add(f, `${f.name}.value`, 0xd62828);
    for (const j of scene.joints) {
      this.add(j, `${j.name}.reaction`, 0x0a8f4f);
      this.add(j, `${j.name}.moment`, 0x8a3ffc);
    }
    for (const name of result.names) if (name.endsWith(".place.x")) this.addContact(name.slice(0, -".place.x".length));
    this.group.visible = false;
    this.group.renderOrder = 10;
  }

  get count(): number {
    return this.list.length;
  }

  // Columns of a signal's parts.
  private parts(signal: string): number[] {
    return ["x", "y", "z"].map((k) => this.result.names.indexOf(`${signal}.${k}`)).filter((c) => c >= 0);
  }

  private add(link: Link, signal: string, colour: number): void {
    const columns = this.parts(signal), pull = this.result.names.indexOf(signal);
    if (columns.length < 2 && pull >= 0 && link.type !== "force") columns.splice(0, columns.length, pull);
    if (columns.length > 0) this.push(columns, [], link, link.name, colour);
  }

  // The force of a contact on its second body, where the surfaces are nearest.
  private addContact(name: string): void {
    const columns = this.parts(`${name}.force`);
    if (columns.length >= 2) this.push(columns, this.parts(`${name}.place`), null, name, 0xd62828);
  }

  private push(columns: number[], place: number[], link: Link | null, name: string, colour: number): void {
    const unit = this.result.units[columns[0]] || "N";
    const s = this.result.signals;
    let largest = 0;
    for (let i = 0; i < this.result.t.length; i++) {
      const size = Math.hypot(...columns.map((c) => s[c][i]));
      if (size > largest) largest = size;
    }
    if (!(largest > 0)) return;
    this.largest.set(unit, Math.max(this.largest.get(unit) ?? 0, largest));
    this.list.push({ ...shape(colour, this.size), columns, place, link, name, unit, text: "" });
    this.group.add(this.list[this.list.length - 1].object);
  }

  update(t: number): void {
    if (!this.group.visible) return;
    for (const a of this.list) {
      const v = a.columns.map((c) => valueAt(this.result, c, t)), p = a.place.map((c) => valueAt(this.result, c, t));
      const at = a.link ? this.placeOf(a.link, 1) : vector([p[0], p[1], p[2] ?? 0]);
      const d = v.length > 1 || !a.link ? vector([v[0], v[1], v[2] ?? 0]) : this.placeOf(a.link, 0).sub(at).normalize().multiplyScalar(v[0]);
      const value = d.length(), largest = this.largest.get(a.unit)!;
      a.object.visible = value > 1e-3 * largest && Number.isFinite(at.x);
      if (!a.object.visible) continue;
      const length = LONGEST * this.factor * this.size * value / largest, head = Math.min(0.055 * this.size, 0.6 * length);
      a.object.position.copy(at);
      a.object.quaternion.setFromUnitVectors(yAxis, d.normalize());
      a.shaft.scale.set(1, length - head, 1);
      a.head.scale.set(1, head, 1);
      a.head.position.y = length - head;
      a.text = `${a.name} ${withUnit(value, a.unit)}`;
    }
  }

  // Their ends with their values.
  *tips(): Generator<{ at: THREE.Vector3; text: string }> {
    if (!this.group.visible) return;
    for (const a of this.list) {
      if (!a.object.visible) continue;
      yield { at: new THREE.Vector3(0, a.head.position.y + a.head.scale.y, 0).applyQuaternion(a.object.quaternion).add(a.object.position), text: a.text };
    }
  }
}

// In front of everything: no depth is asked for, and transparent things are drawn last.
function shape(colour: number, size: number): { object: THREE.Group; shaft: THREE.Mesh; head: THREE.Mesh } {
  const material = new THREE.MeshBasicMaterial({ color: colour, depthTest: false, depthWrite: false, transparent: true });
  const shaft = new THREE.Mesh(new THREE.CylinderGeometry(0.0075 * size, 0.0075 * size, 1, 10).translate(0, 0.5, 0), material);
  const head = new THREE.Mesh(new THREE.ConeGeometry(0.021 * size, 1, 14).translate(0, 0.5, 0), material);
  for (const m of [shaft, head]) {
    m.renderOrder = 10;
    m.frustumCulled = false;
  }
  const object = new THREE.Group();
  object.add(shaft, head);
  return { object, shaft, head };
}
