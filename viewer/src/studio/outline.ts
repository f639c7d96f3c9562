// outline.ts - where the items of a model are in its text, from the tree that the editor keeps of it.
import { ensureSyntaxTree, syntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";
import type { SyntaxNode } from "@lezer/common";
import type { Step } from "./schema";

const SMALL = 100000; // letters: so many are parsed at once even on a busy machine
const PATIENCE = 60, LONG = 5000; // milliseconds for a tree that is not there yet: of a long text; where it must be whole

// A pair of a mapping, an item of a list, or the whole text.
export interface Entry {
  key: string; from: number; to: number; // of the pair
  value: { from: number; to: number } | null; // null: nothing is there
  kind: "mapping" | "list" | "scalar" | "none";
  flow: boolean; // in brackets
  children: Entry[];
}

const plain = (text: string) => text.replace(/^(["'])(.*)\1$/, "$2");

function entryOf(state: EditorState, key: string, from: number, to: number, value: SyntaxNode | null): Entry {
  while (value && (value.name === "Tagged" || value.name === "Anchored")) value = value.lastChild;
  const e: Entry = { key, from, to, value: value ? { from: value.from, to: value.to } : null, kind: "none", flow: false, children: [] };
  if (!value) return e;
  const text = (n: SyntaxNode) => plain(state.sliceDoc(n.from, n.to));
  if (value.name === "BlockMapping" || value.name === "FlowMapping") {
    e.kind = "mapping";
    e.flow = value.name === "FlowMapping";
    for (let n = value.firstChild; n; n = n.nextSibling) {
      if (n.name !== "Pair") continue;
      const k = n.getChild("Key");
      if (k) e.children.push(entryOf(state, text(k), n.from, n.to, valueOf(n)));
    }
  } else if (value.name === "BlockSequence" || value.name === "FlowSequence") {
    e.kind = "list";
    e.flow = value.name === "FlowSequence";
    let i = 0;
    for (let n = value.firstChild; n; n = n.nextSibling) {
      if (n.name === "Item") e.children.push(entryOf(state, String(i++), n.from, n.to, n.name === "Item" && !e.flow ? n.lastChild : n.firstChild));
    }
  } else {
    e.kind = "scalar";
  }
  return e;
}

// What follows the colon.
function valueOf(pair: SyntaxNode): SyntaxNode | null {
  let after = false;
  for (let n = pair.firstChild; n; n = n.nextSibling) {
    if (n.name === ":") after = true;
    else if (after && n.name !== "Comment" && !n.type.isError) return n;
  }
  return null;
}

function treeOf(state: EditorState, upto = state.doc.length) {
  return ensureSyntaxTree(state, upto, state.doc.length < SMALL ? LONG : PATIENCE) ?? syntaxTree(state);
}

// What edits go by: all of the text, for what is not found would be written a second time. null: it takes too long.
export function wholeOutline(state: EditorState): Entry | null {
  return ensureSyntaxTree(state, state.doc.length, LONG) ? outline(state) : null;
}

export function outline(state: EditorState): Entry {
  const document = treeOf(state).topNode.getChild("Document");
  let top: SyntaxNode | null = null;
  for (let n = document?.firstChild ?? null; n; n = n.nextSibling) if (/Mapping$/.test(n.name)) top = n;
  return entryOf(state, "", 0, state.doc.length, top);
}

export function find(root: Entry, path: (string | number)[]): Entry | null {
  let here: Entry | null = root;
  for (const key of path) here = here?.children.find((c) => c.key === String(key)) ?? null;
  return here;
}

// The scalars of a mapping, by key.
export function scalars(state: EditorState, e: Entry): Record<string, string> {
  const out: Record<string, string> = {};
  for (const c of e.children) if (c.kind === "scalar" && c.value) out[c.key] = plain(state.sliceDoc(c.value.from, c.value.to));
  return out;
}

// The way from the top to a place of the text; inKey: the place is in the last key rather than in its value.
export interface Place { path: Step[]; inKey: boolean; siblings: Record<string, string>; from: number }
export function placeAt(state: EditorState, pos: number): Place {
  const line = state.doc.lineAt(pos);
  treeOf(state, Math.min(line.to + 1, state.doc.length));
  let node: SyntaxNode | null = syntaxTree(state).resolveInner(pos, -1);
  const path: Step[] = [];
  let inKey = false, siblings: Record<string, string> = {}, from = pos;
  const text = (n: SyntaxNode) => plain(state.sliceDoc(n.from, n.to));
  const others = (pair: SyntaxNode): Record<string, string> => {
    const out: Record<string, string> = {};
    for (const p of pair.parent?.getChildren("Pair") ?? []) {
      const k = p.getChild("Key"), v = valueOf(p);
      if (k && v && /Literal$/.test(v.name)) out[text(k)] = text(v);
    }
    return out;
  };
  if (/Literal$/.test(node.name)) from = node.from;
  for (; node; node = node.parent) {
    if (node.name === "Pair") {
      const k = node.getChild("Key");
      if (!k) continue;
      if (path.length === 0) {
        inKey = pos <= k.to && pos >= k.from;
        siblings = others(node);
      }
      path.unshift({ key: text(k), siblings: others(node) });
    } else if (node.name === "Item" && node.parent) {
      path.unshift({ key: node.parent.getChildren("Item").findIndex((x) => x.from === node!.from) });
    }
  }
  return { path, inKey, siblings, from };
}

// The way to a line that is being written, by its indentation: the tree knows nothing of it yet.
export function placeOfLine(state: EditorState, pos: number): Place | null {
  const line = state.doc.lineAt(pos), before = state.sliceDoc(line.from, pos), m = /^(\s*)(-\s+)?([\w.']*)$/.exec(before);
  if (!m) return null;
  const path: Step[] = [], siblings: Record<string, string> = {};
  let indent = m[1].length + (m[2]?.length ?? 0);
  const column = indent;
  for (let n = line.number - 1; n > 0 && indent > 0; n--) {
    const t = state.doc.line(n).text, k = /^(\s*)([\w']+)\s*:\s*(.*)$/.exec(t);
    if (!k || /^\s*#/.test(t)) continue;
    const at = k[1].length, value = k[3].replace(/\s+#.*$/, "").replace(/^#.*$/, "");
    if (at === column && path.length === 0 && value) siblings[k[2]] = plain(value);
    if (at < indent && value === "") {
      path.unshift({ key: k[2] });
      indent = at;
    } else if (at < indent) return null;
  }
  return { path, inKey: true, siblings, from: pos - m[3].length };
}
