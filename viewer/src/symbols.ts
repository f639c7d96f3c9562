// symbols.ts - joints and the ground as engineers draw them. All that is drawn on one body is one mesh.
//
// A joint has a part on the body that carries it (the ground where it is one of the two) and a part on the other.
// Sizes are in units of u, a part of the mechanism's size.
import * as THREE from "three";
import { mergeGeometries } from "three/addons/utils/BufferGeometryUtils.js";
import type { Link, Scene } from "./data";

const STEEL = 0x9aa5b1, DARK = 0x4a5562, GROUND = 0x7d8895, WHITE = 0xf4f6f8;
const zAxis = new THREE.Vector3(0, 0, 1);

export const vector = (a: number[]) => new THREE.Vector3(a[0], a[1], a[2]);

// Where a body's sheet lies in a plane, and how thick it is; nothing in space.
export interface Layer { z: number; half: number }

// What the symbol of a link needs to know of the motion, all in the carrier's frame.
export interface Setting {
  carrier: number; // end of the link
  axis: THREE.Vector3; // in the carrier's frame
  otherAxis: THREE.Vector3; // the same in the frame of the other end
  travel: [number, number]; // of the other body along the axis, with room at both ends
  normal: THREE.Vector3; // from the ground to what is held, in the carrier's frame
}

// Axes x, y, z at a place, y along the second.
function basis(y: THREE.Vector3, near: THREE.Vector3, at: THREE.Vector3): THREE.Matrix4 {
  const up = y.clone().normalize(), z = near.clone().addScaledVector(up, -near.dot(up));
  if (z.lengthSq() < 1e-6) z.set(Math.abs(up.x) < 0.9 ? 1 : 0, Math.abs(up.x) < 0.9 ? 0 : 1, 0).addScaledVector(up, -(Math.abs(up.x) < 0.9 ? up.x : up.y));
  z.normalize();
  return new THREE.Matrix4().makeBasis(new THREE.Vector3().crossVectors(up, z), up, z).setPosition(at);
}

interface Piece { shape: THREE.BufferGeometry; colour: THREE.Color; frame: THREE.Matrix4 } // frame: axes of unit length

// Pieces as one, each in its place and colour.
function merged(list: Piece[]): THREE.BufferGeometry {
  const n = list.reduce((sum, p) => sum + p.shape.getAttribute("position").count, 0);
  const places = new Float32Array(3 * n), normals = new Float32Array(3 * n), colours = new Float32Array(3 * n);
  let at = 0;
  for (const { shape, colour, frame } of list) {
    const p = shape.getAttribute("position").array, m = shape.getAttribute("normal").array, e = frame.elements;
    for (let i = 0; i < p.length; i += 3, at += 3) {
      for (let k = 0; k < 3; k++) {
        places[at + k] = e[k] * p[i] + e[4 + k] * p[i + 1] + e[8 + k] * p[i + 2] + e[12 + k];
        normals[at + k] = e[k] * m[i] + e[4 + k] * m[i + 1] + e[8 + k] * m[i + 2];
      }
      colours[at] = colour.r;
      colours[at + 1] = colour.g;
      colours[at + 2] = colour.b;
    }
  }
  const g = new THREE.BufferGeometry();
  g.setAttribute("position", new THREE.BufferAttribute(places, 3));
  g.setAttribute("normal", new THREE.BufferAttribute(normals, 3));
  g.setAttribute("color", new THREE.BufferAttribute(colours, 3));
  return g;
}

export class Symbols {
  private parts = new Map<number, Piece[]>(); // of bodies; -1: the ground
  private made = new Map<string, THREE.BufferGeometry>(); // what many symbols share
  private planar: boolean;
  readonly u: number;
  corners = 0; // of all that was put so far

  constructor(scene: Scene, private up: THREE.Vector3, private layer: (body: number) => Layer, private round: number) {
    this.planar = scene.dimension === 2;
    this.u = (this.planar ? 0.014 : 0.017) * scene.size; // in space rods are round, and thicker than a pin in front of them
  }

  // One mesh for each body that has any.
  meshes(): [number, THREE.Mesh][] {
    const material = new THREE.MeshStandardMaterial({ vertexColors: true, roughness: 0.45, metalness: 0.1 });
    return [...this.parts].map(([body, list]) => {
      const mesh = new THREE.Mesh(merged(list), material);
      mesh.userData.joint = true;
      return [body, mesh];
    });
  }

  // A geometry that is made once for all symbols of the same size.
  private once(kind: string, size: number[], make: () => THREE.BufferGeometry): THREE.BufferGeometry {
    const key = `${kind} ${size.join(" ")}`, there = this.made.get(key);
    if (there) return there;
    const g = make(), plain = g.index ? g.toNonIndexed() : g;
    this.made.set(key, plain);
    return plain;
  }

  private put(body: number, shape: THREE.BufferGeometry, colour: number, frame: THREE.Matrix4): void {
    const list = this.parts.get(body) ?? [];
    if (list.length === 0) this.parts.set(body, list);
    this.corners += shape.getAttribute("position").count;
    list.push({ shape, colour: new THREE.Color(colour), frame });
  }

  private rod(body: number, at: THREE.Vector3, axis: THREE.Vector3, radius: number, length: number, colour: number): void {
    this.put(body, this.once("rod", [radius, length], () => new THREE.CylinderGeometry(radius, radius, length, this.round)), colour, basis(axis, zAxis, at));
  }

  private ball(body: number, at: THREE.Vector3, radius: number, colour: number): void {
    this.put(body, this.once("ball", [radius], () => new THREE.SphereGeometry(radius, this.round, this.round >> 1)), colour, new THREE.Matrix4().setPosition(at));
  }

  private block(body: number, at: THREE.Vector3, axis: THREE.Vector3, size: [number, number, number], colour: number): void {
    this.put(body, this.box(...size), colour, basis(axis, this.planar ? zAxis : this.up, at));
  }

  // Moved by `at`, and before that turned about z.
  private box(a: number, b: number, c: number, at = [0, 0, 0], turn = 0): THREE.BufferGeometry {
    return this.once("box", [a, b, c, ...at, turn], () => new THREE.BoxGeometry(a, b, c).rotateZ(turn).translate(at[0], at[1], at[2]));
  }

  // Symbols of a plane lie over the two sheets that they join; those of the ground below all.
  private over(at: number[], ...bodies: number[]): THREE.Vector3 {
    const p = vector(at);
    if (this.planar) p.z = Math.max(...bodies.map((b) => this.layer(b).z + this.layer(b).half)) + 0.12 * this.u;
    return p;
  }

  // A plate of the ground with strokes behind it; the normal points to the free side.
  plate(at: THREE.Vector3, normal: THREE.Vector3, length = 5 * this.u): void {
    const u = this.u, deep = this.planar ? 0.3 * u : length;
    const place = at.clone();
    if (this.planar) place.z = this.layer(-1).z;
    const frame = basis(normal, this.planar ? zAxis : Math.abs(normal.z) < 0.9 ? zAxis : new THREE.Vector3(1, 0, 0), place);
    const on = (g: THREE.BufferGeometry, colour: number) => this.put(-1, g, colour, frame);
    on(this.box(length, 0.35 * u, deep, [0, -0.17 * u, 0]), GROUND);
    const n = Math.max(3, Math.min(40, Math.round(length / u)));
    for (let i = 0; i < n; i++) {
      const x = length * ((i + 0.7) / n - 0.5);
      on(this.box(0.2 * u, 1.5 * u, deep, [x - 0.1 * length / n, -0.85 * u, 0], -0.7), GROUND);
    }
  }

  // A stand under a joint that the ground carries.
  private stand(at: THREE.Vector3): void {
    const u = this.u, h = 3.4 * u, foot = at.clone().addScaledVector(this.up, -h);
    const g = this.once("stand", [], () => this.planar
      ? new THREE.ExtrudeGeometry(new THREE.Shape([[0, h], [-1.9 * u, 0], [1.9 * u, 0]].map(([x, y]) => new THREE.Vector2(x, y))), { depth: 0.3 * u, bevelEnabled: false })
      : new THREE.ConeGeometry(2.2 * u, h, 4).rotateY(Math.PI / 4).translate(0, 0.5 * h, 0));
    const place = foot.clone();
    if (this.planar) place.z = this.layer(-1).z;
    this.put(-1, g, STEEL, basis(this.up, zAxis, place));
    this.plate(foot, this.up);
  }

  // A rail along the axis over all the travel, between two plates where the ground carries it.
  private rail(body: number, at: THREE.Vector3, axis: THREE.Vector3, [low, high]: [number, number], radius: number): void {
    const a = low, b = high, place = at.clone();
    if (this.planar) place.z = this.layer(body).z;
    this.rod(body, place.clone().addScaledVector(axis, 0.5 * (a + b)), axis, radius, b - a, STEEL);
    if (body >= 0) return;
    this.plate(at.clone().addScaledVector(axis, a), axis);
    this.plate(at.clone().addScaledVector(axis, b), axis.clone().negate());
  }

  private hinge(j: Link, s: Setting): void {
    const u = this.u, body = j.bodies[s.carrier];
    const at = vector(j.at[s.carrier]);
    if (this.planar) {
      const layers = j.bodies.map((b) => this.layer(b)), top = this.over(j.at[s.carrier], ...j.bodies);
      const low = Math.min(...layers.map((l) => l.z - l.half)), middle = top.clone();
      middle.z = 0.5 * (low + top.z);
      this.rod(body, middle, zAxis, 1.15 * u, top.z - low, DARK);
      top.z += 0.05 * u;
      this.rod(body, top, zAxis, 0.62 * u, 0.1 * u, WHITE);
    } else {
      this.rod(body, at, s.axis, 0.9 * u, 5 * u, DARK);
      this.rod(j.bodies[1 - s.carrier], vector(j.at[1 - s.carrier]), s.otherAxis, 1.5 * u, 3 * u, STEEL);
    }
    if (body < 0) this.stand(at);
  }

  add(j: Link, s: Setting): void {
    const u = this.u, carrier = j.bodies[s.carrier], other = j.bodies[1 - s.carrier];
    const at = vector(j.at[s.carrier]), there = this.over(j.at[1 - s.carrier], carrier, other);
    switch (j.type) {
      case "revolute": return this.hinge(j, s);
      case "cylindrical": case "screw":
        this.rail(carrier, at, s.axis, s.travel, 0.7 * u);
        if (j.type === "screw") this.thread(carrier, at, s);
        return this.rod(other, there, s.otherAxis, 1.4 * u, 3 * u, DARK);
      case "prismatic":
        this.rail(carrier, at, s.axis, s.travel, 0.45 * u);
        return this.block(other, there, s.otherAxis, [1.7 * u, 3.4 * u, this.planar ? 0.2 * u : 1.7 * u], DARK);
      case "spherical":
        this.ball(other, there, 1.1 * u, DARK);
        this.put(carrier, this.once("ring", [], () => new THREE.TorusGeometry(1.15 * u, 0.45 * u, 8, this.round).rotateX(Math.PI / 2)), STEEL, basis(this.up, zAxis, at));
        if (carrier < 0) this.stand(at);
        return;
      case "universal":
        this.rod(j.bodies[0], vector(j.at[0]), vector(j.axis ?? [0, 0, 1]), 0.55 * u, 4 * u, DARK);
        this.rod(j.bodies[1], vector(j.at[1]), vector(j.axis2 ?? j.axis ?? [0, 0, 1]), 0.55 * u, 4 * u, STEEL);
        if (carrier < 0) this.stand(at);
        return;
      case "planar": case "point-on-plane":
        this.edges(carrier, at, s.axis, 8 * u);
        return this.ball(other, there, u, DARK);
      case "distance":
        for (const k of [0, 1]) {
          this.ball(j.bodies[k], this.over(j.at[k], j.bodies[k]), 0.8 * u, DARK);
          if (j.bodies[k] < 0) this.plate(vector(j.at[k]), s.normal);
        }
        return;
      case "point-on-line":
        this.rail(carrier, at, s.axis, s.travel, 0.45 * u);
        return this.ball(other, there, 1.1 * u, DARK);
      case "fixed":
        this.block(carrier < 0 ? other : carrier, this.over(j.at[carrier < 0 ? 1 - s.carrier : s.carrier], carrier, other), zAxis, [1.8 * u, this.planar ? 0.2 * u : 1.8 * u, 1.8 * u], DARK);
        if (carrier < 0) this.plate(at, s.normal);
        return;
      case "knife-edge":
        return this.block(other, there, vector(j.axis ?? [1, 0, 0]), [0.3 * u, 5 * u, u], DARK);
      case "rolling":
        if (this.planar && carrier < 0) this.floor(at, s);
    }
  }

  // A piece of a plane, by its edges.
  private edges(body: number, at: THREE.Vector3, normal: THREE.Vector3, length: number): void {
    const frame = basis(normal, this.up, at), thin = 0.2 * this.u;
    for (const side of [-0.5, 0.5]) {
      this.put(body, this.box(length, thin, thin, [0, 0, side * length]), STEEL, frame);
      this.put(body, this.box(thin, thin, length, [side * length, 0, 0]), STEEL, frame);
    }
  }

  // From a joint to a body that is drawn elsewhere.
  stem(body: number, from: THREE.Vector3, to: THREE.Vector3): void {
    const along = to.clone().sub(from);
    this.rod(body, from.clone().addScaledVector(along, 0.5), along, 0.35 * this.u, along.length(), STEEL);
  }

  private thread(body: number, at: THREE.Vector3, s: Setting): void {
    const u = this.u, length = s.travel[1] - s.travel[0], n = Math.min(60, Math.max(4, Math.round(length / u)));
    for (let i = 0; i < n; i++) {
      const p = at.clone().addScaledVector(s.axis, s.travel[0] + (i + 0.5) / n * length);
      this.put(body, this.once("thread", [], () => new THREE.TorusGeometry(0.75 * u, 0.2 * u, 4, this.round >> 1).rotateX(Math.PI / 2 - 0.2)), GROUND, basis(s.axis, zAxis, p));
    }
  }

  // What a wheel of a plane rolls on, as far as it goes.
  private floor(at: THREE.Vector3, s: Setting): void {
    const along = new THREE.Vector3(s.axis.y, -s.axis.x, 0), length = s.travel[1] - s.travel[0];
    this.plate(at.clone().addScaledVector(along, 0.5 * (s.travel[0] + s.travel[1])), s.axis, length);
  }
}

// ---- what reaches from one place to another ----------------------------------------------------

// Unit length along y, so that a scale stretches them.
export function stretchedOf(type: string, u: number, round: number): THREE.BufferGeometry | null {
  switch (type) {
    case "spring": return coil(u);
    case "actuator": return mergeGeometries([
      new THREE.CylinderGeometry(0.35 * u, 0.35 * u, 1, round).translate(0, 0.5, 0),
      new THREE.CylinderGeometry(0.9 * u, 0.9 * u, 0.55, round).translate(0, 0.3, 0)]);
    case "cable": return new THREE.CylinderGeometry(0.22 * u, 0.22 * u, 1, round).translate(0, 0.5, 0);
    case "muscle": return new THREE.LatheGeometry([[0, 0], [0.3, 0], [0.3, 0.12], [0.75, 0.3], [0.95, 0.5], [0.75, 0.7], [0.3, 0.88], [0.3, 1], [0, 1]].map(([r, y]) => new THREE.Vector2(r * u, y)), round);
    case "distance": return new THREE.CylinderGeometry(0.4 * u, 0.4 * u, 1, round).translate(0, 0.5, 0);
    default: return null;
  }
}

function coil(u: number): THREE.BufferGeometry {
  const turns = 8, n = 10 * turns, points: THREE.Vector3[] = [new THREE.Vector3()];
  for (let i = 0; i <= n; i++) {
    const w = 2 * Math.PI * turns * i / n;
    points.push(new THREE.Vector3(1.25 * u * Math.cos(w), 20 * u * (0.08 + 0.84 * i / n), 1.25 * u * Math.sin(w)));
  }
  points.push(new THREE.Vector3(0, 20 * u, 0));
  const tube = new THREE.TubeGeometry(new THREE.CatmullRomCurve3(points, false, "catmullrom", 0.4), 12 * turns, 0.2 * u, 5);
  return tube.scale(1, 1 / (20 * u), 1);
}
