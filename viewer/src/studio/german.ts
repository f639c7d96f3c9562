// german.ts - what keys of the model language mean, in German where the page is: german_help.txt.
import { language } from "../labels";

declare const GERMAN_HELP: Record<string, string>; // by the hashes of the English texts: build.mjs

// FNV-1a, as build.mjs has it.
function hash(text: string): string {
  let h = 0x811c9dc5;
  for (const c of text) h = Math.imul(h ^ c.codePointAt(0)!, 0x01000193) >>> 0;
  return h.toString(36);
}

export function told(english: string): string {
  return language === "de" ? GERMAN_HELP[hash(english)] ?? english : english;
}
