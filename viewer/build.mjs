// Bundles the pages, each into one file, and these into a C source: node build.mjs OUTPUT_FOLDER
// The page that plays results has a mark where the program puts their data; the workbench asks for it.
import { build } from "esbuild";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "dist");
const read = (name) => readFile(join(here, name), "utf8");

// Examples by name, for the gallery of the workbench; the other files that they need, by their paths, and which of them.
async function examples() {
  const folder = join(here, "../examples"), models = {}, files = {}, needs = {};
  const named = /\b[\w./-]+\.(csv|mtx|msh|inp|stl|obj|yaml|mot|SID_FEM|urdf|xml)\b/g;
  const gather = async (path, text, found) => {
    for (const [name] of text.replace(/^#.*$/gm, "").matchAll(named)) {
      const other = join(dirname(path), name);
      if (found.has(other)) continue;
      found.add(other);
      files[other] ??= await readFile(join(folder, other), "utf8");
      if (/\.(yaml|urdf|xml)$/.test(other)) await gather(other, files[other], found);
    }
    return found;
  };
  for (const name of (await readdir(folder)).sort()) {
    if (!name.endsWith(".yaml")) continue;
    models[name] = await readFile(join(folder, name), "utf8");
    needs[name] = [...await gather(name, models[name], new Set([name]))].filter((path) => path !== name);
  }
  return { models, files, needs };
}

// What keys mean in German, by hashes (FNV-1a) of the English texts.
async function germanHelp() {
  const hash = (text) => [...text].reduce((h, c) => Math.imul(h ^ c.codePointAt(0), 0x01000193) >>> 0, 0x811c9dc5).toString(36);
  const pairs = (await read("src/studio/german_help.txt")).split("\n\n").slice(1).map((p) => p.trim().split("\n"));
  return Object.fromEntries(pairs.map(([english, german]) => [hash(english), german]));
}

async function page(script, html, styles) {
  const bundle = await build({
    entryPoints: [join(here, script)],
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2022",
    legalComments: "none",
    loader: { ".css": "text" },
    define: { EXAMPLES: JSON.stringify(models), GERMAN_HELP: JSON.stringify(german) },
    write: false,
    outfile: "main.js",
  });
  const css = (await Promise.all(styles.map(read))).join("");
  return (await read(html)).replace("/*style*/", () => css).replace("/*script*/", () => bundle.outputFiles[0].text);
}

function array(name, text) {
  const bytes = Buffer.from(text, "utf8"), lines = [];
  for (let i = 0; i < bytes.length; i += 24) lines.push(bytes.subarray(i, i + 24).join(",") + ",");
  return `static const unsigned char ${name}[] = {\n${lines.join("\n")}\n0};\n`;
}

// Each file once, and who needs it.
function exampleFiles(files, needs) {
  const paths = Object.keys(files).sort(), rows = [];
  for (const [name, of] of Object.entries(needs)) for (const path of of) rows.push(`{"${name}", "${path}", (const char *)file${paths.indexOf(path)}},`);
  return `${paths.map((path, i) => array(`file${i}`, files[path])).join("")}const flx_example_file flx_example_files[] = {\n${rows.join("\n")}\n{0, 0, 0}};\n`;
}

const { models, files, needs } = await examples(), german = await germanHelp();
const plots = "node_modules/uplot/dist/uPlot.min.css";
const results = await page("src/main.ts", "src/index.html", [plots, "src/style.css"]);
const studio = await page("src/studio/studio.ts", "src/studio/studio.html", [plots, "src/style.css", "src/studio/studio.css"]);
await mkdir(out, { recursive: true });
await writeFile(join(out, "page.html"), results);
await writeFile(join(out, "studio.html"), studio);
await writeFile(join(out, "page_template.c"), `// Made by viewer/build.mjs.
#include "page/page_template.h"
${array("page", results)}${array("studio", studio)}const char *const flx_page_template = (const char *)page;
const char *const flx_studio_template = (const char *)studio;
${exampleFiles(files, needs)}`);
