// files.ts - the model file: read, saved, kept in a copy while one writes, and what happens to it on the disk.
import { banner, bannerOf, isSaid } from "./banner";
import type { Editor } from "./editor";
import { Refused, server, type Model } from "./server";

const AUTOSAVE = 700; // milliseconds after the last key

// As the editor has it: lines that end in one way.
const plain = (text: string) => text.replace(/\r\n?/g, "\n");

// How most of the lines end.
function endOf(text: string): string {
  const count = { "\n": 0, "\r\n": 0, "\r": 0 };
  for (const [end] of text.matchAll(/\r\n?|\n/g)) count[end as keyof typeof count]++;
  return count["\r\n"] > count["\n"] ? "\r\n" : count["\r"] > count["\n"] ? "\r" : "\n";
}

export class Files {
  private model: Model = { name: "", stamp: "none", text: "", copy: null, damaged: false };
  private onDisk: string | null = ""; // the text of the file, as far as it is known; null: there is no file any more
  private end = "\n"; // of its lines
  private saver = 0;

  // turned: whether the text is saved, or which file it is, may be another.
  constructor(private editor: Editor, private turned: () => void) {
    window.addEventListener("beforeunload", (e) => { if (this.isDirty()) e.preventDefault(); });
  }

  get name(): string {
    return this.model.name;
  }

  isDirty(): boolean {
    return this.editor.text() !== this.onDisk;
  }

  // What cannot be read is said, and nothing is written over it.
  async begin(): Promise<void> {
    try {
      this.take(await server.model());
    } catch (e) {
      this.editor.frozen = true;
      bannerOf(e);
    }
  }

  private know(m: Model): void {
    this.model = { ...m, copy: null };
    this.onDisk = plain(m.text);
    this.end = endOf(m.text);
  }

  // The editor's text as the file has its lines.
  private written(): string {
    const text = this.editor.text();
    return this.end === "\n" ? text : text.replace(/\n/g, this.end);
  }

  // A model from the program; a copy that outlived a crash is offered.
  private take(m: Model): void {
    this.know(m);
    this.editor.open(m.text);
    document.title = `${m.name} – Flexion`;
    if (m.damaged) banner("notText", ["keep", () => {}]);
    if (m.copy !== null && plain(m.copy) !== this.onDisk) {
      const copy = m.copy;
      banner("recovered", ["recover", () => this.editor.replace(copy)], ["discard", () => void server.forget()]);
    }
    this.turned();
  }

  // What is not saved is left in its copy.
  private async leave(): Promise<void> {
    if (this.isDirty()) await server.autosave(this.written());
    clearTimeout(this.saver);
    banner(null);
  }

  // Another file of the same folder.
  async open(name: string): Promise<void> {
    await this.leave();
    this.take(await server.open(name));
  }

  // Another file of the same folder, by a name that is free, with this text.
  async beginWith(name: string, text: string): Promise<void> {
    await this.leave();
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
      server.autosave(this.written()).then(() => { if (isSaid("noCopy")) banner(null); }, (e: unknown) => {
        if (e instanceof Refused) banner("noCopy", ["save", () => void this.save()], ["download", () => this.download()]);
      });
    }, AUTOSAVE);
  }

  async save(over = false): Promise<void> {
    const text = this.editor.text();
    if (this.model.damaged && !over) {
      banner("notText", ["over", () => void this.save(true)], ["cancel", () => {}]);
      return;
    }
    clearTimeout(this.saver);
    try {
      this.model.stamp = await server.save(this.written(), over ? "over" : this.model.stamp);
      this.model.damaged = false;
      this.onDisk = text;
      banner(null);
    } catch (e) {
      if (e instanceof Refused && e.code === 409) banner("conflict", ["over", () => void this.save(true)], ["reload", () => void this.reload()], ["cancel", () => {}]);
      else if (e instanceof Refused) bannerOf(e);
      else this.lost();
    }
    this.turned();
  }

  // The file is another one on the disk, or is there no more. One that says the same as the page is only another file.
  async changed(deleted: boolean): Promise<void> {
    const m = deleted ? null : await server.model().catch(() => null);
    if (m?.stamp === "none") return this.changed(true);
    if (m && !m.damaged && plain(m.text) === this.editor.text()) {
      this.know(m);
      if (isSaid("changed") || isSaid("deleted")) banner(null);
    } else {
      this.onDisk = m ? plain(m.text) : null;
      this.edited();
      if (deleted) banner("deleted", ["save", () => void this.save()], ["keep", () => {}]);
      else banner("changed", ["reload", () => void this.reload()], ["keep", () => {}]);
    }
    this.turned();
  }

  private async reload(): Promise<void> {
    const m = await server.model();
    if (m.stamp === "none") return this.changed(true); // it went meanwhile
    this.know(m);
    this.editor.replace(m.text);
    if (m.damaged) banner("notText", ["keep", () => {}]);
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
    link.href = URL.createObjectURL(new Blob([this.written()], { type: "text/yaml" }));
    link.download = this.model.name;
    link.click();
    URL.revokeObjectURL(link.href);
  }
}
