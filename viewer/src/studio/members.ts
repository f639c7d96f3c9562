// members.ts - what may stand behind the name of an item and a dot: its points, its signals, the parts of a vector.
import type { EditorState } from "@codemirror/state";
import { find, outline, scalars } from "./outline";

const turned = ["angle", "rate", "reaction", "moment"], slid = ["displacement", "rate", "reaction", "moment"], held = ["displacement", "reaction", "moment"];
const joints: Record<string, string[]> = {
  revolute: turned, prismatic: slid, cylindrical: ["angle", ...slid], screw: ["angle", ...slid], universal: turned, spherical: ["rotation", ...held],
  fixed: ["reaction", "moment"], distance: ["reaction"],
};
const along = ["value", "length", "power"], given = ["value", "power"], spread = ["value", "resultant", "moment", "power"];
const forces: Record<string, string[]> = {
  spring: along, actuator: along, cable: along, muscle: [...along, "activation", "fibre", "excitation"], bushing: ["value", "moment", "displacement"],
  force: given, torque: given, distributed: spread, pressure: spread, traction: spread, contact: ["value", "gap", "penetration", "force", "friction", "slip", "place", "contacts"],
  tyre: ["value", "power", "longitudinal", "lateral", "slip", "side_slip", "deflection", "aligning"],
};
const VECTORS = /^(position|velocity|acceleration|ex|ey|ez)$/, TURNING = ["orientation", "angular_velocity", "angular_acceleration"];
const ENERGIES = ["kinetic", "potential", "strain", "dissipated", "total"];

// base: what stands before the last dot.
export function members(state: EditorState, base: string): string[] {
  const root = outline(state), dimension = find(root, ["dimension"])?.value, planar = !!dimension && state.sliceDoc(dimension.from, dimension.to) === "2";
  const [name, ...behind] = base.split("."), item = name.replace(/\(.*$/, ""), parts = planar ? ["x", "y"] : ["x", "y", "z"];
  const typeOf = (section: string) => { const e = find(root, [section, item]); return e ? scalars(state, e).type ?? "" : null; };
  if (name === "energy") return behind.length === 0 ? ENERGIES : [];
  const body = find(root, ["bodies", item]), joint = typeOf("joints"), force = typeOf("forces");
  if (behind.length > 0 && VECTORS.test(behind[behind.length - 1])) return body ? parts : [];
  if (joint !== null) return behind.length === 0 ? joints[joint] ?? [] : /^(reaction|moment)$/.test(behind[0]) ? parts : [];
  if (force !== null) return behind.length === 0 ? forces[force] ?? [] : [];
  if (!body || behind.length > 1) return [];
  const points = typeOf("bodies") === "beam" ? ["start", "end"] : find(body, ["points"])?.children.map((p) => p.key) ?? [];
  const moved = ["position", "velocity", "acceleration", ...(planar ? ["angle", "rate"] : []), ...TURNING, "ex", "ey", ...(planar ? [] : ["ez"])];
  return behind.length === 0 ? [...points, ...moved] : points.includes(behind[0].replace(/\(.*$/, "")) ? moved : [];
}
