// rename.ts - another name of an item, at the item and at all that names it. A model has one name space; what a place of the
// text may be, the schema says: free text, files and words such as types are no names.
import type { ChangeSpec, EditorState } from "@codemirror/state";
import { find, scalars, wholeOutline, type Entry } from "./outline";
import type { Language, Step } from "./schema";

const OTHER_SPACES = /^models\.|^fe\.|\.interfaces\./; // of models used as parts, of meshes
const KEYS_THAT_NAME = /^(sweep|optimise)\.parameters\.[^.]+$|^events\.[^.]+\.set\.|^control\.[^.]+\.nominal\.|^analyse\.[^.]+\.[^.]+\.|^bodies\.[^.]+\.attach\./;
const CONDITIONS = /^optimise\.subject_to\./; // text, with names in it
const WORDS = /^analyse\.[^.]+\.(kind|method|ends|weights)$|^bodies\.[^.]+\.attach\./;
const MODEL_OF_PART = /^parts\.[^.]+\.model$/;
const FINDS_SIGNALS = /^(inversion|optimal-control|kinematics)$/; // analyses whose results have the names of inputs and joints

// Arguments of a function and indices of a repetition hide the model's names.
function hides(state: EditorState, e: Entry, name: string): boolean {
  return e.children.some((c) => {
    if (c.key === "repeat") return c.children.some((i) => i.key === name);
    return c.key === "of" && c.kind === "list" && c.children.some((a) => state.sliceDoc(a.from, a.to).trim() === name);
  });
}

// The name where it begins a path, and behind what has signals of this name: `ik.hinge`, `gravel.on_drum`.
function patternOf(state: EditorState, root: Entry, section: string, name: string): RegExp {
  const finders = find(root, ["analyse"])?.children.filter((c) => FINDS_SIGNALS.test(scalars(state, c).type ?? "")).map((c) => `${c.key}\\.`) ?? [];
  const walls = find(root, ["particles"])?.children.map((c) => `${c.key}\\.on_`) ?? [];
  const before = section === "analyse" || section === "particles" ? [] : [...finders, ...walls];
  const begins = ["(?<![\\w.])", ...before.map((b) => `(?<=(?<![\\w.])${b})`)];
  return new RegExp(`(?:${begins.join("|")})${name}(?!\\w)`, "g");
}

export function rename(state: EditorState, language: Language | null, path: string[], name: string): ChangeSpec[] {
  const root = wholeOutline(state), [section, old] = path, changes: { from: number; to: number; insert: string }[] = [];
  if (!root) return [];
  const pattern = patternOf(state, root, section, old);
  const scan = (from: number, to: number) => {
    for (const m of state.sliceDoc(from, to).matchAll(pattern)) changes.push({ from: from + m.index!, to: from + m.index! + old.length, insert: name });
  };
  const isNaming = (at: string, steps: Step[], value: string) => {
    if (section === "models") return MODEL_OF_PART.test(at);
    return CONDITIONS.test(at) || (!WORDS.test(at) && (language?.refers(steps, value) ?? false));
  };
  const visit = (e: Entry, steps: Step[]) => {
    const at = steps.map((s) => s.key).join("."), own = at === path.join("."), keyed = typeof steps[steps.length - 1]?.key === "string";
    if (own || (keyed && section !== "models" && KEYS_THAT_NAME.test(at))) scan(e.from, e.from + e.key.length + 2);
    if ((OTHER_SPACES.test(at) && !own) || (e.kind === "mapping" && hides(state, e, old))) return;
    const value = e.kind === "scalar" && e.value ? state.sliceDoc(e.value.from, e.value.to) : "";
    if (value !== "" && isNaming(at, steps, value)) scan(e.value!.from, e.value!.to);
    const siblings = e.kind === "mapping" ? scalars(state, e) : undefined;
    const here = steps.length > 0 ? [...steps.slice(0, -1), { key: steps[steps.length - 1].key, siblings }] : steps;
    for (const c of e.children) visit(c, [...here, { key: e.kind === "list" ? Number(c.key) : c.key }]);
  };
  visit(root, []);
  return changes;
}
