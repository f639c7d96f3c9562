// items.ts - the model as a tree of items, and a form for the one that is chosen. Each field is a place of the text, and shows
// what stands there: to change it is to edit the text.
import { keepFocus } from "../focus";
import { make } from "../panels";
import { freeName, named, oneValue, remove, setValue } from "./edit";
import type { Editor } from "./editor";
import type { Body } from "../data";
import { inertiaOf } from "./inertia";
import { find, outline, scalars, type Entry } from "./outline";
import { rename } from "./rename";
import type { Language, Step } from "./schema";
import type { Message } from "./server";
import { word } from "./words";

const MOST = 400; // items of a section that are listed
const LONG = 60; // letters of a value that has one line

export class Items {
  private language: Language | null = null;
  path: string[] = []; // of the item that is chosen
  messages: Message[] = []; // of the last check
  private closed = new Set<string>();

  constructor(private box: HTMLElement, private editor: Editor, private tools: () => HTMLElement[], private chosen: (path: string[]) => void,
    private drawn: (body: string) => { body: Body; planar: boolean } | null) {}

  learn(language: Language): void {
    this.language = language;
    this.build();
  }

  choose(path: string[], tell = true): void {
    this.path = path;
    this.build();
    if (tell) this.chosen(path);
  }

  // The item of this name, wherever it is.
  chooseByName(name: string): void {
    const root = outline(this.editor.view.state), base = name.replace(/\(.*$/, "");
    for (const section of ["bodies", "joints", "forces"]) {
      if (find(root, [section, base])) {
        this.choose([section, base], false);
        return;
      }
    }
  }

  // Fields that have the focus are left alone: the text follows them.
  build(): void {
    if (this.box.hidden) return;
    if (this.box.contains(document.activeElement) && document.activeElement instanceof HTMLInputElement) this.mark();
    else keepFocus(() => this.make());
  }

  // What the last check says of the fields that are there.
  private mark(): void {
    for (const input of this.box.querySelectorAll<HTMLElement>("#form .field [data-path]")) this.complain(input, this.wrong(input.dataset.path!));
  }

  private wrong(path: string): string {
    return this.messages.find((m) => m.path === path && !m.file)?.text ?? "";
  }

  private complain(input: HTMLElement, text: string): void {
    const box = input.parentElement!.querySelector<HTMLElement>(".wrong")!;
    input.setAttribute("aria-invalid", String(text !== ""));
    box.textContent = text;
    box.hidden = text === "";
  }

  private make(): void {
    const root = outline(this.editor.view.state), scroll = this.box.scrollTop, treeTop = this.box.querySelector(".tree")?.scrollTop ?? 0;
    this.box.replaceChildren(make("div", { className: "row", id: "adders" }, ...this.tools()), this.tree(root), this.form(root));
    this.box.scrollTop = scroll;
    const tree = this.box.querySelector<HTMLElement>(".tree")!, chosen = tree.querySelector<HTMLElement>("[aria-selected=true]");
    if (!chosen) return;
    tree.scrollTop = Math.min(Math.max(treeTop, chosen.offsetTop - tree.offsetTop + chosen.offsetHeight - tree.clientHeight), chosen.offsetTop - tree.offsetTop);
  }

  // ---- the tree -----------------------------------------------------------------------------------

  private tree(root: Entry): HTMLElement {
    const list = make("div", { className: "tree" });
    list.setAttribute("role", "tree");
    list.onkeydown = (e) => this.walk(e, list);
    const line = (text: string, path: string[], depth: number) => {
      const b = make("button", { textContent: text, onclick: () => this.choose(path) });
      b.setAttribute("role", "treeitem");
      b.setAttribute("aria-selected", String(path.join("\n") === this.path.join("\n")));
      b.dataset.path = path.join(".");
      b.style.paddingLeft = `${6 + 14 * depth}px`;
      list.append(b);
      return b;
    };
    for (const section of root.children) {
      const open = section.kind === "mapping" && named.includes(section.key) && !this.closed.has(section.key);
      const b = line(`${section.children.length > 0 && named.includes(section.key) ? (open ? "▾ " : "▸ ") : ""}${section.key}`, [section.key], 0);
      b.ondblclick = () => { if (!this.closed.delete(section.key)) this.closed.add(section.key); this.build(); };
      if (!open) continue;
      for (const item of section.children.slice(0, MOST)) {
        const type = find(item, ["type"]), state = this.editor.view.state;
        const kind = type?.value ? ` – ${state.sliceDoc(type.value.from, type.value.to)}` : "";
        line(`${item.key}${kind}`, [section.key, item.key], 1);
      }
      if (section.children.length > MOST) list.append(make("span", { className: "empty", textContent: `+ ${section.children.length - MOST}` }));
    }
    return list;
  }

  // Arrows go from line to line, and open and close a section.
  private walk(e: KeyboardEvent, list: HTMLElement): void {
    const lines = [...list.querySelectorAll<HTMLElement>("button")], i = lines.findIndex((b) => b === document.activeElement), section = lines[i]?.dataset.path ?? "";
    if (e.key === "ArrowDown" || e.key === "ArrowUp") lines[i + (e.key === "ArrowDown" ? 1 : -1)]?.focus();
    else if ((e.key === "ArrowLeft" || e.key === "ArrowRight") && named.includes(section)) {
      if (e.key === "ArrowLeft") this.closed.add(section);
      else this.closed.delete(section);
      this.build();
    } else return;
    e.preventDefault();
  }

  // ---- the form -----------------------------------------------------------------------------------

  private form(root: Entry): HTMLElement {
    const box = make("div", { className: "form", id: "form" }), e = this.path.length > 0 ? find(root, this.path) : null;
    if (!e) return box;
    const state = this.editor.view.state, top = this.path.length === 1;
    const head = make("h2", { textContent: this.path.join(".") });
    box.append(head);
    const about = this.language?.describe(this.path.map((key) => ({ key }))) ?? "";
    if (about) box.append(make("p", { className: "hint", textContent: about.replace(/`/g, "") }));
    if (!top) box.append(this.nameField());
    if (e.kind === "mapping" && !(top && named.includes(e.key))) this.fields(box, e, this.path);
    else if (e.kind !== "mapping") this.field(box, e, this.path);
    else for (const c of e.children.slice(0, MOST)) if (c.kind === "scalar" || c.kind === "list" || e.key === "parameters") this.field(box, c, [...this.path, c.key]);
    const go = make("button", { textContent: word("toText"), id: "totext", onclick: () => { this.editor.show(e.from); this.editor.view.focus(); } });
    const drop = make("button", { textContent: word("removeItem"), id: "removeitem", onclick: () => { const path = this.path; this.path = []; this.editor.edit(remove(state, path)); this.build(); } });
    box.append(make("div", { className: "row" }, go, drop, ...this.inertiaButton()));
    return box;
  }

  // Of a rigid body whose shapes have a volume.
  private inertiaButton(): HTMLElement[] {
    const [section, name, more] = this.path, b = section === "bodies" && name && !more ? this.drawn(name) : null;
    if (!b || find(outline(this.editor.view.state), ["bodies", name, "inertia"]) === null) return [];
    const found = inertiaOf(b.body.shapes, b.body.mass, b.planar);
    if (!found) return [];
    const round = (x: number) => Number(x.toPrecision(6)) || 0, largest = Math.max(...found.inertia.map(Math.abs)), plain = found.inertia.slice(3).every((x) => Math.abs(x) < 1e-9 * largest);
    const text = (x: number[]) => `[${x.map(round).join(", ")}]`, set = (key: string, value: string) => this.editor.edit(setValue(this.editor.view.state, ["bodies", name, key], value));
    return [make("button", { id: "inertiaof", textContent: word("inertiaOf"), onclick: () => {
      const at = b.planar ? found.com.slice(0, 2) : found.com;
      if (at.some((x) => Math.abs(x) > 1e-12) || find(outline(this.editor.view.state), ["bodies", name, "com"])) set("com", text(at));
      set("inertia", b.planar ? String(round(found.inertia[2])) : text(plain ? found.inertia.slice(0, 3) : found.inertia));
      this.build();
    } })];
  }

  private nameField(): HTMLElement {
    const input = make("input", { type: "text", value: this.path[this.path.length - 1], id: "itemname" });
    input.onchange = () => {
      const name = input.value.trim();
      input.setAttribute("aria-invalid", String(!/^[A-Za-z_]\w*$/.test(name)));
      if (input.getAttribute("aria-invalid") === "true") return;
      const state = this.editor.view.state, path = this.path, free = freeName(state, name, path[path.length - 1]);
      if (free === path[path.length - 1]) return;
      this.path = [...path.slice(0, -1), free];
      this.editor.edit(rename(state, this.language, path, free));
    };
    return make("label", { className: "field" }, make("span", { textContent: word("name") }), input);
  }

  private steps(path: string[]): Step[] {
    const state = this.editor.view.state, root = outline(state);
    return path.map((key, i) => {
      const e = find(root, path.slice(0, i));
      return { key, siblings: e && i > 1 ? scalars(state, e) : undefined };
    });
  }

  private fields(box: HTMLElement, e: Entry, path: string[]): void {
    const state = this.editor.view.state, siblings = scalars(state, e);
    for (const c of e.children) {
      if (c.kind === "mapping" && !c.flow) {
        const group = make("fieldset", {}, make("legend", { textContent: c.key }));
        this.fields(group, c, [...path, c.key]);
        box.append(group);
      } else this.field(box, c, [...path, c.key]);
    }
    const keys = (this.language?.keys(this.steps(path), siblings) ?? []).filter((k) => !e.children.some((c) => c.key === k.name));
    if (keys.length === 0) return;
    const more = make("select", { className: "morekeys" });
    more.setAttribute("aria-label", word("addKey"));
    more.dataset.path = path.join(".");
    more.add(new Option(word("addKey"), ""));
    for (const k of keys) more.add(new Option(k.name, k.name));
    more.onchange = () => {
      const words = this.language?.words(this.steps([...path, more.value])) ?? [];
      this.editor.edit(setValue(this.editor.view.state, [...path, more.value], words[0]?.name ?? "0"));
      this.build();
    };
    box.append(more);
  }

  private field(box: HTMLElement, e: Entry, path: string[]): void {
    const state = this.editor.view.state, text = e.value ? state.sliceDoc(e.value.from, e.value.to) : "";
    const steps: Step[] = this.steps(path), words = this.language?.words(steps) ?? [], about = this.language?.describe(steps) ?? "";
    const change = (value: string) => {
      const now = find(outline(this.editor.view.state), path)?.value, before = now ? this.editor.view.state.sliceDoc(now.from, now.to) : "";
      if (value.trim() === "" && "value" in input) input.value = before; // a value goes with its key
      if (value.trim() === "" || value.trim() === before) return;
      const whole = oneValue(this.editor.view.state, path, value.trim());
      this.complain(input, whole === null ? word("notOneValue") : "");
      if (whole !== null) this.editor.edit(setValue(this.editor.view.state, path, whole));
    };
    let input: HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;
    if (words.length > 0 && words.some((w) => w.name === text)) {
      const select = make("select");
      for (const w of words) select.add(new Option(w.name, w.name, false, w.name === text));
      select.onchange = () => { change(select.value); this.build(); };
      input = select;
    } else if (text.includes("\n") || text.length > LONG) {
      const area = make("textarea", { value: text, rows: Math.min(text.split("\n").length + 1, 8), readOnly: text.includes("\n") });
      area.onchange = () => change(area.value);
      input = area;
    } else {
      const one = make("input", { type: "text", value: text });
      one.onchange = () => change(one.value);
      one.onkeydown = (k) => { if (k.key === "Enter") change(one.value); };
      input = one;
    }
    input.dataset.path = path.join(".");
    input.title = about.replace(/`/g, "");
    const drop = make("button", { textContent: "×", title: word("removeItem"), className: "drop", onclick: () => { this.editor.edit(remove(this.editor.view.state, path)); this.build(); } });
    drop.setAttribute("aria-label", `${word("removeItem")}: ${e.key}`);
    box.append(make("label", { className: "field", title: about.replace(/`/g, "") }, make("span", { textContent: path.length === 2 && e.kind === "scalar" && path.join() === this.path.join() ? word("value") : e.key }), input, drop, make("span", { className: "wrong" })));
    this.complain(input, this.wrong(path.join(".")));
  }
}
