// schema.ts - the model language as its JSON Schema tells it: which keys and values a place in the text may have, and what
// they mean.

import { told } from "./german";

export interface Schema {
  $ref?: string; description?: string; type?: string | string[]; enum?: unknown[]; const?: unknown; anyOf?: (Schema | boolean)[]; oneOf?: (Schema | boolean)[];
  allOf?: (Schema | boolean)[]; properties?: Record<string, Schema | boolean>; patternProperties?: Record<string, Schema | boolean>;
  additionalProperties?: Schema | boolean; items?: Schema | boolean; required?: string[]; if?: Schema; then?: Schema; else?: Schema;
  $defs?: Record<string, Schema>;
}

// A mapping or list on the way to a place: what is known of it helps to choose between kinds.
export interface Step { key: string | number; siblings?: Record<string, string> }

export class Language {
  constructor(private root: Schema) {}

  // All that a place may be.
  at(path: Step[]): Schema[] {
    let here = this.spread(this.root, {});
    for (const step of path) {
      const next: Schema[] = [];
      for (const s of here) next.push(...this.below(s, step.key));
      here = next.flatMap((s) => this.spread(s, step.siblings ?? {}));
    }
    return [...new Set(here)];
  }

  // Keys of a mapping there, with what they mean.
  keys(path: Step[], siblings: Record<string, string>): { name: string; about: string; required: boolean }[] {
    const found = new Map<string, { about: string; required: boolean }>();
    for (const top of this.at(path)) {
      for (const s of this.spread(top, siblings)) {
        for (const [name, sub] of Object.entries(s.properties ?? {})) {
          const about = typeof sub === "object" ? this.about(sub) : "", before = found.get(name);
          if (sub !== false && (!before || about.length > before.about.length)) found.set(name, { about, required: s.required?.includes(name) ?? before?.required ?? false });
        }
      }
    }
    return [...found].map(([name, x]) => ({ name, about: told(x.about), required: x.required }));
  }

  // Words that a value there may be.
  words(path: Step[]): { name: string; about: string }[] {
    const found = new Map<string, string>();
    for (const s of this.at(path)) {
      for (const e of s.enum ?? (s.const !== undefined ? [s.const] : [])) if (typeof e === "string" || typeof e === "boolean") found.set(String(e), s.description ?? "");
    }
    return [...found].map(([name, about]) => ({ name, about: told(about) }));
  }

  // Whether a value there may have names of items in it.
  refers(path: Step[], value: string): boolean {
    const is = this.at(path), naming = ["number", "vector", "values", "name"].map((n) => this.root.$defs?.[n]);
    return is.some((s) => naming.includes(s)) && !this.words(path).some((w) => w.name === value);
  }

  // What a place means, in words.
  describe(path: Step[]): string {
    const texts = this.at(path.slice(0, -1)).flatMap((s) => {
      const key = path[path.length - 1]?.key;
      return typeof key === "string" ? this.spread(s, {}).flatMap((p) => p.properties?.[key] ?? []) : [];
    }).flatMap((s) => typeof s === "object" && s.description ? [s.description] : []);
    if (texts.length === 0) texts.push(...this.at(path).flatMap((s) => s.description ? [s.description] : []));
    return told([...new Set(texts)].sort((a, b) => b.length - a.length)[0] ?? "");
  }

  // Whether there is a list of named items there.
  named(path: Step[]): boolean {
    return this.at(path).some((s) => s.patternProperties !== undefined);
  }

  private about(s: Schema): string {
    return s.description ?? (s.$ref ? this.target(s.$ref)?.description : undefined) ?? "";
  }

  private target(ref: string): Schema | undefined {
    const name = ref.replace("#/$defs/", "");
    return this.root.$defs?.[name];
  }

  private below(s: Schema, key: string | number): Schema[] {
    const take = (x: Schema | boolean | undefined) => typeof x === "object" ? [x] : [];
    if (typeof key === "number") return take(s.items);
    if (s.properties && key in s.properties) return take(s.properties[key]);
    for (const [pattern, sub] of Object.entries(s.patternProperties ?? {})) if (new RegExp(pattern).test(key)) return take(sub);
    return take(s.additionalProperties);
  }

  // A schema with all that it refers to; conditions on siblings are decided where these are known.
  private spread(s: Schema | boolean, siblings: Record<string, string>, depth = 0): Schema[] {
    if (typeof s !== "object" || depth > 12) return [];
    const out: Schema[] = [s];
    if (s.$ref) out.push(...this.spread(this.target(s.$ref) ?? false, siblings, depth + 1));
    for (const sub of [...(s.anyOf ?? []), ...(s.oneOf ?? []), ...(s.allOf ?? [])]) out.push(...this.spread(sub, siblings, depth + 1));
    if (s.if) out.push(...this.spread((this.holds(s.if, siblings) ? s.then : s.else) ?? false, siblings, depth + 1));
    return out;
  }

  private holds(condition: Schema, siblings: Record<string, string>): boolean {
    return Object.entries(condition.properties ?? {}).every(([key, c]) => {
      const allowed = typeof c === "object" ? c.enum ?? (c.const !== undefined ? [c.const] : []) : [];
      return siblings[key] !== undefined && allowed.map(String).includes(siblings[key]);
    });
  }
}
