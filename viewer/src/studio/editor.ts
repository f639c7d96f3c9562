// editor.ts - the model as text: colours, errors where they are, completion and help from the schema, undo, search.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap, type Completion, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab, isolateHistory, redo, undo } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, foldGutter, HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, type ChangeSpec } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, hoverTooltip, keymap, lineNumbers, type Tooltip } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { members } from "./members";
import { placeAt, placeOfLine } from "./outline";
import type { Language } from "./schema";
import type { Message } from "./server";

const style = HighlightStyle.define([
  { tag: tags.definition(tags.propertyName), color: "var(--key)" }, { tag: tags.propertyName, color: "var(--key)" },
  { tag: tags.string, color: "var(--string)" }, { tag: tags.content, color: "var(--ink)" }, { tag: tags.comment, color: "var(--soft)", fontStyle: "italic" },
  { tag: tags.squareBracket, color: "var(--soft)" }, { tag: tags.brace, color: "var(--soft)" }, { tag: tags.separator, color: "var(--soft)" },
]);

const theme = EditorView.theme({
  "&": { height: "100%", fontSize: "13px", backgroundColor: "var(--card)", color: "var(--ink)" },
  ".cm-scroller": { fontFamily: "ui-monospace, \"DejaVu Sans Mono\", monospace", lineHeight: "1.45" },
  ".cm-gutters": { backgroundColor: "var(--card)", color: "var(--soft)", border: "0" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "color-mix(in srgb, var(--accent) 8%, transparent)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "color-mix(in srgb, var(--accent) 28%, transparent) !important" },
  ".cm-tooltip": { backgroundColor: "var(--card)", color: "var(--ink)", border: "1px solid var(--line)", borderRadius: "6px", maxWidth: "460px" },
  ".cm-tooltip .about": { padding: "6px 10px", font: "13px/1.4 system-ui, sans-serif" },
  ".cm-completionInfo": { font: "13px/1.4 system-ui, sans-serif" },
  ".cm-panels": { backgroundColor: "var(--back)", color: "var(--ink)" },
  ".cm-panels-bottom": { borderTop: "1px solid var(--line)" },
  ".cm-panel.cm-search": { padding: "6px 8px", font: "13px/1.4 system-ui, sans-serif" },
  ".cm-panel.cm-search label": { fontSize: "12px", color: "var(--soft)" },
  ".cm-panel.cm-search [name=close]": { color: "var(--ink)", minHeight: "0", fontSize: "16px" },
  ".cm-button": { backgroundImage: "none", backgroundColor: "var(--card)", color: "var(--ink)", border: "1px solid var(--line)", borderRadius: "6px", minHeight: "26px", fontSize: "12px" },
  ".cm-button:active": { backgroundImage: "none", backgroundColor: "var(--back)" },
  ".cm-textfield": { backgroundColor: "var(--card)", color: "var(--ink)", border: "1px solid var(--line)", borderRadius: "6px", minHeight: "26px", fontSize: "12px", padding: "1px 6px" },
  ".cm-searchMatch": { backgroundColor: "color-mix(in srgb, var(--string) 30%, transparent)" },
  ".cm-searchMatch.cm-searchMatch-selected": { backgroundColor: "color-mix(in srgb, var(--string) 60%, transparent)" },
  ".cm-selectionMatch": { backgroundColor: "color-mix(in srgb, var(--accent) 16%, transparent)" },
  ".cm-foldPlaceholder": { backgroundColor: "var(--back)", color: "var(--soft)", border: "1px solid var(--line)" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--accent) !important", color: "var(--card) !important" },
  ".cm-diagnostic": { font: "13px/1.4 system-ui, sans-serif", whiteSpace: "pre-wrap" },
});


// What the editor itself says, as in its search.
const german = {
  "Find": "Suchen", "Replace": "Ersetzen", "next": "weiter", "previous": "zurück", "all": "alle", "match case": "groß/klein", "regexp": "Muster", "by word": "Wort",
  "replace": "ersetzen", "replace all": "alle ersetzen", "close": "schließen", "current match": "gefunden", "on line": "in Zeile", "replaced match on line $": "ersetzt in Zeile $",
  "replaced $ matches": "$ ersetzt", "Completions": "Vorschläge", "Fold line": "Einklappen", "Unfold line": "Ausklappen", "unfold": "ausklappen", "folded code": "Eingeklapptes", "Go to line": "Zeile", "go": "los",
};

export class Editor {
  private phrases = new Compartment();
  private inGerman = false;
  readonly view: EditorView;
  private language: Language | null = null;
  frozen = false; // nothing is written any more
  private marked = false; // messages stand in the text

  // changed: the text is another one.
  constructor(parent: HTMLElement, private changed: (byUser: boolean) => void) {
    this.view = new EditorView({ parent, state: this.state("") });
  }

  private state(doc: string): EditorState {
    return EditorState.create({
      doc,
      extensions: [
        lineNumbers(), foldGutter(), lintGutter(), history(), drawSelection(), indentOnInput(), bracketMatching(), closeBrackets(), highlightActiveLine(),
        highlightActiveLineGutter(), highlightSelectionMatches(), yaml(), syntaxHighlighting(style), theme,
        autocompletion({ override: [(c) => this.complete(c)] }), hoverTooltip((_, pos) => this.help(pos)),
        keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...completionKeymap, indentWithTab]),
        this.phrases.of(EditorState.phrases.of(this.inGerman ? german : {})),
        EditorState.changeFilter.of(() => !this.frozen),
        EditorView.contentAttributes.of({ "aria-label": "model", spellcheck: "false" }),
        EditorView.updateListener.of((u) => {
          if (u.docChanged) this.changed(true);
        }),
      ],
    });
  }

  learn(language: Language): void {
    this.language = language;
  }

  speak(inGerman: boolean): void {
    if (inGerman === this.inGerman) return;
    this.inGerman = inGerman;
    this.view.dispatch({ effects: this.phrases.reconfigure(EditorState.phrases.of(inGerman ? german : {})) });
  }

  text(): string {
    return this.view.state.doc.toString();
  }

  // Another file: nothing of the one before can be brought back.
  open(text: string): void {
    this.view.setState(this.state(text));
    this.marked = false;
    this.changed(false);
  }

  // Another text of the same file.
  replace(text: string): void {
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
  }

  // One step, which undo takes back as one.
  edit(changes: ChangeSpec[], select?: number): void {
    if (changes.length > 0) this.view.dispatch({ changes, userEvent: "input.form", annotations: isolateHistory.of("full"), selection: select === undefined ? undefined : { anchor: select } });
  }

  undo(): void { undo(this.view); }
  redo(): void { redo(this.view); }

  show(from: number): void {
    const at = Math.min(from, this.view.state.doc.length);
    this.view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
  }

  // Errors and notes at their places; those of other files, or of nowhere, at the first line.
  mark(messages: Message[]): void {
    const doc = this.view.state.doc, found: Diagnostic[] = messages.filter((m) => m.line > 0 || m.file).map((m) => { // with a place
      const line = doc.line(Math.min(Math.max(m.file ? 1 : m.line, 1), doc.lines));
      const from = Math.min(line.from + Math.max(m.file ? 0 : m.column - 1, 0), line.to);
      const word = /^[\w.'-]+/.exec(doc.sliceString(from, line.to))?.[0].length ?? 0;
      return { from, to: Math.min(from + Math.max(word, 1), doc.length), severity: m.error ? "error" : "info", message: m.file ? `${m.file}:${m.line}: ${m.text}` : m.text };
    });
    if (found.length > 0 || this.marked) this.view.dispatch(setDiagnostics(this.view.state, found));
    this.marked = found.length > 0;
  }

  // ---- help ---------------------------------------------------------------------------------------

  private help(pos: number): Tooltip | null {
    const place = placeAt(this.view.state, pos), about = this.language?.describe(place.path) ?? "";
    if (!about || place.path.length === 0) return null;
    return {
      pos, above: true,
      create: () => {
        const dom = document.createElement("div"), name = document.createElement("strong");
        dom.className = "about";
        name.textContent = place.path.map((s) => s.key).join(".");
        dom.append(name, document.createElement("br"), about.replace(/`/g, ""));
        return { dom };
      },
    };
  }

  private complete(c: CompletionContext): CompletionResult | null {
    const language = this.language, line = c.state.doc.lineAt(c.pos), before = c.state.sliceDoc(line.from, c.pos);
    if (!language || /(^|\s)#/.test(before)) return null;
    const dotted = c.matchBefore(/[A-Za-z_]\w*(\([^()]*\))?(\.\w*(\([^()]*\))?)*\.\w*/), cut = dotted?.text.lastIndexOf(".") ?? -1;
    if (dotted) {
      const behind = members(c.state, dotted.text.slice(0, cut));
      return behind.length > 0 ? { from: dotted.from + cut + 1, options: behind.map((label, i) => ({ label, type: "property", boost: -i })), validFor: /^\w*$/ } : null;
    }
    const word = c.matchBefore(/[\w'-]*/), from = word?.from ?? c.pos;
    if (!c.explicit && word?.from === word?.to) return null;
    const own = placeOfLine(c.state, c.pos);
    if (own) return this.offerKeys(language.keys(own.path, own.siblings), own.siblings, from, "key");
    const place = placeAt(c.state, Math.max(c.pos, 1));
    const inFlow = /[{,]\s*[\w']*$/.test(before);
    if (inFlow && !/\[[^\]]*$/.test(before)) { // a key in brackets
      const above = place.inKey || place.path.length === 0 ? place.path.slice(0, -1) : place.path;
      const keys = language.keys(above, place.siblings);
      if (keys.length > 0) return this.offerKeys(keys, place.siblings, from, "flow");
    }
    const value = /([\w']+)\s*:\s*[\w'-]*$/.exec(before);
    const path = value && place.path[place.path.length - 1]?.key !== value[1] ? [...place.path, { key: value[1] }] : place.path;
    const words = language.words(path), names = this.names(c.state);
    const options: Completion[] = [...words.map((w) => ({ label: w.name, info: w.about, type: "enum", boost: 2 })), ...names.map((n) => ({ label: n, type: "variable" }))];
    return options.length > 0 ? { from, options, validFor: /^[\w'.-]*$/ } : null;
  }

  private offerKeys(keys: { name: string; about: string; required: boolean }[], has: Record<string, string>, from: number, how: string): CompletionResult | null {
    const options = keys.filter((k) => !(k.name in has)).map((k) => ({
      label: k.name, apply: `${k.name}: `, info: k.about.replace(/`/g, ""), type: "property", boost: k.required ? 5 : 0, detail: how === "key" ? "" : undefined,
    }));
    return options.length > 0 ? { from, options, validFor: /^[\w']*$/ } : null;
  }

  // Names of the model's own items, as far as its lines show them.
  private names(state: EditorState): string[] {
    const found = new Set<string>(["ground"]);
    let section = "";
    for (let i = 1; i <= Math.min(state.doc.lines, 3000); i++) {
      const t = state.doc.line(i).text, top = /^(\w+):/.exec(t), item = /^ {2}(\w+):/.exec(t);
      if (top) section = top[1];
      else if (item && /^(bodies|joints|forces|parameters|inputs|signals)$/.test(section)) found.add(item[1]);
    }
    return [...found];
  }
}
