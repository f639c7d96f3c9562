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

const home = () => page.click("#bar .views button >> nth=0");

await bench("model.yaml", async () => {
  await page.click("#left-items");
  await page.selectOption("#adder", "rod");
  for (const place of [[0, 0, 0], [1, 0, 0]]) await page.mouse.click(...await pixel(place));
  await idle();
  await home();
  await page.click(".tree [data-path='bodies.rod']");
  await page.waitForTimeout(300);
  await page.mouse.move(...await pixel([1, 0, 0]));
  await page.mouse.down();
  await page.mouse.move(...await pixel([0.8, 0, 0.3]), { steps: 3 });
  await draw("studio_items.png");
  await page.mouse.up();
  await press("undo");
  await idle();

  await page.selectOption("#adder", "revolute");
  await page.mouse.click(...await pixel([0, 0, 0]));
  await idle();
  await page.click("#left-text");
  await page.evaluate(() => window.studio.write(`${window.studio.text()}\nanalyse:\n  rest: {type: equilibrium}\n  swing: {type: modes, about: rest}\n`));
  await idle();
  await page.selectOption("#analyse", "swing");
  await until(() => window.studio.found()?.modes?.length === 1 && window.studio.time() > 0.2);
  await home();
  await page.focus("#canvas");
  await page.keyboard.press("Space");
  await draw("studio_modes.png");
});

copyFileSync(join(root, "examples/seven_axis_arm.yaml"), at("seven_axis_arm.yaml"));
await bench("seven_axis_arm.yaml", async () => {
  const slide = (name, x) => page.evaluate(([n, v]) => { const e = document.querySelector(`#drive [data-name="${n}"]`); e.value = v; e.dispatchEvent(new Event("input")); }, [name, x]);
  await press("live");
  await until(() => window.studio.live()?.t > 0.1);
  await press("moreruns");
  await until(() => window.studio.live(2)?.t > 0.5);
  for (const [name, x] of [["a2", 0], ["a4", -1]]) await slide(name, x);
  await until(() => window.studio.live(1).t > 2 && window.studio.live(2).t > 2);
  await press("pause");
  await until(() => window.studio.live().paused);
  await draw("studio_live.png");
  await press("stop");
  await until(() => window.studio.live() === null);
});

copyFileSync(join(root, "examples/slider_crank_torque.yaml"), at("slider_crank_torque.yaml"));
await bench("slider_crank_torque.yaml", async () => {
  await page.selectOption("#analyse", "bode");
  await until(() => window.studio.idle() && window.studio.found()?.tables?.length > 0);
  await draw("studio_study.png");
});

await browser.close();
rmSync(work, { recursive: true });
