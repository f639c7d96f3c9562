// Draws the pictures of the page in docs/: node tools/draw_pages.mjs PROGRAM
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { launch, open } from "../tests/browser/browser.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), ".."), program = resolve(process.argv[2]);
const work = mkdtempSync(join(tmpdir(), "flexion-")), at = (name) => join(work, name);
const flexion = (...words) => execFileSync(program, words, { stdio: ["ignore", "ignore", "inherit"] });
const browser = await launch();

async function draw(file, picture, t, prepare) {
  const { page } = await open(browser, file, { viewport: { width: 1180, height: 700 } });
  if (t !== null) await page.evaluate((time) => window.flexion.seek(time), t);
  if (prepare) await page.evaluate(prepare);
  await page.waitForTimeout(1500); // sharp again
  await page.screenshot({ path: join(root, "docs/img", picture) });
  await page.context().close();
}

const trace = (name) => `for (const l of document.querySelectorAll("#traces label"))
  if (l.textContent.trim() === "${name}") l.querySelector("input").click();`;

flexion("run", join(root, "examples/bricard.yaml"), "-o", at("bricard.h5"));
flexion("view", at("bricard.h5"), "-o", at("bricard.html"));
await draw(at("bricard.html"), "page_bricard.png", 6.2, trace("rod3.end"));

flexion("modes", join(root, "examples/flexible_pole.yaml"), "-o", at("modes.h5"));
flexion("view", at("modes.h5"), "-o", at("modes.html"));
await draw(at("modes.html"), "page_modes.png", 2.02);

flexion("run", join(root, "examples/elastic_crank.yaml"), "-o", at("elastic.h5"));
flexion("view", at("elastic.h5"), "-o", at("elastic.html"));
await draw(at("elastic.html"), "page_elastic.png", 0.365, `{
  const larger = document.getElementById("exaggeration");
  larger.value = "5";
  larger.onchange();
}`);

const text = readFileSync(join(root, "examples/double_pendulum.yaml"), "utf8");
writeFileSync(at("coarse.yaml"), text.replace(/simulate: .*/, "simulate: {until: 4, method: implicit-euler, step: 0.005}"));
flexion("run", join(root, "examples/double_pendulum.yaml"), "-o", at("dopri5.h5"));
flexion("run", at("coarse.yaml"), "-q", "-o", at("implicit-euler.h5"));
flexion("view", at("dopri5.h5"), at("implicit-euler.h5"), "-o", at("both.html"));
await draw(at("both.html"), "page_compare.png", 2.6, `document.getElementById("arrangement").click(); ${trace("rod2.tip")}`);

flexion("fe", "static", join(root, "examples/fe/bracket.yaml"), "--vtu", "none", "--result", at("bracket.h5"));
flexion("view", at("bracket.h5"), "-o", at("bracket.html"));
await draw(at("bracket.html"), "page_bracket.png", 1, `{
  document.getElementById("tab-view").click();
  for (const [id, value] of [["colouring", "stress"], ["exaggeration", "500"]]) {
    const choice = document.getElementById(id);
    choice.value = value;
    choice.onchange();
  }
}`);

// Diagrams of linear systems: t is no time.
const inWork = (...words) => execFileSync(program, words, { cwd: work, stdio: ["ignore", "ignore", "inherit"] });
for (const name of ["slider_crank_torque", "flexible_pole", "rotor_campbell"]) inWork("analyse", join(root, `examples/${name}.yaml`));
inWork("view", ...["slider_crank_torque_bode", "flexible_pole_pd", "flexible_pole_pd_zeros", "rotor_campbell_map", "rotor_campbell_map_critical"].map((n) => `${n}.csv`), "-o", "diagrams.html");
await draw(at("diagrams.html"), "page_diagrams.png", null, `{
  const gain = document.querySelector("[id$=-gain]");
  gain.value = "20";
  gain.oninput();
}`);

flexion("run", join(root, "examples/gears.yaml"), "-o", at("gears.h5"));
flexion("export", "frames", at("gears.h5"), "-o", at("gears"), "--frames", "5", "--size", "960x480");
copyFileSync(at("gears/frame_0002.png"), join(root, "docs/img/frame_gears.png"));

// Pictures of a motion side by side.
async function strip(name, options, frames, which, size, from) {
  flexion("run", join(root, `examples/${name}.yaml`), ...options, "-q", "-o", at(`${name}.h5`));
  flexion("export", "frames", at(`${name}.h5`), "-o", at(name), "--frames", `${frames}`, "--size", size.join("x"), "--from", from);
  const pictures = which.map((i) =>
    `<img src="data:image/png;base64,${readFileSync(at(`${name}/frame_${String(i).padStart(4, "0")}.png`)).toString("base64")}">`);
  const sheet = await browser.newPage({ viewport: { width: size[0] * which.length, height: size[1] } });
  await sheet.setContent(`<body style="margin: 0; display: flex">${pictures.join("")}</body>`);
  await sheet.screenshot({ path: join(root, `docs/img/${name}.png`) });
  await sheet.close();
}

await strip("fall_from_ladder", [], 11, [0, 2, 4, 5, 7, 10], [230, 300], "z");
await strip("giant_swing", [], 36, [0, 9, 13, 19, 23, 28], [230, 260], "z");
await strip("struck_by_car", [], 21, [0, 2, 4, 7, 14, 20], [300, 200], "slant");
await strip("loader_bucket", [], 9, [0, 2, 4, 8], [345, 260], "slant");

await browser.close();
rmSync(work, { recursive: true });
