// contacts.ts - where surfaces touch: a mark for each contact, coloured by what it does, what its signals say, and its depth as a bar
// along the normal, many times as long as it is.
import * as THREE from "three";
import { valueAt, type Result } from "./data";
import { vector } from "./symbols";
import { withUnit } from "./colours";
import { say } from "./labels";

const MARK = 0.016; // radius of a mark, parts of the mechanism's size
const LONGEST = 0.5; // of a bar, the same
const colours = { slides: 0xe07b00, sticks: 0x1467c8, touches: 0x7a7f87, depth: 0x8a3ffc };
const yAxis = new THREE.Vector3(0, 1, 0);

interface Contact {
  name: string; mark: THREE.Mesh; bar: THREE.Mesh; text: string;
  place: number[]; force: number[]; friction: number[]; // columns of x, y, z
  value: number; depth: number; gap: number; state: number; // columns; -1: not among the signals
}

export class Contacts {
  readonly group = new THREE.Group();
  private list: Contact[] = [];
  factor = 1; // of depths; 1: no bars

  constructor(private result: Result, private size: number) {
    for (const name of result.names) if (name.endsWith(".place.x")) this.add(name.slice(0, -".place.x".length));
    this.group.visible = false;
  }

  get count(): number {
    return this.list.length;
  }

  // Whether depths are known: their bars have a direction, too.
  get deep(): boolean {
    return this.list.some((c) => (c.depth >= 0 || c.gap >= 0) && c.force.length > 1);
  }

  private add(name: string): void {
    const column = (part: string) => this.result.names.indexOf(`${name}.${part}`);
    const parts = (part: string) => ["x", "y", "z"].map((k) => column(`${part}.${k}`)).filter((c) => c >= 0);
    const front = (colour: number) => new THREE.MeshBasicMaterial({ color: colour, depthTest: false, depthWrite: false, transparent: true });
    const mark = new THREE.Mesh(new THREE.SphereGeometry(MARK * this.size, 16, 12), front(colours.touches));
    const bar = new THREE.Mesh(new THREE.CylinderGeometry(0.006 * this.size, 0.006 * this.size, 1, 10), front(colours.depth));
    for (const m of [mark, bar]) {
      m.renderOrder = 9;
      m.frustumCulled = false;
      this.group.add(m);
    }
    this.list.push({ name, mark, bar, text: "", place: parts("place"), force: parts("force"), friction: parts("friction"),
      value: column("value"), depth: column("penetration"), gap: column("gap"), state: column("state") });
  }

  private at(columns: number[], t: number): THREE.Vector3 {
    const v = columns.map((c) => valueAt(this.result, c, t));
    return vector([v[0] ?? 0, v[1] ?? 0, v[2] ?? 0]);
  }

  // How deep it is; NaN: not known.
  private depthOf(c: Contact, t: number): number {
    if (c.depth >= 0) return valueAt(this.result, c.depth, t);
    return c.gap >= 0 ? Math.max(-valueAt(this.result, c.gap, t), 0) : NaN;
  }

  update(t: number): void {
    if (!this.group.visible) return;
    for (const c of this.list) {
      const at = this.at(c.place, t), force = this.at(c.force, t), depth = this.depthOf(c, t);
      // between two rows it is still the state of the first
      const state = c.state >= 0 ? Math.floor(valueAt(this.result, c.state, t) + 1e-6) : -1;
      const touches = state > 0 || (state < 0 && (force.length() > 0 || depth > 0 || (c.value >= 0 && valueAt(this.result, c.value, t) > 0)));
      c.mark.visible = touches && Number.isFinite(at.x);
      c.mark.position.copy(at);
      const does = state === 2 ? "sticks" : state === 1 ? "slides" : null;
      (c.mark.material as THREE.MeshBasicMaterial).color.setHex(colours[does ?? "touches"]);
      const words = [does ? `${c.name} ${say(does)}` : c.name];
      if (c.value >= 0) words.push(withUnit(valueAt(this.result, c.value, t), this.result.units[c.value] || "N"));
      if (depth > 0) words.push(`${say("depth")} ${withUnit(depth, this.result.units[c.depth >= 0 ? c.depth : c.gap] || "m")}`);
      c.text = words.join(", ");
      this.stretch(c, at, force.sub(this.at(c.friction, t)), depth);
    }
  }

  // The bar lies along the normal, the depth in its middle.
  private stretch(c: Contact, at: THREE.Vector3, normal: THREE.Vector3, depth: number): void {
    const length = Math.min(this.factor * depth, LONGEST * this.size);
    c.bar.visible = c.mark.visible && this.factor > 1 && length > 0 && normal.length() > 0;
    if (!c.bar.visible) return;
    c.bar.position.copy(at);
    c.bar.quaternion.setFromUnitVectors(yAxis, normal.normalize());
    c.bar.scale.set(1, length, 1);
  }

  // What is said of each.
  *tips(): Generator<{ at: THREE.Vector3; text: string }> {
    if (!this.group.visible) return;
    for (const c of this.list) if (c.mark.visible) yield { at: c.mark.position.clone(), text: c.text };
  }
}
