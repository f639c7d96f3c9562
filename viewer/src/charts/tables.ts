// tables.ts - what the tables of analyses are, by their columns, and which of them belong together.

export interface Table { name: string; columns: string[]; units?: string[]; rows: (number | null)[][] }
export type Kind = "response" | "poles" | "zeros" | "locus" | "campbell" | "course" | "curves" | "fit" | "other";

export const column = (t: Table, k: number): number[] => t.rows.map((r) => r[k] ?? NaN);
export const titleOf = (t: Table, k: number): string => (t.units?.[k] ? `${t.columns[k]} [${t.units[k]}]` : t.columns[k]!);
export const named = (t: Table, name: string): number[] => column(t, t.columns.indexOf(name));

function ascends(v: number[]): boolean {
  return v.length > 2 && v.every((x, i) => Number.isFinite(x) && (i === 0 || x > v[i - 1]!));
}

export function kindOf(t: Table): Kind {
  const has = (name: string) => t.columns.includes(name);
  if (has("frequency") && t.columns.some((c) => c.endsWith(" magnitude"))) return "response";
  if (has("measured") && has("fitted") && has("residual")) return "fit";
  if (has("re(1)") && has("im(1)")) return "locus";
  if (has("frequency(1)")) return "campbell";
  if (has("re") && has("im")) return has("damping") ? "poles" : has("output") ? "other" : "zeros";
  if (t.rows.length === 0) return "other";
  const first = column(t, 0);
  if (t.columns[0] === "t" && ascends(first)) return "course";
  return t.columns.length > 1 && (ascends(first) || ascends([...first].reverse())) ? "curves" : "other";
}

// A drawing begins with its main table; the others, X_zeros beside X, go with it.
export interface Group { main: Table; kind: Kind; with: Table[] }

export function groupsOf(tables: Table[]): Group[] {
  const groups: Group[] = [], rest: Table[] = [];
  for (const t of tables) {
    const kind = kindOf(t);
    if (kind === "zeros" || kind === "other" || /(^|_)(peaks|critical|crossings|step|impulse)$/.test(t.name)) rest.push(t);
    else groups.push({ main: t, kind, with: [] });
  }
  for (const t of rest) {
    const home = groups.filter((g) => t.name.startsWith(`${g.main.name}_`)).sort((a, b) => b.main.name.length - a.main.name.length)[0]
      ?? (t.name.includes("_") ? undefined : groups.find((g) => g.kind === (/critical/.test(t.name) ? "campbell" : "poles")) ?? groups.find((g) => g.kind === "locus"));
    if (home) home.with.push(t);
    else groups.push({ main: t, kind: kindOf(t), with: [] });
  }
  return groups;
}
