// inertia.ts - centre of mass and inertia of a body from the shapes that it is drawn with, filled evenly with its mass.
import type { Shape } from "../data";

type Matrix = number[][];
const identity: Matrix = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];

// Rows are where x, y, z of the second frame have their parts in the first: of a quaternion w, x, y, z.
function rotation(q: number[]): Matrix {
  const [w, x, y, z] = q;
  return [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)], [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]];
}

// Volume, and moments for a mass of one about its own axes; of what is round, along and across its axis.
function measure(s: Shape, planar: boolean): { volume: number; moments: Matrix } | null {
  const [a, b, c] = s.size;
  const round = (along: number, across: number): Matrix => {
    const n = Math.hypot(...s.axis), u = n > 0 ? s.axis.map((x) => x / n) : [1, 0, 0];
    return identity.map((row, i) => row.map((e, j) => across * e + (along - across) * u[i] * u[j]));
  };
  switch (s.kind) {
    case "box": {
      const I = [(b * b + c * c) / 12, (a * a + c * c) / 12, (a * a + b * b) / 12], R = s.turn ? rotation(s.turn) : identity;
      return { volume: a * b * (planar ? 1 : c), moments: R.map((_, i) => R.map((__, j) => [0, 1, 2].reduce((sum, k) => sum + R[i][k] * I[k] * R[j][k], 0))) };
    }
    case "sphere": return { volume: 4 / 3 * Math.PI * a ** 3, moments: identity.map((row) => row.map((e) => 0.4 * a * a * e)) };
    case "cylinder": return { volume: Math.PI * a * a * b, moments: round(a * a / 2, (3 * a * a + b * b) / 12) };
    case "capsule": { // a cylinder and two halves of a sphere, whose centres of mass are 3/8 of the radius beyond its ends
      const cylinder = Math.PI * a * a * b, ball = 4 / 3 * Math.PI * a ** 3, volume = cylinder + ball;
      const along = (cylinder * a * a / 2 + ball * 0.4 * a * a) / volume;
      const across = (cylinder * (3 * a * a + b * b) / 12 + ball * (0.4 * a * a + b * b / 4 + 3 * a * b / 8)) / volume;
      return { volume, moments: round(along, across) };
    }
    default: return null; // a mesh may be open
  }
}

// com; inertia about it: xx yy zz xy yz xz, where xy is minus the integral of x y dm. null: a shape has no volume that is known.
export function inertiaOf(shapes: Shape[], mass: number, planar: boolean): { com: number[]; inertia: number[] } | null {
  const parts = shapes.map((s) => ({ at: s.at, m: measure(s, planar) }));
  if (parts.length === 0 || parts.some((p) => !p.m || !(p.m.volume > 0))) return null;
  const volume = parts.reduce((sum, p) => sum + p.m!.volume, 0);
  const com = [0, 1, 2].map((k) => parts.reduce((sum, p) => sum + p.m!.volume * p.at[k], 0) / volume);
  const I = identity.map((row, i) => row.map((e, j) => parts.reduce((sum, p) => {
    const d = p.at.map((x, k) => x - com[k]), far = d[0] ** 2 + d[1] ** 2 + d[2] ** 2;
    return sum + mass * p.m!.volume / volume * (p.m!.moments[i][j] + far * e - d[i] * d[j]);
  }, 0)));
  return { com, inertia: [I[0][0], I[1][1], I[2][2], I[0][1], I[1][2], I[0][2]] };
}
