// server.ts - what the page asks the program, and what the program tells it. Addresses are relative to the page's own,
// whose secret part they share.
import type { Packed } from "../data";

export interface Message { line: number; column: number; error: boolean; text: string; path: string; file?: string }
export interface Port { name: string; unit: string; numbers: [number | null, number | null, number | null]; tunable: boolean }
export interface Checked {
  ok: boolean; messages: Message[]; data?: Packed | null; status?: string; superseded?: boolean; // by a newer text
  large?: number; // bodies: so many are drawn when it is asked for
  summary?: { bodies: number; joints: number; forces: number; constraints: number; redundant: number; freedoms: number; method: string };
  inputs?: Port[]; parameters?: Port[]; signals?: string[]; analyses?: string[]; sweep?: number;
}
export interface Model { name: string; stamp: string; text: string; copy: string | null; damaged: boolean } // damaged: not all of its bytes are text
export interface Done {
  ok: boolean; status: string; messages: Message[]; t?: number; seconds?: number; steps?: number; balanced?: boolean;
  last?: [string, number][]; file?: string; run?: number; // run: of several that are live
  text?: string; // of what was imported
  // of analyses
  motion?: boolean; lines?: string[]; modes?: [number, number, number, number][]; moves?: string[]; // of each what moves most
  notes?: { steady: boolean; balanced: boolean; neutral: number; hidden: number; unproven: number; listed: number; total: number; counted: "none" | "all" | "below"; turning: number; within: number; below: number; bound: number };
  rest?: { steps: number; residual: number; moved: number };
  path?: { steps: number; factor: number; critical: { limit: boolean; factor: number; moves: string }[] };
  buckling?: { elsewhere: number; factors: number[]; moves: string[] };
  signals?: [string, number][];
  tables?: { name: string; labels?: string[]; columns: [string, string][]; of: number; rows: (number | null)[][] }[];
}

export class Refused extends Error {
  constructor(readonly code: number, text: string) { super(text); }
}

async function ask(path: string, body?: string): Promise<Response> {
  const answer = await fetch(path, body === undefined ? {} : { method: "POST", body });
  if (!answer.ok) throw new Refused(answer.status, (await answer.text()).trim());
  return answer;
}

export const server = {
  model: async () => await (await ask("model")).json() as Model,
  schema: async () => await (await ask("schema")).json() as unknown,
  check: async (text: string, option = "") => await (await ask(option ? `check?${option}` : "check", text)).json() as Checked, // "all": however large
  needs: (example: string) => ask(`example?${example}`, ""), // files of an example of the gallery
  save: async (text: string, stamp: string) => (await ask(`save?${stamp}`, text)).text(),
  autosave: (text: string) => ask("autosave", text),
  forget: () => ask("forget", ""),
  folder: async () => await (await ask("folder")).json() as string[],
  open: async (name: string) => await (await ask(`open?${name}`, "")).json() as Model,
  work: (what: "run" | "live" | "analyse" | "study" | "import", text: string, option = "") => ask(option ? `${what}?${option}` : what, text),
  stop: () => ask("stop", ""),
  tell: (line: string, run: number) => ask(`tell?${run}`, `${line}\n`),
  result: async () => await (await ask("result")).json() as Packed,
};

// What happens, by name; until the program ends, which is told as "gone", or another page takes over.
export function listen(heard: (event: string, data: unknown) => void): void {
  const stream = new EventSource("events");
  for (const event of ["progress", "done", "frame", "ready", "note", "changed", "taken"]) {
    stream.addEventListener(event, (e) => {
      if (event === "taken") stream.close();
      heard(event, JSON.parse((e as MessageEvent<string>).data));
    });
  }
  stream.onopen = () => heard("here", null);
  stream.onerror = () => heard("gone", null);
}
