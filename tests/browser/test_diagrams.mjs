// test_diagrams.mjs - diagrams of linear systems in the page: that points are where the tables say, and what the pointer does.
//   node test_diagrams.mjs PROGRAM EXAMPLES SCRATCH
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { launch, open } from "./browser.mjs";

const [program, examples, scratch] = process.argv.slice(2);
mkdirSync(scratch, { recursive: true });
const at = (name) => join(scratch, name);
const flexion = (...words) => execFileSync(program, words, { cwd: scratch, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
const table = (name) => {
  const [head, ...rows] = readFileSync(at(name), "utf8").trim().split(/\r?\n/).map((l) => l.split(","));
  return { head, rows: rows.map((r) => r.map(Number)), column: (c) => rows.map((r) => Number(r[head.indexOf(c)])) };
};

const browser = await launch();
let failures = 0;
async function test(what, run) {
  try {
    await run();
    console.log(`ok    ${what}`);
  } catch (e) {
    failures++;
    console.log(`FAIL  ${what}: ${e.message}`);
  }
}

// A mass on a spring: k, c, and its response are known.
writeFileSync(at("mass.yaml"), `flexion: 1
parameters: {k: 100, c: 2}
dimension: 2
inputs: {F: {value: 0}}
bodies: {mass: {type: rigid, mass: 1, inertia: 1, position: [0, 0]}}
joints: {guide: {type: prismatic, on: [ground, mass], at: [0, 0], axis: [1, 0]}}
forces: {spring: {type: force, on: mass, value: [F - k*mass.position.x - c*mass.velocity.x, 0]}}
analyse:
  plant: {type: linear, inputs: [F], outputs: [mass.position.x], until: 5}
  bode: {type: frequency, inputs: [F], outputs: [mass.position.x], from: 1, to: 100, count: 101}
  pd: {type: root-locus, inputs: [F], outputs: [mass.velocity.x], to: 30}
simulate: {until: 1}
outputs: {every: 0.1, signals: [mass.position.x]}
`);
flexion("analyse", "mass.yaml");
flexion("run", "mass.yaml", "-q", "-o", "mass.h5");
flexion("analyse", join(examples, "rotor_campbell.yaml"), "map");
flexion("view", "mass_plant.csv", "mass_plant_step.csv", "mass_plant_impulse.csv", "mass_bode.csv", "mass_pd.csv", "mass_pd_zeros.csv",
  "rotor_campbell_map.csv", "rotor_campbell_map_critical.csv", "-o", "diagrams.html");
const { page, complaints } = await open(browser, at("diagrams.html"), { viewport: { width: 1400, height: 1000 } });

// Where a chart draws, in pixels of the page: places of two ticks say where numbers are.
const told = async (chart, x, y) => {
  const box = await page.locator(`#${chart} svg`).boundingBox();
  await page.mouse.move(box.x + x / 460 * box.width, box.y + y / 280 * box.height);
  return page.locator(`#${chart} .told`).textContent();
};
const points = (chart) => page.evaluate((id) => document.querySelector(`#${id} .curve`).getAttribute("d").split(/[ML]/).slice(1).map((p) => p.split(" ").map(Number)), chart);
const ticks = (chart) => page.evaluate((id) => [...document.querySelectorAll(`#${id} .back text:not(.label)`)].map((t) => [Number(t.textContent), Number(t.getAttribute("x")), Number(t.getAttribute("y")), t.getAttribute("text-anchor")]), chart);

// Two ticks of an axis give its scale; with it a place is a number.
async function scale(chart, axis, log) {
  const on = (await ticks(chart)).filter((t) => t[3] === (axis === "x" ? "middle" : "end")), f = (v) => (log ? Math.log10(v) : v);
  const [a, b] = [on[0], on[on.length - 1]], k = axis === "x" ? 1 : 2, off = axis === "x" ? 0 : 4;
  return (place) => { const v = f(a[0]) + (place + off - a[k]) / (b[k] - a[k]) * (f(b[0]) - f(a[0])); return log ? 10 ** v : v; };
}

await test("every kind of table has its diagram", async () => {
  const ids = await page.evaluate(() => [...document.querySelectorAll(".chart")].map((c) => c.id.replace(/^chart\d+-/, "")));
  assert.deepEqual([...ids].sort(), ["0-course", "1-course", "campbell", "locus", "magnitude", "nichols", "nyquist", "phase", "poles"]);
  await page.screenshot({ path: at("diagrams.png"), fullPage: true });
});

await test("curves are where the closed form says", async () => {
  const id = await page.evaluate(() => document.querySelector("[id$=-magnitude]").id), b = id.replace("-magnitude", "");
  const fx = await scale(id, "x", true), fy = await scale(id, "y", true), all = await points(id);
  assert.ok(all.length >= 101);
  for (const [x, y] of all) {
    const w = 2 * Math.PI * fx(x), size = 1 / Math.hypot(100 - w * w, 2 * w);
    assert.ok(Math.abs(Math.log10(fy(y) / size)) < 0.02, `${w}: ${fy(y)} for ${size}`);
  }
  const nx = await scale(`${b}-nyquist`, "x"), ny = await scale(`${b}-nyquist`, "y"), t = table("mass_bode.csv");
  (await points(`${b}-nyquist`)).forEach(([x, y], i) => {
    const w = t.column("w")[i], n = (100 - w * w) ** 2 + 4 * w * w;
    assert.ok(Math.abs(nx(x) - (100 - w * w) / n) < 5e-4 && Math.abs(ny(y) + 2 * w / n) < 5e-4, `${w}: ${nx(x)}, ${ny(y)}`);
  });
  const px = await scale(`${b}-nichols`, "x"), py = await scale(`${b}-nichols`, "y");
  (await points(`${b}-nichols`)).forEach(([x, y], i) => {
    const w = t.column("w")[i], phase = -Math.atan2(2 * w, 100 - w * w) * 180 / Math.PI, decibel = -20 * Math.log10(Math.hypot(100 - w * w, 2 * w));
    assert.ok(Math.abs(px(x) - phase) < 1 && Math.abs(py(y) - decibel) < 0.5, `${w}: ${px(x)}, ${py(y)} for ${phase}, ${decibel}`);
  });
});

await test("steps and impulses are those of the closed form", async () => {
  const charts = await page.evaluate(() => [...document.querySelectorAll("[id$=-course]")].map((c) => [c.id, c.querySelector("h3").textContent]));
  const w = Math.sqrt(99), step = (t) => 0.01 * (1 - Math.exp(-t) * (Math.cos(w * t) + Math.sin(w * t) / w)), impulse = (t) => Math.exp(-t) * Math.sin(w * t) / w;
  for (const [id, title] of charts) {
    const of = title.includes("step") ? step : impulse, fx = await scale(id, "x"), fy = await scale(id, "y"), all = await points(id);
    assert.ok(all.length > 100);
    for (const [x, y] of all) assert.ok(Math.abs(fy(y) - of(fx(x))) < (of === step ? 2e-4 : 2e-3), `${title} at ${fx(x)}: ${fy(y)} for ${of(fx(x))}`);
  }
});

await test("the pointer finds points, in all diagrams of the same numbers", async () => {
  const id = await page.evaluate(() => document.querySelector("[id$=-magnitude]").id), all = await points(id), t = table("mass_bode.csv");
  const text = await told(id, ...all[50]), numbers = text.match(/-?\d+(\.\d+)?(e-?\d+)?/g).map(Number);
  assert.ok(text.startsWith("mass.position.x/F"), text);
  const size = t.column("mass.position.x/F magnitude")[50];
  assert.ok(numbers.some((v) => Math.abs(v / size - 1) < 1e-3), `${text} has no ${size}`);
  for (const other of ["phase", "nyquist", "nichols"]) assert.equal(await page.locator(`#${id.replace("magnitude", other)} .told`).textContent(), text);
  const [x, y] = (await points(id.replace("magnitude", "nyquist")))[50];
  const mark = await page.evaluate((n) => { const c = document.querySelector(`#${n} .shown circle`); return [Number(c.getAttribute("cx")), Number(c.getAttribute("cy"))]; }, id.replace("magnitude", "nyquist"));
  assert.ok(Math.hypot(mark[0] - x, mark[1] - y) < 0.1, `${mark} for ${x}, ${y}`);
});

await test("a rectangle enlarges, a double click shows all, a name hides its curve", async () => {
  const id = await page.evaluate(() => document.querySelector("[id$=-magnitude]").id), before = await ticks(id);
  await page.locator(`#${id}`).scrollIntoViewIfNeeded();
  const box = await page.locator(`#${id} svg`).boundingBox();
  await page.mouse.move(box.x + 0.4 * box.width, box.y + 0.2 * box.height);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.6 * box.width, box.y + 0.5 * box.height, { steps: 3 });
  await page.mouse.up();
  const near = await ticks(id), x = (list) => list.filter((t) => t[3] === "middle").map((t) => t[0]);
  assert.ok(Math.max(...x(near)) / Math.min(...x(near)) < Math.max(...x(before)) / Math.min(...x(before)), `${x(near)}`);
  await page.mouse.dblclick(box.x + 0.5 * box.width, box.y + 0.4 * box.height);
  assert.deepEqual(x(await ticks(id)), x(before));
  await page.click(`#${id} .keys button`);
  assert.equal(await page.locator(`#${id} .curve`).count(), 0);
  await page.click(`#${id} .keys button`);
  assert.equal(await page.locator(`#${id} .curve`).count(), 1);
});

await test("poles are told by the slider of the gain, rays by the orders", async () => {
  const slider = page.locator("[id$=-gain]"), last = table("mass_pd.csv").rows.at(-1);
  await slider.evaluate((e) => { e.value = e.max; e.dispatchEvent(new Event("input")); });
  const text = await page.locator("[id$=-value]").textContent(), worst = Math.max(...last.filter((_, k) => k % 2 === 1));
  assert.ok(text.includes(`gain = ${last[0]}`) && text.includes(String(Number(worst.toPrecision(4)))), `${text} for ${worst}`);
  // s^2 + (2 + k) s + 100: both poles real, beyond k = 18
  assert.ok(Math.abs(worst - (-16 + Math.sqrt(256 - 100))) < 1e-9, String(worst));
  const rays = () => page.locator("[id$=-campbell] path.guide").count();
  assert.equal(await rays(), 2);
  await page.locator("[id$=-campbell] + label input").fill("1 2 3.5");
  assert.equal(await rays(), 3);
  const circles = await page.locator("[id$=-campbell] circle.circle").count();
  assert.equal(circles, table("rotor_campbell_map_critical.csv").rows.length);
});

await test("German, dark, without a complaint", async () => {
  await page.click("#language");
  assert.ok((await page.locator(".chart h3").allTextContents()).includes("Wurzelortskurve"));
  await page.click("#theme");
  assert.deepEqual(complaints, []);
});

await test("diagrams stand beside a result, in a tab of their own", async () => {
  flexion("view", "mass.h5", "mass_bode.csv", "-o", "both.html");
  const both = await open(browser, at("both.html"));
  await both.page.click("#tab-analyses");
  assert.equal(await both.page.locator("#panel-analyses .chart").count(), 4);
  assert.ok(await both.page.locator("#canvas").count() === 1);
  assert.deepEqual(both.complaints, []);
});

await test("a fit has its measured values, its band and its residuals", async () => {
  flexion("optimise", join(examples, "pendulum_fit.yaml"));
  flexion("view", "pendulum_fit_fit.csv", "-o", "fit.html");
  const t = table("pendulum_fit_fit.csv"), shown = await open(browser, at("fit.html"));
  const dots = (id) => shown.page.evaluate((e) => [...document.querySelectorAll(`[id$=-${e}] circle.dot`)].map((c) => Number(c.getAttribute("cy"))), id);
  assert.equal((await dots("fit")).length, t.rows.length);
  assert.equal(await shown.page.locator("[id$=-fit] .curve").count(), 3);
  const residual = t.column("residual"), places = await dots("residual"), a = residual.indexOf(Math.max(...residual)), b = residual.indexOf(Math.min(...residual));
  for (const i of [3, 20, 40]) {
    const wanted = places[b] + (residual[i] - residual[b]) / (residual[a] - residual[b]) * (places[a] - places[b]);
    assert.ok(Math.abs(places[i] - wanted) < 0.05, `${places[i]} for ${wanted}`);
  }
  assert.deepEqual(shown.complaints, []);
});

await test("what is no table is refused by name", async () => {
  writeFileSync(at("empty.csv"), "");
  for (const [name, wanted] of [["nothing.csv", "nothing.csv"], ["empty.csv", "empty.csv"]]) {
    let said = "";
    try { flexion("view", name); } catch (e) { said = String(e.stderr); }
    assert.ok(said.includes(wanted), `${name}: '${said}'`);
  }
});

await browser.close();
process.exit(failures ? 1 : 0);
