// The help of the workbench speaks German: most descriptions of the schema have a German text, and every text says something.
//   node test_german_help.mjs SCHEMA GERMAN_HELP
import { readFileSync } from "node:fs";

const schema = JSON.parse(readFileSync(process.argv[2], "utf8")), wanted = new Set();
(function walk(o) {
  if (!o || typeof o !== "object") return;
  if (typeof o.description === "string" && o.description) wanted.add(o.description);
  Object.values(o).forEach(walk);
})(schema);
const pairs = readFileSync(process.argv[3], "utf8").trim().split("\n\n").slice(1).map((p) => p.split("\n")), german = new Map(pairs);
const wrong = pairs.filter((p) => p.length !== 2 || !p[1].trim() || (p[0] === p[1] && p[0].length > 20));
const words = (text) => [...text.matchAll(/`[^`]+`/g)].map((m) => m[0]).sort().join();
for (const [english, text] of pairs) if (words(english) !== words(text ?? "") && !/\[first, second\]/.test(english)) wrong.push(["other words of the language", english, text]);
const missing = [...wanted].filter((d) => !german.has(d));
console.log(`${wanted.size - missing.length} of ${wanted.size} texts in German`);
for (const d of missing) console.log(`  not yet: ${d.slice(0, 100)}`);
for (const p of wrong) console.log("wrong:", p);
if (wrong.length > 0 || missing.length > 0.1 * wanted.size) process.exit(1);
