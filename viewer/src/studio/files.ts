// files.ts - the model file: read, saved, kept in a copy while one writes, and what happens to it on the disk.
import { banner, bannerOf, isSaid } from "./banner";
import type { Editor } from "./editor";
import { Refused, server, type Model } from "./server";

const AUTOSAVE = 700; // milliseconds after the last key

export class Files {
  private model: Model = { name: "", stamp: "none", text: "", copy: null };
  private saver = 0;

  // turned: whether the text is saved, or which file it is, may be another.
  constructor(private editor: Editor, private turned: () => void) {
    window.addEventListener("beforeunload", (e) => { if (this.isDirty()) e.preventDefault(); });
  }

  get name(): string {
    return this.model.name;
  }

  isDirty(): boolean {
    return this.editor.text() !== this.model.text;
  }

  async begin(): Promise<void> {
    this.take(await server.model());
  }

  // A model from the program; a copy that outlived a crash is offered.
  private take(m: Model): void {
    this.model = m;
    this.editor.open(m.text);
    document.title = `${m.name} – Flexion`;
    if (m.copy !== null) {
      const copy = m.copy;
      banner("recovered", ["recover", () => this.editor.replace(copy)], ["discard", () => void server.forget()]);
    }
    this.turned();
  }

  // Another file of the same folder, by a name that is free, with this text.
  async beginWith(name: string, text: string): Promise<void> {
    if (this.isDirty()) await server.autosave(this.editor.text());
    clearTimeout(this.saver);
    const taken = new Set(await server.folder()), stem = name.replace(/\.yaml$/, "");
    let free = name;
    for (let i = 2; taken.has(free); i++) free = `${stem}-${i}.yaml`;
    this.take(await server.open(free));
    this.editor.replace(text);
    this.turned();
  }

  // The text was changed: its copy follows. What cannot be kept is said, since a crash would lose it.
  edited(): void {
    clearTimeout(this.saver);
    this.saver = window.setTimeout(() => {
      server.autosave(this.editor.text()).then(() => { if (isSaid("noCopy")) banner(null); }, (e: unknown) => {
        if (e instanceof Refused) banner("noCopy", ["save", () => void this.save()], ["download", () => this.download()]);
      });
    }, AUTOSAVE);
  }

  async save(over = false): Promise<void> {
    const text = this.editor.text();
    clearTimeout(this.saver);
    try {
      this.model.stamp = await server.save(text, over ? "over" : this.model.stamp);
      this.model.text = text;
      banner(null);
    } catch (e) {
      if (e instanceof Refused && e.code === 409) banner("conflict", ["over", () => void this.save(true)], ["reload", () => void this.reload()], ["cancel", () => {}]);
      else if (e instanceof Refused) bannerOf(e);
      else this.lost();
    }
    this.turned();
  }

  // The file is another one on the disk, or is there no more.
  changed(deleted: boolean): void {
    if (deleted) banner("deleted", ["over", () => void this.save(true)], ["keep", () => {}]);
    else banner("changed", ["reload", () => void this.reload()], ["keep", () => {}]);
  }

  private async reload(): Promise<void> {
    const m = await server.model();
    this.model = { ...m, copy: null };
    this.editor.replace(m.text);
    this.turned();
  }

  // The program has ended: the text is in this page alone.
  lost(): void {
    banner("gone", ["download", () => { this.download(); this.lost(); }]);
  }

  found(): void {
    if (isSaid("gone")) banner(null);
  }

  private download(): void {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([this.editor.text()], { type: "text/yaml" }));
    link.download = this.model.name;
    link.click();
    URL.revokeObjectURL(link.href);
  }
}
