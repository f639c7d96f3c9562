// mechanism.ts - one result as things to draw: bodies, joints, springs, traces, arrows of forces.
import * as THREE from "three";
import { find, valueAt, type BeamLine, type Elastic, type Link, type Result, type Scene, type Shape, type Surface } from "./data";
import { BeamBody } from "./beam";
import { ElasticBody } from "./elastic";
import type { Colouring } from "./colours";
import { MeshBody } from "./mesh";

const zAxis = new THREE.Vector3(0, 0, 1), yAxis = new THREE.Vector3(0, 1, 0);

function vector(a: number[]): THREE.Vector3 {
  return new THREE.Vector3(a[0], a[1], a[2]);
}

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

// Flat facets: files of surfaces do not say which edges are round.
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

function facets(material: THREE.MeshStandardMaterial): THREE.Material {
  const flat = material.clone();
  flat.flatShading = true;
  flat.side = THREE.DoubleSide; // not every file turns its triangles outwards
  return flat;
}

// What can leave a trace: the centre of mass of a body, or a point of it.
export interface Place { name: string; body: number; at: THREE.Vector3 }

interface Arrow { helper: THREE.ArrowHelper; columns: number[]; link: Link; end: number; largest: number }
interface Coil { line: THREE.Line; link: Link; turns: number }

export class Mechanism {
  readonly group = new THREE.Group();
  readonly bodies: THREE.Group[] = [];
  readonly places: Place[] = [];
  private ends: Place[] = []; // corners of the boxes round elastic bodies
  private jointGroup = new THREE.Group();
  private axesGroup: THREE.AxesHelper[] = [];
  private arrowGroup = new THREE.Group();
  private traceGroup = new THREE.Group();
  private coils: Coil[] = [];
  private arrows: Arrow[] = [];
  private beams: BeamBody[] = [];
  readonly elastic: { body: ElasticBody | MeshBody; motion: number; name: string }[] = [];
  exaggeration = 1; // of deformations
  colouring: Colouring = "displacement";
  top = 0; // value of the last colour
  private shape: { of: number; mode: number; amplitude: number; top: number } | null = null; // that is shown instead
  phase = 0; // of it
  private largest = new Map<Colouring, number>();
  private traces = new Map<string, THREE.Line>();
  private scene: Scene;
  private round: number; // corners of a circle: fewer where there are many bodies

  constructor(readonly result: Result, readonly colour: number, palette: number[], opacity: number) {
    this.scene = result.scene!;
    this.round = this.scene.bodies.length > 40 ? 8 : 20;
    this.scene.bodies.forEach((_, i) => this.addBody(i, palette[i % palette.length], opacity));
    (this.scene.lines ?? []).forEach((l, i) => this.addLine(l, palette[i % palette.length], opacity));
    for (const j of this.scene.joints) this.addJoint(j);
    for (const f of this.scene.forces) this.addForce(f);
    for (const j of this.scene.joints) this.addArrow(j, `${j.name}.reaction`, 0x2e8b57);
    this.group.add(this.jointGroup, this.arrowGroup, this.traceGroup);
    this.arrowGroup.visible = false;
  }

  private addLine(l: BeamLine, colour: number, opacity: number): void {
    const nodes = l.nodes.map((n) => this.bodies[n]).filter((n) => n !== undefined);
    if (nodes.length < 2) return;
    const beam = new BeamBody(l, nodes, this.scene.size, colour, opacity);
    this.beams.push(beam);
    this.group.add(beam.object);
  }

  private surfaces = new Map<number, THREE.BufferGeometry>();

  // Made once, however many bodies have it.
  private surface(number: number): THREE.BufferGeometry {
    const made = this.surfaces.get(number) ?? surfaceOf(this.result.surfaces[number] ?? { points: [0, 1, 2].map(() => new Float32Array()), triangles: new Uint32Array() });
    this.surfaces.set(number, made);
    return made;
  }

  private addBody(i: number, colour: number, opacity: number): void {
    const b = this.scene.bodies[i], group = new THREE.Group();
    const material = new THREE.MeshStandardMaterial({
      color: colour, roughness: 0.55, metalness: 0.15, transparent: opacity < 1, opacity,
    });
    for (const s of b.shapes) {
      const surface = s.surface !== undefined ? this.surface(s.surface) : null;
      const geometry = surface ?? geometryOf(s, this.scene.size, this.round);
      const mesh = meshOf(s, geometry, surface ? facets(material) : material);
      // bodies of a plane lie one above the other, as sheets do
      if (this.scene.dimension === 2) mesh.position.z += 0.003 * this.scene.size * (i % 20);
      group.add(mesh);
    }
    const round = b.elastic ? this.addElastic(b.name, b.elastic, group, opacity) : null;
    for (const at of round ? [round.min, round.max] : []) this.ends.push({ name: b.name, body: i, at });
    const axes = new THREE.AxesHelper(0.12 * this.scene.size);
    axes.visible = false;
    this.axesGroup.push(axes);
    group.add(axes);
    group.name = b.name;
    this.bodies.push(group);
    this.group.add(group);
    this.places.push({ name: b.mass > 0 ? `${b.name}.com` : b.name, body: i, at: vector(b.com) });
    for (const p of b.points) this.places.push({ name: `${b.name}.${p.name}`, body: i, at: vector(p.at) });
  }

  // Returns the box round it; null: there is nothing to draw.
  private addElastic(name: string, e: Elastic, group: THREE.Group, opacity: number): THREE.Box3 | null {
    const mesh = e.mesh === undefined ? undefined : this.result.meshes[e.mesh], box = new THREE.Box3();
    let body: ElasticBody | MeshBody;
    if (mesh) {
      const [x, y, z] = mesh.points, p = new THREE.Vector3();
      for (let i = 0; i < x.length; i++) box.expandByPoint(p.set(x[i], y[i], z[i]));
      body = new MeshBody(mesh, opacity);
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

  // One mode of one elastic body instead of its motion; null: the motion again.
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

  // A joint is drawn on its first body, in whose axes its axis is given.
  private addJoint(j: Link): void {
    const s = this.scene.size, on = j.bodies[0] >= 0 ? this.bodies[j.bodies[0]] : this.jointGroup;
    const material = new THREE.MeshStandardMaterial({ color: 0x30363d, roughness: 0.4 });
    const r = 0.014 * s;
    let geometry: THREE.BufferGeometry;
    switch (j.type) {
      case "revolute": case "cylindrical": case "screw": geometry = new THREE.CylinderGeometry(r, r, 3.2 * r, this.round); break;
      case "prismatic": geometry = new THREE.BoxGeometry(0.5 * r, s, 0.5 * r); break; // a rail
      case "free": case "distance": case "rolling": case "knife-edge": return;
      default: geometry = new THREE.SphereGeometry(1.15 * r, this.round, this.round >> 1);
    }
    const mesh = new THREE.Mesh(geometry, material), axis = vector(j.axis ?? [0, 0, 1]);
    mesh.position.copy(vector(j.at[0]));
    if (axis.length() > 0) mesh.quaternion.setFromUnitVectors(yAxis, axis.normalize());
    if (this.scene.dimension === 2 && j.type !== "prismatic") mesh.position.z += 0.06 * s;
    mesh.userData.joint = true;
    on.add(mesh);
  }

  private addForce(f: Link): void {
    if (f.type === "spring" || f.type === "actuator") {
      const turns = f.type === "spring" ? 9 : 0, n = turns > 0 ? 8 * turns + 3 : 2;
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(3 * n), 3));
      const line = new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: f.type === "spring" ? 0xb8860b : 0xc0392b }));
      line.frustumCulled = false;
      this.coils.push({ line, link: f, turns });
      this.group.add(line);
    }
    if (f.type === "force") this.addArrow(f, `${f.name}.value`, 0xc0392b);
  }

  private addArrow(link: Link, signal: string, colour: number): void {
    const columns = ["x", "y", "z"].map((k) => this.result.names.indexOf(`${signal}.${k}`));
    if (columns[0] < 0 || columns[1] < 0) return;
    let largest = 0;
    const s = this.result.signals;
    for (let i = 0; i < this.result.t.length; i++) {
      const size = Math.hypot(...columns.map((c) => c >= 0 ? s[c][i] : 0));
      if (size > largest) largest = size;
    }
    if (!(largest > 0)) return;
    const helper = new THREE.ArrowHelper(zAxis, new THREE.Vector3(), 1, colour);
    this.arrows.push({ helper, columns, link, end: 1, largest });
    this.arrowGroup.add(helper);
  }

  has(what: "arrows" | "elastic"): boolean {
    return what === "arrows" ? this.arrows.length > 0 : this.elastic.length > 0;
  }

  show(what: "joints" | "frames" | "arrows", on: boolean): void {
    if (what === "arrows") this.arrowGroup.visible = on;
    if (what === "frames") for (const a of this.axesGroup) a.visible = on;
    if (what === "joints") this.group.traverse((o) => { if (o.userData.joint) o.visible = on; });
  }

  trace(name: string, on: boolean): void {
    const old = this.traces.get(name);
    if (old) {
      this.traceGroup.remove(old);
      old.geometry.dispose();
      this.traces.delete(name);
    }
    const place = this.places.find((p) => p.name === name);
    if (!on || !place) return;
    const n = this.result.frameTimes.length, points = new Float32Array(3 * n);
    const p = new THREE.Vector3(), q = new THREE.Quaternion();
    for (let i = 0; i < n; i++) {
      this.frame(place.body, i, p, q);
      const at = place.at.clone().applyQuaternion(q).add(p);
      points.set([at.x, at.y, at.z], 3 * i);
    }
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(points, 3));
    const line = new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: this.colour }));
    line.frustumCulled = false;
    this.traces.set(name, line);
    this.traceGroup.add(line);
  }

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
      group.visible = Number.isFinite(group.position.x);
      group.updateMatrixWorld();
    });
    this.elastic.forEach((e, number) => this.bend(e, number, i, f));
    for (const b of this.beams) b.update();
    for (const c of this.coils) this.stretch(c);
    for (const a of this.arrows) this.point(a, t);
    for (const line of this.traces.values()) line.geometry.setDrawRange(0, i + 1);
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

  // A place of a joint or force in ground coordinates.
  placeOf(link: Link, end: number): THREE.Vector3 {
    const at = vector(link.at[end]), b = link.bodies[end];
    if (b >= 0) at.applyQuaternion(this.bodies[b].quaternion).add(this.bodies[b].position);
    return at;
  }

  private stretch(c: Coil): void {
    const a = this.placeOf(c.link, 0), b = this.placeOf(c.link, 1), along = b.clone().sub(a);
    const out = c.line.geometry.getAttribute("position") as THREE.BufferAttribute;
    const length = along.length(), n = out.count;
    if (c.turns === 0 || !(length > 0)) {
      for (let i = 0; i < n; i++) out.setXYZ(i, ...a.clone().lerp(b, i / (n - 1)).toArray());
    } else {
      const u = along.clone().normalize();
      const e = new THREE.Vector3().crossVectors(u, Math.abs(u.z) < 0.9 ? zAxis : yAxis).normalize();
      const g = new THREE.Vector3().crossVectors(u, e), r = 0.014 * this.scene.size;
      for (let i = 0; i < n; i++) {
        const s = i / (n - 1), inside = i > 0 && i < n - 1, w = 2 * Math.PI * c.turns * s;
        const p = a.clone().addScaledVector(along, s);
        if (inside) p.addScaledVector(e, r * Math.cos(w)).addScaledVector(g, r * Math.sin(w));
        out.setXYZ(i, p.x, p.y, p.z);
      }
    }
    out.needsUpdate = true;
  }

  private point(a: Arrow, t: number): void {
    const v = a.columns.map((c) => c >= 0 ? valueAt(this.result, c, t) : 0);
    const d = vector(v), size = d.length();
    a.helper.visible = size > 1e-3 * a.largest;
    if (!a.helper.visible) return;
    const length = 0.35 * this.scene.size * size / a.largest;
    a.helper.position.copy(this.placeOf(a.link, a.end));
    a.helper.setDirection(d.normalize());
    a.helper.setLength(length, Math.min(0.3 * length, 0.05 * this.scene.size), 0.025 * this.scene.size);
  }

  // The box in which the bodies move over the whole run.
  box(): THREE.Box3 {
    const box = new THREE.Box3(), n = this.result.frameTimes.length, p = new THREE.Vector3();
    const step = Math.max(1, Math.floor(n / 200)), q = new THREE.Quaternion();
    for (let i = 0; i < n; i += step) {
      for (const place of [...this.places, ...this.ends]) {
        this.frame(place.body, i, p, q);
        p.add(place.at.clone().applyQuaternion(q));
        if (Number.isFinite(p.x + p.y + p.z)) box.expandByPoint(p);
      }
    }
    for (const j of this.scene.joints) {
      j.bodies.forEach((b, k) => { if (b < 0) box.expandByPoint(vector(j.at[k])); });
    }
    return box;
  }
}
