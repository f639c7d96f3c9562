// edit.ts - edits of a model's text that keep its comments and its layout: each is a list of changes to the text, which the
// editor applies, and takes back when one undoes it.
import type { ChangeSpec, EditorState } from "@codemirror/state";
import { yamlLanguage } from "@codemirror/lang-yaml";
import { find, outline, wholeOutline, type Entry } from "./outline";

const STEP = "  ";
// Sections of items with names.
export const named = ["parameters", "inputs", "signals", "functions", "paths", "bodies", "joints", "forces", "events", "control", "analyse", "parts", "models", "fmus", "particles", "equations.second_order", "equations.first_order", "equations.constraints", "equations.discrete"];

const lineStart = (state: EditorState, pos: number) => state.doc.lineAt(pos).from;
const indentOf = (state: EditorState, pos: number) => /^\s*/.exec(state.doc.lineAt(pos).text)![0];

// The end of the text of a pair, without the blank lines and comments that follow it.
function endOf(state: EditorState, e: Entry): number {
  const text = state.sliceDoc(e.from, e.to);
  return e.from + text.replace(/\s+$/, "").length;
}

// Behind the last line of a pair, comment and all.
function lineEnd(state: EditorState, e: Entry): number {
  return state.doc.lineAt(endOf(state, e)).to;
}

// "key: value", or the lines of a value below its key.
const pair = (key: string, value: string) => (value.startsWith("\n") ? `${key}:${value}` : `${key}: ${value}`);

// The lines of a value within brackets.
const inBrackets = (value: string) => (value.startsWith("\n") ? `{${value.trim().split(/\n\s*/).join(", ")}}` : value);

// Where a text may be added to: before the mark that ends a document.
function endOfText(state: EditorState): number {
  return /(?<=\n)\.\.\.\s*$/.exec(state.doc.toString())?.index ?? state.doc.length;
}

// A pair more in a mapping.
function addTo(state: EditorState, map: Entry, key: string, value: string, outer: number): ChangeSpec[] {
  if (map.kind === "mapping" && map.flow && map.value) {
    const last = map.children[map.children.length - 1];
    if (!last) return [{ from: map.value.from, to: map.value.to, insert: `{${pair(key, inBrackets(value))}}` }];
    return [{ from: endOf(state, last), insert: `, ${pair(key, inBrackets(value))}` }];
  }
  if (map.kind === "mapping" && map.children.length > 0) {
    const last = map.children[map.children.length - 1], indent = indentOf(state, map.children[0].from);
    return [{ from: lineEnd(state, last), insert: `\n${indent}${pair(key, value)}` }];
  }
  // nothing is there yet
  const indent = STEP.repeat(outer), from = map.value ? map.value.from : state.doc.lineAt(map.from).to;
  return [{ from, to: map.value ? map.value.to : from, insert: `\n${indent}${pair(key, value)}` }];
}

// A text as one value, which leaves all else of the model as it is: brackets and quotes are closed, no comment, no other key. In
// brackets a comma ends a value: a formula with one is put in quotes. null: it is none.
export function oneValue(state: EditorState, path: string[], text: string): string | null {
  const root = outline(state), inFlow = path.some((_, i) => find(root, path.slice(0, i))?.flow);
  if (isWhole(text, inFlow)) return text;
  return inFlow && /^[^"'[\]{}#:\n]*\)$/.test(text) && isWhole(`"${text}"`, true) ? `"${text}"` : null;
}

function isWhole(value: string, inFlow: boolean): boolean {
  const text = inFlow ? `{k: ${value}}` : `k: ${value}`, last = text.length - Number(inFlow);
  let pairs = 0, good = !/\n/.test(value);
  yamlLanguage.parser.parse(text).iterate({ enter: (n) => {
    if (n.type.isError || n.name === "Comment" || (/^Block(Mapping|Sequence)$/.test(n.name) && n.from > 0)) good = false;
    if (n.name === "QuotedLiteral" && (n.to - n.from < 2 || text[n.to - 1] !== text[n.from])) good = false;
    if (n.name === "Pair" && n.from <= Number(inFlow)) pairs += n.to === last ? 1 : 2;
    if (n.name === "Pair" && n.from > Number(inFlow) && n.matchContext(["FlowMapping"]) && n.node.parent?.from === 0) pairs++;
  } });
  return good && pairs === 1;
}

// The value at a path, as it is written in the text; missing mappings on the way are made.
export function setValue(state: EditorState, path: string[], value: string): ChangeSpec[] {
  const root = wholeOutline(state);
  if (!root) return [];
  const there = find(root, path);
  if (there?.value) return [{ from: there.value.from, to: there.value.to, insert: value }];
  if (there) return [{ from: endOf(state, there), insert: ` ${value}` }];
  let depth = path.length - 1, map: Entry | null = null;
  while (depth >= 0 && !(map = find(root, path.slice(0, depth)))) depth--;
  const rest = path.slice(depth + 1), whole = rest.reduceRight((v, k) => `{${k}: ${inBrackets(v)}}`, value);
  if ((depth <= 0 || !map) && !root.flow) {
    const end = endOfText(state), text = state.sliceDoc(0, end), gap = text === "" || text.endsWith("\n\n") ? "" : text.endsWith("\n") ? "\n" : "\n\n";
    const inner = rest.length > 0 ? `\n${STEP}${pair(rest[0], rest.slice(1).reduceRight((v, k) => `{${k}: ${inBrackets(v)}}`, value))}` : ` ${value}`;
    return [{ from: end, insert: `${gap}${path[0]}:${inner}\n` }];
  }
  return addTo(state, map ?? root, path[Math.max(depth, 0)], whole, depth);
}

// Without the pair at a path. A mapping that would be left empty goes with it.
export function remove(state: EditorState, path: string[]): ChangeSpec[] {
  const root = wholeOutline(state), e = root && find(root, path), above = root && find(root, path.slice(0, -1));
  if (!e || !above) return [];
  if (above.children.length === 1 && path.length > 1) return remove(state, path.slice(0, -1));
  if (above.flow) {
    const i = above.children.indexOf(e), next = above.children[i + 1], before = above.children[i - 1];
    if (next) return [{ from: e.from, to: next.from }];
    return [{ from: endOf(state, before), to: endOf(state, e) }];
  }
  const from = lineStart(state, e.from), to = Math.min(lineEnd(state, e) + 1, state.doc.length);
  return [{ from, to }];
}

// A name that nothing of the model has yet, but for one item: "body", "body2", ... A model has one name space.
export function freeName(state: EditorState, wish: string, own = ""): string {
  const root = outline(state), taken = new Set(["ground", ...named.flatMap((section) => find(root, section.split("."))?.children.map((c) => c.key) ?? [])]);
  taken.delete(own);
  for (let i = 1; ; i++) {
    const name = i === 1 ? wish : `${wish}${i}`;
    if (!taken.has(name)) return name;
  }
}
