// mechanism.ts - one result as things to draw: bodies, joints, springs, traces, arrows of forces.
import * as THREE from "three";
import { ParticleCloud } from "./particles";
import { Line2 } from "three/addons/lines/Line2.js";
import { LineGeometry } from "three/addons/lines/LineGeometry.js";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";
import { find, type BeamLine, type Elastic, type Link, type Result, type Scene, type Shape, type Solid, type Surface } from "./data";
import { Arrows } from "./arrows";
import { Contacts } from "./contacts";
import { BeamBody } from "./beam";
import { ElasticBody } from "./elastic";
import type { Colouring } from "./colours";
import { MeshBody } from "./mesh";
import { SolidBody } from "./solid";
import { stretchedOf, Symbols, vector, type Layer, type Setting } from "./symbols";
import type { Tag } from "./tags";

const yAxis = new THREE.Vector3(0, 1, 0);
const STACK = 0.22; // most that the sheets of a plane are high together, part of the mechanism's size
const LOOKED_AT = 200; // frames, for extents

// round: corners of a circle.
function geometryOf(s: Shape, size: number, round: number): THREE.BufferGeometry {
  const least = 0.002 * size, [a, b, c] = s.size.map((x) => Math.max(x, least));
  switch (s.kind) {
    case "box": return new THREE.BoxGeometry(a, b, c);
    case "cylinder": return new THREE.CylinderGeometry(a, a, b, 2 * round);
    case "capsule": return new THREE.CapsuleGeometry(a, b, round >> 2, round);
    default: return new THREE.SphereGeometry(a, 2 * round, round);
  }
}

function surfaceOf(s: Surface): THREE.BufferGeometry {
  const n = s.points[0].length, places = new Float32Array(3 * n);
  for (let k = 0; k < 3; k++) for (let i = 0; i < n; i++) places[3 * i + k] = s.points[k][i];
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(places, 3));
  geometry.setIndex(new THREE.BufferAttribute(s.triangles, 1));
  return geometry;
}

function meshOf(s: Shape, geometry: THREE.BufferGeometry, material: THREE.Material): THREE.Mesh {
  const mesh = new THREE.Mesh(geometry, material);
  mesh.position.copy(vector(s.at));
  if (s.scale) mesh.scale.setScalar(s.scale);
  if (s.turn) mesh.quaternion.set(s.turn[1], s.turn[2], s.turn[3], s.turn[0]);
  if ((s.kind === "cylinder" || s.kind === "capsule") && vector(s.axis).length() > 0) {
    mesh.quaternion.setFromUnitVectors(yAxis, vector(s.axis).normalize());
  }
  return mesh;
}

// Materials are shared: what is chosen gets one of its own.
function light(mesh: THREE.Mesh, on: boolean): void {
  const plain = mesh.userData.plain as THREE.MeshStandardMaterial | undefined;
  if (on === (plain !== undefined)) return;
  if (plain) {
    (mesh.material as THREE.Material).dispose();
    mesh.material = plain;
    delete mesh.userData.plain;
    return;
  }
  mesh.userData.plain = mesh.material;
  const bright = (mesh.material as THREE.MeshStandardMaterial).clone();
  bright.emissive.setHex(0x553300);
  mesh.material = bright;
}

// What can leave a trace: the centre of mass of a body, or a point of it.
export interface Place { name: string; body: number; at: THREE.Vector3 }

interface Stretched { mesh: THREE.Mesh; link: Link }

// What can be hidden: a body, a beam, a solid.
export interface Part { name: string; colour: number; objects: THREE.Object3D[] }

export class Mechanism {
  readonly group = new THREE.Group();
  readonly bodies: THREE.Group[] = [];
  readonly parts: Part[] = [];
  readonly places: Place[] = [];
  readonly arrows: Arrows;
  readonly contacts: Contacts;
  readonly hidden = new Set<string>();
  names = false; // of bodies are shown
  selected: string | null = null;
  private boxes: (THREE.Box3 | null)[] = []; // of what a body is drawn with, in its frame
  readonly symbols: { name: string; type: string; corners: number }[] = []; // what joints are drawn with
  private nodes = new Set<number>(); // of beams
  private groundBox = new THREE.Box3(); // of its symbols
  private symbolGroup = new THREE.Group(); // of the ground
  private axesGroup: THREE.AxesHelper[] = [];
  private traceGroup = new THREE.Group();
  private stretched: Stretched[] = [];
  private beams: BeamBody[] = [];
  private solids: SolidBody[] = [];
  private cloud: ParticleCloud | null = null;
  readonly elastic: { body: ElasticBody | MeshBody; motion: number; name: string }[] = [];
  exaggeration = 1; // of deformations
  colouring: Colouring = "displacement";
  top = 0; // value of the last colour
  private shape: { of: number; mode: number; amplitude: number; top: number } | null = null; // that is shown instead
  phase = 0; // of it
  private largest = new Map<Colouring, number>();
  private traces = new Map<string, Line2>();
  private scene: Scene;
  private layers = new Map<number, Layer>(); // of bodies; lines after them
  private several: boolean; // results are compared, each in one colour
  private round: number; // corners of a circle: fewer where there are many bodies

  constructor(readonly result: Result, readonly colour: number, palette: number[], private opacity: number, private up: THREE.Vector3) {
    const scene = this.scene = result.scene!, next = () => palette[this.parts.length % palette.length];
    this.round = scene.bodies.length > 40 ? 8 : 20;
    this.several = palette.length === 1;
    this.stack();
    scene.bodies.forEach((_, i) => this.addBody(i, next));
    (scene.lines ?? []).forEach((l, i) => this.addLine(l, scene.bodies.length + i, next()));
    for (const s of scene.solids ?? []) this.addSolid(s, next());
    this.addSymbols();
    if (result.particles) this.cloud = new ParticleCloud(result.particles);
    if (this.cloud) this.group.add(this.cloud.object);
    this.arrows = new Arrows(result, scene.size, (link, end) => this.lifted(this.placeOf(link, end), link.bodies[end]));
    this.contacts = new Contacts(result, scene.size);
    this.group.add(this.symbolGroup, this.arrows.group, this.contacts.group, this.traceGroup);
  }

  // ---- sheets of a plane -------------------------------------------------------------------------

  // Bodies of a plane lie one above the other, each in a layer of its own, as thick as the layer at most: nothing of
  // them lies in the same place, whatever is drawn.
  private stack(): void {
    if (this.scene.dimension !== 2) return;
    const thick = [...this.scene.bodies.map((b) => this.thickness(b)), ...(this.scene.lines ?? []).map((l) => Math.max(l.size[0], 0.016 * this.scene.size))];
    const drawn = thick.map((t, i) => [t, i]).filter(([t]) => t > 0), most = Math.max(...thick, 0.01 * this.scene.size);
    const height = Math.min(1.15 * most, STACK * this.scene.size / Math.max(drawn.length, 1));
    drawn.forEach(([t, i], k) => this.layers.set(i, { z: (k + 0.5) * height, half: 0.5 * Math.min(t, 0.85 * height) }));
    this.layers.set(-1, { z: -0.5 * height, half: 0.3 * height }); // the ground
    this.layers.set(-2, { z: (drawn.length + 1) * height, half: 0 }); // above all
  }

  private thickness(b: Scene["bodies"][number]): number {
    const least = 0.004 * this.scene.size;
    const of = (s: Shape) => {
      if (s.kind === "box") return s.size[2];
      if (s.kind === "mesh") return this.scene.size;
      return s.kind === "cylinder" && Math.abs(s.axis[2]) > 0.5 ? s.size[1] : 2 * s.size[0];
    };
    return Math.max(b.elastic ? 0.016 * this.scene.size : 0, ...b.shapes.map((s) => Math.max(of(s), least)), 0);
  }

  private layer(body: number): Layer {
    return this.layers.get(body) ?? { z: 0, half: 0 };
  }

  // A place of a body of a plane, on its sheet.
  private lifted(at: THREE.Vector3, body: number): THREE.Vector3 {
    if (body >= 0) at.z += this.layer(body).z + this.layer(body).half;
    return at;
  }

  // Puts an object into its layer.
  private settle(object: THREE.Object3D, number: number, thickness: number): void {
    const layer = this.layers.get(number);
    if (!layer) return;
    object.position.z = layer.z;
    if (thickness > 0) object.scale.z = 2 * layer.half / thickness;
  }

  // ---- what there is -----------------------------------------------------------------------------

  private addLine(l: BeamLine, number: number, colour: number): void {
    const nodes = l.nodes.map((n) => this.bodies[n]).filter((n) => n !== undefined);
    if (nodes.length < 2) return;
    const beam = new BeamBody(l, nodes, this.scene.size, colour, this.opacity);
    this.settle(beam.object, number, Math.max(l.size[0], 0.016 * this.scene.size));
    const [w, h] = l.round ? [2 * l.size[0], 2 * l.size[0]] : l.size;
    for (const n of l.nodes) {
      this.layers.set(n, this.layer(number)); // joints at it lie over it
      this.boxes[n] = new THREE.Box3().setFromCenterAndSize(new THREE.Vector3(), new THREE.Vector3(0, h, w));
      this.nodes.add(n);
    }
    this.beams.push(beam);
    this.parts.push({ name: l.name, colour, objects: [beam.object] });
    this.group.add(beam.object);
  }

  private addSolid(s: Solid, colour: number): void {
    const solid = new SolidBody(s, this.bodies, colour, this.opacity);
    this.solids.push(solid);
    this.parts.push({ name: s.name, colour, objects: [solid.object] });
    this.group.add(solid.object);
  }

  private surfaces = new Map<number, THREE.BufferGeometry>();

  // Made once, however many bodies have it.
  private surface(number: number): THREE.BufferGeometry {
    const made = this.surfaces.get(number) ?? surfaceOf(this.result.surfaces[number] ?? { points: [0, 1, 2].map(() => new Float32Array()), triangles: new Uint32Array() });
    this.surfaces.set(number, made);
    return made;
  }

  private forms = new Map<string, THREE.BufferGeometry>();

  // The same.
  private solidOf(s: Shape): THREE.BufferGeometry {
    const key = `${s.kind} ${s.size.join(" ")}`, made = this.forms.get(key) ?? geometryOf(s, this.scene.size, this.round);
    this.forms.set(key, made);
    return made;
  }

  private paints = new Map<string, THREE.MeshStandardMaterial>();

  // One for all bodies of a colour. Flat facets: files of surfaces do not say which edges are round, and not every file turns
  // its triangles outwards.
  private paint(colour: number, faceted: boolean): THREE.MeshStandardMaterial {
    const key = `${colour} ${faceted}`, made = this.paints.get(key) ?? new THREE.MeshStandardMaterial({
      color: colour, roughness: 0.55, metalness: 0.05, transparent: this.opacity < 1, opacity: this.opacity,
      flatShading: faceted, side: faceted ? THREE.DoubleSide : THREE.FrontSide,
    });
    this.paints.set(key, made);
    return made;
  }

  private addBody(i: number, next: () => number): void {
    const b = this.scene.bodies[i], group = new THREE.Group(), sheet = new THREE.Group(), colour = next();
    for (const s of b.shapes) {
      const own = this.several ? colour : s.colour ?? colour;
      if (s.surface !== undefined) sheet.add(meshOf(s, this.surface(s.surface), this.paint(own, true)));
      else sheet.add(meshOf(s, this.solidOf(s), this.paint(own, false)));
    }
    const box = b.elastic ? this.addElastic(b.name, b.elastic, sheet) : b.shapes.length > 0 ? new THREE.Box3().setFromObject(sheet) : null;
    this.boxes.push(box);
    this.settle(sheet, i, this.thickness(b));
    const axes = new THREE.AxesHelper(0.12 * this.scene.size);
    axes.visible = false;
    if (this.scene.dimension === 2) axes.position.z = this.layer(-2).z;
    this.axesGroup.push(axes);
    group.add(sheet, axes);
    group.name = b.name;
    this.bodies.push(group);
    this.group.add(group);
    if (sheet.children.length > 0) this.parts.push({ name: b.name, colour, objects: [group] });
    if (b.place === false) return; // a direction
    this.places.push({ name: b.mass > 0 ? `${b.name}.com` : b.name, body: i, at: vector(b.com) });
    for (const p of b.points) this.places.push({ name: `${b.name}.${p.name}`, body: i, at: vector(p.at) });
  }

  // Returns the box round it; null: there is nothing to draw.
  private addElastic(name: string, e: Elastic, group: THREE.Group): THREE.Box3 | null {
    const mesh = e.mesh === undefined ? undefined : this.result.meshes[e.mesh], box = new THREE.Box3();
    let body: ElasticBody | MeshBody;
    if (mesh) {
      const [x, y, z] = mesh.points, p = new THREE.Vector3();
      for (let i = 0; i < x.length; i++) box.expandByPoint(p.set(x[i], y[i], z[i]));
      body = new MeshBody(mesh, this.opacity);
    } else if (e.nodes.length > 0) {
      box.setFromPoints(e.nodes.map(vector));
      body = new ElasticBody(e, 0.008 * this.scene.size);
    } else {
      return null;
    }
    this.elastic.push({ body, motion: e.motion, name });
    group.add(body.object);
    return box;
  }

  // ---- joints, the ground, and what reaches between two places -----------------------------------

  private addSymbols(): void {
    const symbols = new Symbols(this.scene, this.up, (b) => this.layer(b), this.round);
    for (const j of this.scene.joints) {
      const before = symbols.corners;
      symbols.add(j, this.setting(j));
      this.symbols.push({ name: j.name, type: j.type, corners: symbols.corners - before });
      if (j.type !== "free" && j.type !== "fixed") j.bodies.forEach((b, end) => this.addStem(symbols, b, vector(j.at[end])));
    }
    for (const f of this.scene.forces) {
      if (f.type === "force") continue;
      f.bodies.forEach((b, end) => { if (b < 0) symbols.plate(vector(f.at[end]), this.start(f, 1 - end).sub(vector(f.at[end]))); });
    }
    for (const [body, mesh] of symbols.meshes()) (body < 0 ? this.symbolGroup : this.bodies[body]).add(mesh);
    this.groundBox.setFromObject(this.symbolGroup);
    const geometries = new Map<string, THREE.BufferGeometry | null>(), colours: Record<string, number> = { spring: 0xb8860b, actuator: 0xc0392b, cable: 0x6f7b88, muscle: 0xc0392b, distance: 0x6f7b88 };
    for (const link of [...this.scene.forces, ...this.scene.joints]) {
      if (!geometries.has(link.type)) geometries.set(link.type, stretchedOf(link.type, symbols.u, this.round >> 1));
      const geometry = geometries.get(link.type);
      if (!geometry) continue;
      const mesh = new THREE.Mesh(geometry, new THREE.MeshStandardMaterial({ color: colours[link.type], roughness: 0.5 }));
      mesh.frustumCulled = false;
      mesh.userData.joint = link.type === "distance";
      this.stretched.push({ mesh, link });
      this.group.add(mesh);
    }
  }

  // Where a joint is away from what its body is drawn with.
  private addStem(symbols: Symbols, body: number, at: THREE.Vector3): void {
    const box = body < 0 ? null : this.boxes[body];
    if (!box || box.isEmpty() || this.nodes.has(body) || box.distanceToPoint(at) < 0.04 * this.scene.size) return;
    const to = box.getCenter(new THREE.Vector3()), z = this.layer(body).z;
    symbols.stem(body, at.clone().setZ(at.z + z), to.setZ(to.z + z));
  }

  startOf(body: number): THREE.Vector3 {
    const p = new THREE.Vector3();
    this.frame(body, 0, p, this.q1);
    return p;
  }

  // An end of a link at the first frame, from the ground.
  private start(link: Link, end: number): THREE.Vector3 {
    return this.carry(link, end, 0);
  }

  private carry(link: Link, end: number, i: number): THREE.Vector3 {
    const at = vector(link.at[end]), b = link.bodies[end];
    if (b < 0) return at;
    this.frame(b, i, this.p1, this.q1);
    return at.applyQuaternion(this.q1).add(this.p1);
  }

  private turnOf(body: number, i: number): THREE.Quaternion {
    const q = new THREE.Quaternion();
    if (body >= 0) this.frame(body, i, this.p1, q);
    return q;
  }

  private setting(j: Link): Setting {
    const oneSided = j.type === "rolling" || j.type.startsWith("point-on");
    const carrier = !oneSided && j.bodies[1] < 0 ? 1 : 0, b = j.bodies[carrier], other = j.bodies[1 - carrier];
    const axis = vector(j.axis ?? [0, 0, 1]).applyQuaternion(this.turnOf(j.bodies[0], 0)).normalize(); // from the ground
    const own = axis.clone().applyQuaternion(this.turnOf(b, 0).invert());
    const along = j.type === "rolling" ? new THREE.Vector3(own.y, -own.x, 0) : own;
    const travel: [number, number] = [0, 0], n = this.result.frameTimes.length, step = Math.max(1, Math.floor(n / LOOKED_AT));
    for (let i = 0; i < n; i += step) {
      const d = this.carry(j, 1 - carrier, i).sub(this.carry(j, carrier, i)).applyQuaternion(this.turnOf(b, i).invert());
      const x = d.dot(along);
      if (x < travel[0]) travel[0] = x;
      if (x > travel[1]) travel[1] = x;
    }
    const room = Math.min(this.widthOf(other, axis) + 0.05 * this.scene.size, 0.5 * this.scene.size);
    travel[0] -= room;
    travel[1] += room;
    return { carrier, axis: own, otherAxis: axis.applyQuaternion(this.turnOf(other, 0).invert()), travel, normal: this.inward(j, carrier) };
  }

  // Half of what a body is drawn with, along a direction from the ground at the first frame.
  private widthOf(body: number, along: THREE.Vector3): number {
    const box = body < 0 ? null : this.boxes[body];
    if (!box || box.isEmpty()) return 0;
    const d = along.clone().applyQuaternion(this.turnOf(body, 0).invert()), half = box.getSize(new THREE.Vector3()).multiplyScalar(0.5);
    return Math.abs(d.x) * half.x + Math.abs(d.y) * half.y + Math.abs(d.z) * half.z;
  }

  // From a joint to what it holds: along a beam, else to the centre of mass.
  private inward(j: Link, carrier: number): THREE.Vector3 {
    const other = j.bodies[1 - carrier], at = this.start(j, 1 - carrier), to = new THREE.Vector3();
    if (other < 0) return this.up.clone();
    const line = (this.scene.lines ?? []).find((l) => l.nodes.includes(other)), k = line ? line.nodes.indexOf(other) : -1;
    this.frame(line ? line.nodes[k + (k > 0 ? -1 : 1)] : other, 0, to, this.q1);
    if (!line) to.add(vector(this.scene.bodies[other].com).applyQuaternion(this.q1));
    to.sub(at);
    return to.length() > 1e-6 * this.scene.size ? to.normalize() : this.up.clone();
  }

  // The largest value over the run: at some of its frames, fewer of large meshes.
  scale(what: Colouring): number {
    const known = this.largest.get(what);
    if (known !== undefined) return known;
    let largest = 0;
    for (const e of this.elastic) {
      const frames = this.result.frameTimes.length, work = e.body instanceof MeshBody ? e.body.size * e.body.modes : 1;
      const step = Math.max(1, Math.ceil(frames / Math.max(8, Math.min(100, 2e7 / work))));
      for (let i = 0; i < frames; i += step) {
        const q = Array.from({ length: e.body.modes }, (_, k) => this.result.motion[e.motion + k]?.[i] ?? 0);
        const value = e.body.largest(q, what);
        if (value > largest) largest = value;
      }
    }
    this.largest.set(what, largest);
    return largest;
  }

  // One mode of one flexible body instead of its motion; null: the motion again.
  showShape(of: number | null, mode = 0): void {
    this.shape = null;
    const e = of === null ? undefined : this.elastic[of];
    if (of === null || !e || mode >= e.body.modes) return;
    const q = Array.from({ length: e.body.modes }, (_, k) => k === mode ? 1 : 0);
    const far = e.body.largest(q, "displacement");
    if (!(far > 0)) return;
    const amplitude = 0.08 * this.scene.size / far;
    this.shape = { of, mode, amplitude, top: amplitude * e.body.largest(q, this.colouring) };
  }

  get showsShape(): boolean {
    return this.shape !== null;
  }

  has(what: "arrows" | "contacts" | "elastic"): boolean {
    if (what === "contacts") return this.contacts.count > 0;
    return what === "arrows" ? this.arrows.count > 0 : this.elastic.length > 0;
  }

  show(what: "joints" | "frames" | "arrows" | "contacts", on: boolean): void {
    if (what === "arrows") this.arrows.group.visible = on;
    if (what === "contacts") this.contacts.group.visible = on;
    if (what === "frames") for (const a of this.axesGroup) a.visible = on;
    if (what === "joints") this.group.traverse((o) => { if (o.userData.joint) o.visible = on; });
  }

  shows(what: "joints" | "frames" | "arrows" | "contacts"): boolean {
    if (what === "arrows") return this.arrows.group.visible;
    if (what === "contacts") return this.contacts.group.visible;
    if (what === "frames") return this.axesGroup.some((a) => a.visible);
    let on = true;
    this.group.traverse((o) => { if (o.userData.joint && !o.visible) on = false; });
    return on;
  }

  traced(name: string): boolean {
    return this.traces.has(name);
  }

  trace(name: string, on: boolean): void {
    const old = this.traces.get(name);
    if (old) {
      this.traceGroup.remove(old);
      old.geometry.dispose();
      this.traces.delete(name);
    }
    const place = this.places.find((p) => p.name === name), n = this.result.frameTimes.length;
    if (!on || !place || n < 2) return;
    const points = new Float32Array(3 * n), p = new THREE.Vector3(), q = new THREE.Quaternion();
    for (let i = 0; i < n; i++) {
      this.frame(place.body, i, p, q);
      const at = this.lifted(place.at.clone().applyQuaternion(q).add(p), place.body);
      points.set([at.x, at.y, at.z], 3 * i);
    }
    const geometry = new LineGeometry();
    geometry.setPositions(points);
    const line = new Line2(geometry, new LineMaterial({ color: this.several ? this.colour : this.partColour(place.body), linewidth: 2.2, depthTest: this.scene.dimension === 3 }));
    line.frustumCulled = false;
    this.traces.set(name, line);
    this.traceGroup.add(line);
  }

  private partColour(body: number): number {
    const name = this.bodies[body].name;
    return this.parts.find((p) => name === p.name || name.startsWith(`${p.name}.`))?.colour ?? this.colour;
  }

  // ---- at a time ---------------------------------------------------------------------------------

  private frame(body: number, i: number, p: THREE.Vector3, q: THREE.Quaternion): void {
    const m = this.result.motion, k = this.scene.bodies[body].motion;
    p.set(m[k][i], m[k + 1][i], m[k + 2][i]);
    q.set(m[k + 4][i], m[k + 5][i], m[k + 6][i], m[k + 3][i]);
  }

  private p1 = new THREE.Vector3();
  private q1 = new THREE.Quaternion();

  // Between two frames places go straight, orientations the short way round.
  update(t: number): void {
    const [i, f] = find(this.result.frameTimes, t);
    this.bodies.forEach((group, b) => {
      this.frame(b, i, group.position, group.quaternion);
      if (f > 0) {
        this.frame(b, i + 1, this.p1, this.q1);
        group.position.lerp(this.p1, f);
        group.quaternion.slerp(this.q1, f);
      }
      group.visible = Number.isFinite(group.position.x) && !this.hidden.has(group.name);
      group.updateMatrixWorld();
    });
    this.elastic.forEach((e, number) => this.bend(e, number, i, f));
    this.cloud?.update(t);
    for (const b of this.beams) b.update();
    for (const s of this.solids) s.update();
    for (const b of [...this.beams, ...this.solids]) b.object.visible = b.object.userData.known && !this.hidden.has(b.object.name);
    for (const s of this.stretched) this.stretch(s);
    this.arrows.update(t);
    this.contacts.update(t);
    for (const line of this.traces.values()) line.geometry.instanceCount = i;
  }

  private bend(e: (typeof this.elastic)[number], number: number, i: number, f: number): void {
    const s = this.shape;
    const q = Array.from({ length: e.body.modes }, (_, k) => {
      if (s) return number === s.of && k === s.mode ? s.amplitude * Math.sin(this.phase) : 0;
      const m = this.result.motion[e.motion + k];
      if (!m) return 0;
      const value = f > 0 ? m[i] + f * (m[i + 1] - m[i]) : m[i];
      return Number.isFinite(value) ? value : 0;
    });
    e.body.update(q, this.exaggeration, this.colouring, s ? s.top : this.top);
  }

  // A node of a mesh by its number in the mesh file, from the ground.
  node(name: string, label: number): number[] | null {
    const e = this.elastic.find((x) => x.name === name), body = this.bodies.find((b) => b.name === name);
    const at = e?.body instanceof MeshBody ? e.body.node(label) : null;
    return at && body ? body.localToWorld(at).toArray() : null;
  }

  position(name: string): number[] | null {
    const body = this.bodies.find((b) => b.name === name);
    if (body) return body.position.toArray();
    const place = this.places.find((p) => p.name === name);
    return place ? this.bodies[place.body].localToWorld(place.at.clone()).toArray() : null;
  }

  // Bodies whose boxes, along their own axes, are at a place; in the plane at any depth.
  around(place: number[], within: number): string[] {
    return this.bodies.flatMap((b, i) => {
      const box = this.boxes[i], p = b.worldToLocal(new THREE.Vector3().fromArray(place));
      if (!box || box.isEmpty()) return [];
      if (this.scene.dimension === 2) p.z = box.min.z;
      return box.distanceToPoint(p) <= within ? [b.name] : [];
    });
  }

  // A place of a joint or force in ground coordinates.
  placeOf(link: Link, end: number): THREE.Vector3 {
    const at = vector(link.at[end]), b = link.bodies[end];
    if (b >= 0) at.applyQuaternion(this.bodies[b].quaternion).add(this.bodies[b].position);
    return at;
  }

  private stretch(s: Stretched): void {
    const a = this.placeOf(s.link, 0), along = this.placeOf(s.link, 1).sub(a), length = along.length();
    s.mesh.position.copy(a);
    if (this.scene.dimension === 2) s.mesh.position.z = this.layer(-2).z - 2 * this.layer(-1).half;
    if (length > 0) s.mesh.quaternion.setFromUnitVectors(yAxis, along.normalize());
    s.mesh.scale.y = Math.max(length, 1e-9);
    const gone = s.link.bodies.some((b) => b >= 0 && this.hidden.has(this.bodies[b].name));
    s.mesh.visible = Number.isFinite(length) && !gone;
  }

  // Words at places of the picture.
  tags(): Tag[] {
    const list: Tag[] = [...this.arrows.tips(), ...this.contacts.tips()].map((a) => ({ ...a, kind: "value" }));
    for (const part of this.parts) {
      if (this.hidden.has(part.name) || !(this.names || part.name === this.selected)) continue;
      const at = this.middle(part);
      if (at) list.push({ at, text: part.name, kind: part.name === this.selected ? "name selected" : "name" });
    }
    return list.map((tag) => ({ ...tag, at: tag.at.clone().applyMatrix4(this.group.matrixWorld) }));
  }

  private middle(part: Part): THREE.Vector3 | null {
    const k = this.bodies.findIndex((b) => b === part.objects[0]);
    if (k >= 0) {
      const box = this.boxes[k], at = box && !box.isEmpty() ? box.getCenter(new THREE.Vector3()) : vector(this.scene.bodies[k].com);
      return this.bodies[k].visible ? this.bodies[k].localToWorld(at) : null;
    }
    const geometry = (part.objects[0] as THREE.Mesh).geometry, p = geometry.getAttribute("position");
    return part.objects[0].visible ? new THREE.Vector3().fromBufferAttribute(p, p.count >> 1) : null;
  }

  select(name: string | null): void {
    this.selected = name;
    for (const part of this.parts) for (const o of part.objects) {
      o.traverse((x) => {
        if (x instanceof THREE.Mesh && !x.userData.joint && x.material.emissive) light(x, part.name === name);
      });
    }
  }

  // The part whose drawing a ray meets first.
  pick(ray: THREE.Raycaster): { name: string; distance: number } | null {
    this.group.traverse((o) => { if (o instanceof THREE.Mesh) o.geometry.boundingSphere = null; }); // it has moved
    const hit = ray.intersectObjects(this.parts.flatMap((p) => p.objects), true)
      .find((h) => h.object instanceof THREE.Mesh && !h.object.userData.joint && shown(h.object));
    const part = hit && this.parts.find((p) => p.objects.some((o) => holds(o, hit.object)));
    return part ? { name: part.name, distance: hit.distance } : null;
  }

  // Places that all of the motion covers; with a body: as seen from it, put to where it starts.
  *extent(body = -1): Generator<THREE.Vector3> {
    const p = new THREE.Vector3(), q = new THREE.Quaternion(), at = new THREE.Vector3(), by = new THREE.Vector3(), frames = this.result.frameTimes.length;
    const corners = this.scene.bodies.map((b, i) => b.place === false ? [] : cornersOf(this.boxes[i], [vector(b.com), ...b.points.map((x) => vector(x.at))]));
    const step = Math.max(1, Math.floor(frames / Math.max(10, Math.min(LOOKED_AT, 4000 / this.scene.bodies.length))));
    for (let i = 0; i < frames; i += step) {
      if (body >= 0) {
        this.frame(body, i, by, q);
        by.negate().add(this.startOf(body));
      }
      for (const [b, list] of corners.entries()) {
        this.frame(b, i, p, q);
        if (!Number.isFinite(p.x + p.y + p.z + q.w + by.x)) continue;
        for (const c of list) yield at.copy(c).applyQuaternion(q).add(p).add(by);
      }
    }
    if (body >= 0) return;
    if (this.cloud) yield* this.cloud.box();
    if (!this.groundBox.isEmpty()) yield* cornersOf(this.groundBox, []);
  }

  box(): THREE.Box3 {
    const box = new THREE.Box3();
    for (const p of this.extent()) box.expandByPoint(p);
    return box;
  }
}

function shown(object: THREE.Object3D): boolean {
  for (let o: THREE.Object3D | null = object; o; o = o.parent) if (!o.visible) return false;
  return true;
}

function holds(outer: THREE.Object3D, object: THREE.Object3D): boolean {
  for (let o: THREE.Object3D | null = object; o; o = o.parent) if (o === outer) return true;
  return false;
}

function cornersOf(box: THREE.Box3 | null, places: THREE.Vector3[]): THREE.Vector3[] {
  if (!box || box.isEmpty()) return places;
  for (let k = 0; k < 8; k++) places.push(new THREE.Vector3(k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y, k & 4 ? box.max.z : box.min.z));
  return places;
}
