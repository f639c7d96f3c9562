// Bundles the viewer into one page, and that page into a C source: node build.mjs OUTPUT_FOLDER
// The page has a mark where the program puts the data of results.
import { build } from "esbuild";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "dist");

const bundle = await build({
  entryPoints: [join(here, "src/main.ts")],
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  legalComments: "none",
  loader: { ".css": "text" },
  write: false,
  outfile: "main.js",
});
const script = bundle.outputFiles[0].text;
const css = (await readFile(join(here, "node_modules/uplot/dist/uPlot.min.css"), "utf8")) +
  (await readFile(join(here, "src/style.css"), "utf8"));
const page = (await readFile(join(here, "src/index.html"), "utf8"))
  .replace("/*style*/", () => css)
  .replace("/*script*/", () => script);

const bytes = Buffer.from(page, "utf8");
const lines = [];
for (let i = 0; i < bytes.length; i += 24) lines.push(bytes.subarray(i, i + 24).join(",") + ",");
const source = `// Made by viewer/build.mjs.
#include "page/page_template.h"
static const unsigned char page[] = {
${lines.join("\n")}
0};
const char *const flx_page_template = (const char *)page;
`;
await mkdir(out, { recursive: true });
await writeFile(join(out, "page.html"), page);
await writeFile(join(out, "page_template.c"), source);
