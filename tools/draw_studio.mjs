// Draws the pictures of the workbench in docs/: node tools/draw_studio.mjs PROGRAM
import { spawn } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { launch } from "../tests/browser/browser.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), ".."), program = resolve(process.argv[2]);
const work = mkdtempSync(join(tmpdir(), "flexion-")), at = (name) => join(work, name);
const browser = await launch();
const context = await browser.newContext({ viewport: { width: 1400, height: 820 }, colorScheme: "light", locale: "en-GB" });
const page = await context.newPage();
page.on("dialog", (d) => void d.accept());

const until = (condition, value) => page.waitForFunction(condition, value ?? null, { timeout: 30000, polling: 20 });
const idle = () => until(() => window.studio.checked() && window.studio.idle());
const press = (id) => page.evaluate((name) => document.getElementById(name).click(), id);
const pixel = (place) => page.evaluate((p) => window.studio.pixel(p), place);

async function draw(picture) {
  await page.waitForTimeout(1500); // sharp again
  await page.screenshot({ path: join(root, "docs/img", picture) });
}

// The workbench with a model of the folder, while `what` is done.
async function bench(model, what) {
  const child = spawn(program, ["studio", at(model), "--no-browser"], { cwd: work, stdio: ["ignore", "pipe", "inherit"] });
  const address = await new Promise((done) => child.stdout.on("data", (d) => { const m = /http:\S+/.exec(String(d)); if (m) done(m[0]); }));
  await page.goto(address);
  await page.waitForSelector("html[data-ready=true]");
  await idle();
  await what();
  await new Promise((done) => { child.on("exit", done); child.kill("SIGINT"); });
}

copyFileSync(join(root, "examples/slider_crank.yaml"), at("slider_crank.yaml"));
await bench("slider_crank.yaml", async () => {
  await press("run");
  await until(() => window.studio.done()?.ok && window.studio.time() > 0.6);
  await page.focus("#canvas");
  await page.keyboard.press("Space");
  await draw("studio.png");
});

writeFileSync(at("model.yaml"), `flexion: 1
gravity: [0, 0, -9.81]

simulate: {until: 5}

outputs:
  every: 0.02
  signals: [hinge.angle, energy]
`);
await bench("model.yaml", async () => {
  await page.evaluate(() => window.studio.write(window.studio.text().replace("hinge.angle, ", "")));
  await idle();
  await page.click("#left-items");
  await page.selectOption("#adder", "rod");
  for (const place of [[0, 0, 0], [1, 0, 0]]) await page.mouse.click(...await pixel(place));
  await idle();
  await page.click(".tree [data-path='bodies.rod']");
  await draw("studio_items.png");

  await page.selectOption("#adder", "revolute");
  await page.mouse.click(...await pixel([0, 0, 0]));
  await idle();
  await page.click("#left-text");
  await page.evaluate(() => window.studio.write(window.studio.text().replace("[energy]", "[hinge.angle, energy]")));
  await idle();
  await press("save");
  await press("live");
  await until(() => window.studio.live()?.t > 0.1);
  await press("pause");
  await until(() => window.studio.live().paused);
  await press("reset");
  await until(() => window.studio.live().t === 0);
  await page.waitForTimeout(500);
  const from = await pixel(await page.evaluate(() => window.studio.position("rod.end").map((x) => 0.9 * x))), to = await pixel([0.6, 0, 0.4]);
  await page.mouse.move(...from);
  await page.mouse.down();
  await page.mouse.move(...to, { steps: 3 });
  await press("pause");
  await until(() => window.studio.live().t > 0.4 && window.studio.position("rod.end")[2] > 0.1);
  await press("pause");
  await until(() => window.studio.live().paused);
  await draw("studio_live.png");
  await page.mouse.up();
  await press("stop");
  await until(() => window.studio.live() === null);
  await idle();

  await page.evaluate(() => window.studio.write(`${window.studio.text()}\nanalyse:\n  rest: {type: equilibrium}\n  swing: {type: modes, about: rest}\n`));
  await idle();
  await page.selectOption("#analyse", "swing");
  await until(() => window.studio.found()?.modes?.length === 1 && window.studio.time() > 0.2);
  await page.focus("#canvas");
  await page.keyboard.press("Space");
  await draw("studio_modes.png");
});

await browser.close();
rmSync(work, { recursive: true });
