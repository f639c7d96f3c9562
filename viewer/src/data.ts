// data.ts - what the program put into the page: a header in JSON and one block of bytes.
//
// The block is deflated and in base64. Each array in it was laid out so that it packs well: its
// numbers taken as integers, each minus the one before it, lowest bytes of all first.

import type { Table } from "./charts/tables";

export interface Shape {
  kind: string; size: number[]; at: number[]; axis: number[];
  turn?: number[]; scale?: number; surface?: number; // of boxes and meshes; of meshes
  colour?: number; // 0xRRGGBB; else that of its body
}
export interface Surface { points: Float32Array[]; triangles: Uint32Array } // x, y, z
export interface Field { unit: number; parts: Int16Array[] } // of one elastic coordinate, a number a node
export interface Mesh extends Surface { labels: Uint32Array; modes: Field[]; stress: Field[] | null }
export interface Point { name: string; at: number[] }
export interface Elastic { motion: number; line: boolean; nodes: number[][]; shapes: number[][][]; mesh?: number }
export interface Body {
  name: string; motion: number; mass: number; com: number[]; points: Point[]; shapes: Shape[];
  elastic?: Elastic; place?: boolean; // false: a direction, nowhere
}
export interface Link { name: string; type: string; bodies: number[]; at: number[][]; axis?: number[]; axis2?: number[]; radius?: number }
export interface Solid { name: string; bodies: number[]; at: number[][]; triangles: number[][] }
export interface BeamLine { name: string; round: boolean; size: number[]; nodes: number[] }
export interface Scene {
  lines?: BeamLine[]; solids?: Solid[];
  dimension: number; size: number; gravity: number[]; bodies: Body[]; joints: Link[]; forces: Link[];
}

// Of one frame: coordinates, radii, speeds, a number a particle.
export interface ParticleFrame { places: Float32Array[]; radii: Float32Array; speeds: Float32Array }
export interface Particles {
  t: Float64Array; frames: ParticleFrame[]; low: number[]; high: number[]; radius: number; speed: number;
  every: number; most: number; // one of so many is in the page; particles of a frame in the result
  stride: number; stored: number; // the same of the frames
}
interface PackedParticles { every: number; most: number; stride: number; stored: number; low: number[]; high: number[]; radius: number; speed: number; frames: [number, number][] }

interface Counts { points: number; triangles: number; modes?: number[]; stress?: number[] }
interface Header {
  meshPoints: [number, number]; // in the page, in the results
  tables?: { name: string; columns: string[]; values: (number | null)[][] }[]; // by columns
  results: {
    label: string; title: string; complete: boolean; rows: number;
    names: string[]; units: string[]; signalRows: number; frameRows: number; nmotion: number;
    facts: [string, string | number | null][]; events: [number, string][];
    model: string | null; scene: Scene | null; surfaces: Counts[]; meshes: Counts[];
    particles?: PackedParticles;
  }[];
}

export interface Result {
  label: string; title: string; complete: boolean;
  rows: number; // in the file
  t: Float64Array; // of the signals
  names: string[]; units: string[];
  signals: Float32Array[];
  frameTimes: Float64Array;
  motion: Float32Array[]; // one a number of the scene's motion
  facts: [string, string | number | null][];
  events: [number, string][];
  model: string | null;
  scene: Scene | null;
  surfaces: Surface[];
  meshes: Mesh[];
  particles?: Particles;
}

class Reader {
  private at = 0;
  constructor(private bytes: Uint8Array) {}

  // Planes of bytes, lowest first; sums of differences.
  floats(n: number): Float32Array {
    const b = this.bytes, at = this.take(4 * n), out = new Uint32Array(n);
    let sum = 0;
    for (let i = 0; i < n; i++) {
      sum = (sum + (b[at + i] | b[at + n + i] << 8 | b[at + 2 * n + i] << 16 | b[at + 3 * n + i] << 24)) >>> 0;
      out[i] = sum;
    }
    return new Float32Array(out.buffer);
  }

  ints(n: number): Uint32Array {
    return new Uint32Array(this.floats(n).buffer);
  }

  shorts(n: number): Int16Array {
    const b = this.bytes, at = this.take(2 * n), out = new Int16Array(n);
    let sum = 0;
    for (let i = 0; i < n; i++) {
      sum = (sum + (b[at + i] | b[at + n + i] << 8)) & 0xffff;
      out[i] = sum;
    }
    return out;
  }

  surface(c: Counts): Surface {
    return { points: [0, 1, 2].map(() => this.floats(c.points)), triangles: this.ints(3 * c.triangles) };
  }

  mesh(c: Counts): Mesh {
    const fields = (units: number[], width: number): Field[] => units.map((unit) =>
      ({ unit, parts: Array.from({ length: width }, () => this.shorts(c.points)) }));
    const surface = this.surface(c), labels = this.ints(c.points);
    return { ...surface, labels, modes: fields(c.modes ?? [], 3), stress: c.stress ? fields(c.stress, 6) : null };
  }

  // Two bytes each, from low to high.
  private scaled(n: number, low: number, high: number): Float32Array {
    return Float32Array.from(this.shorts(n), (k) => low + (k & 0xffff) / 65535 * (high - low));
  }

  particles(p: PackedParticles): Particles {
    const frames = p.frames.map(([, n]) => ({
      places: [0, 1, 2].map((c) => this.scaled(n, p.low[c], p.high[c])), radii: this.scaled(n, 0, p.radius), speeds: this.scaled(n, 0, p.speed),
    }));
    return { ...p, t: Float64Array.from(p.frames, ([t]) => t), frames };
  }

  doubles(n: number): Float64Array {
    const b = this.bytes, at = this.take(8 * n), out = new BigUint64Array(n);
    let sum = 0n;
    for (let i = 0; i < n; i++) {
      let d = 0n;
      for (let k = 7; k >= 0; k--) d = d << 8n | BigInt(b[at + k * n + i]);
      sum = BigInt.asUintN(64, sum + d);
      out[i] = sum;
    }
    return new Float64Array(out.buffer);
  }

  private take(n: number): number {
    const at = this.at;
    this.at += n;
    if (this.at > this.bytes.length) throw new Error("the page's data ends too early");
    return at;
  }
}

async function unpack(base64: string): Promise<Uint8Array> {
  const text = atob(base64), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export interface Loaded { results: Result[]; meshPoints: [number, number]; tables: Table[] }

export async function load(): Promise<Loaded> {
  const header = document.getElementById("flexion-header")?.textContent;
  const block = document.getElementById("flexion-block")?.textContent;
  if (!header || !block) return { results: [], meshPoints: [0, 0], tables: [] };
  return take({ header: JSON.parse(header), block, meshes: document.getElementById("flexion-meshes")?.textContent ?? "" });
}

// The same, as a server gives it.
export interface Packed { header: unknown; block: string; meshes: string }
export async function take(data: Packed): Promise<Loaded> {
  const parsed = data.header as Header, packed = data.meshes;
  const reader = new Reader(await unpack(data.block));
  const meshReader = new Reader(packed ? await unpack(packed) : new Uint8Array());
  const results = parsed.results.map((r) => {
    const t = reader.doubles(r.signalRows);
    const signals = r.names.map(() => reader.floats(r.signalRows));
    const frameTimes = reader.doubles(r.frameRows);
    const motion = Array.from({ length: r.nmotion }, () => reader.floats(r.frameRows));
    const surfaces = r.surfaces.map((c) => meshReader.surface(c)), meshes = r.meshes.map((c) => meshReader.mesh(c));
    const particles = r.particles ? meshReader.particles(r.particles) : undefined;
    if (!particles || r.scene) return { ...r, t, signals, frameTimes, motion, surfaces, meshes, particles };
    const size = Math.hypot(...particles.high.map((x, c) => x - particles.low[c])) || 1; // nothing else is there to see
    const scene: Scene = { dimension: 3, size, gravity: [0, 0, -9.81], bodies: [], joints: [], forces: [] };
    return { ...r, rows: particles.t.length, t, signals, frameTimes: particles.t, motion, surfaces, meshes, particles, scene };
  });
  const tables = (parsed.tables ?? []).map((x) => ({ name: x.name, columns: x.columns, rows: (x.values[0] ?? []).map((_, i) => x.values.map((v) => v[i] ?? null)) }));
  return { results, meshPoints: parsed.meshPoints, tables };
}

// The last place whose time is not after t, and how far t is on the way to the next: [0, 1).
export function find(times: Float64Array, t: number): [number, number] {
  const n = times.length;
  if (n < 2 || !(t > times[0])) return [0, 0];
  if (t >= times[n - 1]) return [n - 1, 0];
  let low = 0, high = n - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= t) low = middle; else high = middle;
  }
  const length = times[high] - times[low];
  return [low, length > 0 ? (t - times[low]) / length : 0];
}

// A signal at t, straight between its rows. NaN where it is not known.
export function valueAt(r: Result, column: number, t: number): number {
  const [i, f] = find(r.t, t), s = r.signals[column];
  if (s.length === 0) return NaN;
  return f > 0 ? s[i] + f * (s[i + 1] - s[i]) : s[i];
}
