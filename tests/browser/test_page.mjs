// test_page.mjs - pages of examples in a real browser: they play, what they show is where the table
// says, and they do not complain.
//   node test_page.mjs PROGRAM EXAMPLES SCRATCH MESH_RESULT
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { colours, launch, open } from "./browser.mjs";

const [program, examples, scratch, meshResult] = process.argv.slice(2);
mkdirSync(scratch, { recursive: true });
const at = (name) => join(scratch, name);
const flexion = (...words) => execFileSync(program, words, { cwd: scratch, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

function makePage(model, name) {
  try {
    flexion("run", model, "-o", at(`${name}.h5`), "--csv", at(`${name}.csv`));
  } catch (e) {
    if (e.status !== 1) throw e; // a run that fails keeps what it has
  }
  flexion("view", at(`${name}.h5`), "-o", at(`${name}.html`));
  return at(`${name}.html`);
}

function table(name) {
  const [head, ...rows] = readFileSync(at(`${name}.csv`), "utf8").trim().split("\n");
  return { names: head.split(","), rows: rows.map((r) => r.split(",").map(Number)) };
}

// The scene is where the table says, at rows all over the run.
async function compare(page, name, place, tolerance, result = 0) {
  const { names, rows } = table(name);
  const columns = ["x", "y", "z"].map((k) => names.indexOf(`${place}.position.${k}`)).filter((c) => c > 0);
  assert.ok(columns.length >= 2, `${name}: no column ${place}.position`);
  for (const part of [0, 0.13, 0.37, 0.5, 0.81, 1]) {
    const row = rows[Math.round(part * (rows.length - 1))];
    const seen = await page.evaluate(([t, p, r]) => {
      window.flexion.seek(t);
      return window.flexion.position(p, r);
    }, [row[0], place, result]);
    columns.forEach((c, k) => assert.ok(Math.abs(seen[k] - row[c]) <= tolerance,
      `${name}: ${names[c]} at t = ${row[0]} is ${row[c]}, the scene shows ${seen[k]}`));
  }
}

async function playsAndScrubs(page, name) {
  const time = () => page.evaluate(() => window.flexion.time());
  const { from, to } = await page.evaluate(() => ({ from: window.flexion.player.from, to: window.flexion.player.to }));
  await page.evaluate((t) => window.flexion.seek(t), from);
  await page.click("#play");
  await page.waitForFunction((t) => window.flexion.time() > t, from, { timeout: 30000 });
  await page.click("#play");
  const stopped = await time();
  await page.waitForTimeout(150);
  assert.equal(await time(), stopped, `${name}: the pause does not hold`);
  await page.locator("#time").fill("500");
  assert.ok(Math.abs(await time() - (from + to) / 2) <= 1e-9 * Math.abs(to), `${name}: scrubbing to the middle`);
  await page.locator("#canvas").focus();
  await page.keyboard.press("End");
  assert.equal(await time(), to, `${name}: the key End`);
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  assert.ok(await time() > from, `${name}: the key ArrowRight`);
}

const cases = [
  ["slider_crank", "slider", 1e-6],
  ["bricard", "rod3.end", 1e-6],
  ["bouncing_ball", "ball", 1e-6],
  ["tumbling_chain", "first", 1e-5], // 70 m away in single precision
];
if (process.env.FLX_LONG) cases.push(["rolling_coin", "coin", 1e-6], ["flying_beam", "rod.end", 1e-5]);

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

for (const [name, place, tolerance] of cases) {
  await test(`page of ${name}`, async () => {
    const { page, complaints } = await open(browser, makePage(join(examples, `${name}.yaml`), name));
    assert.ok(await colours(page) > 25, "the canvas is blank");
    await compare(page, name, place, tolerance);
    await playsAndScrubs(page, name);
    for (const tab of ["view", "ledger", "model", "plots"]) {
      await page.click(`#tab-${tab}`);
      assert.ok(await page.isVisible(`#panel-${tab}`), `the panel ${tab}`);
    }
    assert.ok((await page.textContent("#panel-ledger")).includes("energy drift"), "the ledger");
    assert.equal(await page.textContent("#panel-model pre"), readFileSync(join(examples, `${name}.yaml`), "utf8"));
    assert.deepEqual(complaints, []);
    await page.evaluate(() => document.getElementById("canvas").replaceWith(Object.assign(document.createElement("canvas"), { id: "canvas" })));
    assert.ok(await colours(page) < 5, "a canvas without its mechanism does not count as blank");
    await page.context().close();
  });
}

await test("two results, overlaid and side by side", async () => {
  const text = readFileSync(join(examples, "double_pendulum.yaml"), "utf8");
  writeFileSync(at("full.yaml"), text);
  writeFileSync(at("coarse.yaml"), text.replace(/simulate: .*/, "simulate: {until: 3, method: implicit-euler, step: 0.01}"));
  makePage(at("full.yaml"), "full");
  makePage(at("coarse.yaml"), "coarse");
  flexion("view", at("full.h5"), at("coarse.h5"), "-o", at("both.html"));
  const { page, complaints } = await open(browser, at("both.html"));
  await compare(page, "full", "rod2.tip", 1e-6, 0);
  await compare(page, "coarse", "rod2.tip", 1e-6, 1);
  const overlaid = await colours(page);
  await page.click("#arrangement");
  assert.ok(overlaid > 25 && await colours(page) > 25, "the canvas is blank");
  assert.ok((await page.textContent("#legend")).includes("coarse"));
  assert.deepEqual(complaints, []);
  await page.context().close();
});

await test("shapes of files are drawn", async () => {
  const { page, complaints } = await open(browser, makePage(join(examples, "gears.yaml"), "gears"));
  assert.ok(await colours(page) > 60, "the canvas is blank");
  assert.deepEqual(await page.evaluate(() => window.flexion.results[0].surfaces.map((s) => s.triangles.length / 3)), [2304, 1056]);
  assert.deepEqual(complaints, []);
  await page.context().close();
});

// Formulas of tests/support/mesh_result.c
function tube(label, t, rings) {
  const i = Math.floor((label - 1) / 24), w = 2 * Math.PI * ((label - 1) % 24) / 24, x = i / (rings - 1);
  const at = [x, 0.1 * Math.cos(w), 0.1 * Math.sin(w)];
  for (let k = 1; k <= 12; k++) at[k % 2 ? 1 : 2] += 0.02 / k * Math.sin(k * t) * Math.sin(Math.PI * k * x);
  return at;
}

await test("a mesh deforms, with a scale of colours", async () => {
  execFileSync(meshResult, ["2400", "501", at("tube.h5")]);
  flexion("view", at("tube.h5"), "-o", at("tube.html"));
  const { page, complaints } = await open(browser, at("tube.html"));
  for (const [label, t] of [[1, 0], [1213, 1.3], [1213, 7.7], [2011, 4.24]]) {
    const seen = await page.evaluate(([n, time]) => { window.flexion.seek(time); return window.flexion.node("tube", n); }, [label, t]);
    const [, ...expected] = tube(label, t, 100); // along the tube it moves by chance
    expected.forEach((x, k) => assert.ok(Math.abs(seen[k + 1] - x) < 2e-4, `node ${label} at ${t}: ${seen}, not ${expected}`));
  }
  const scale = () => page.textContent("#scale .top"), plain = await colours(page);
  assert.match(await scale(), /^3\d\.\d mm$/);
  await page.click("#tab-view");
  await page.selectOption("#colouring", "stress");
  assert.match(await scale(), /^1\d\d MPa$/);
  assert.ok(plain > 40 && await colours(page) > 40, "one colour");
  await page.selectOption("#exaggeration", "5");
  const far = await page.evaluate(() => window.flexion.node("tube", 1213)[1]);
  await page.selectOption("#exaggeration", "1");
  const near = await page.evaluate(() => window.flexion.node("tube", 1213)[1]), rest = 0.1 * Math.cos(2 * Math.PI * 12 / 24);
  assert.ok(Math.abs((far - rest) / (near - rest) - 5) < 0.01, "exaggerated");
  await page.selectOption("#modes", "0 2");
  const swing = await page.evaluate(async () => {
    const seen = [], frame = () => new Promise((done) => requestAnimationFrame(done)), size = () => Math.max(...seen) - Math.min(...seen);
    for (let i = 0; i < 3; i++) await frame(); // the motion before is gone
    // a busy machine draws few frames per second: only the size decides
    for (const end = performance.now() + 60000; performance.now() < end && !(size() > 0.02);) {
      seen.push(window.flexion.node("tube", 1213)[1]);
      await frame();
    }
    return size();
  });
  assert.ok(swing > 0.02, `mode 3 moves the middle by ${swing}`);
  assert.equal(await scale(), "1");
  assert.deepEqual(complaints, []);
  await page.context().close();
});

await test("statics of a structure: the scale ends at the largest stress", async () => {
  const said = flexion("fe", "static", join(examples, "fe/bracket.yaml"), "--vtu", "none", "--result", at("bracket.h5"));
  const largest = Number(/von Mises +(\S+) Pa/.exec(said)[1]) / 1e6;
  flexion("view", at("bracket.h5"), "-o", at("bracket.html"));
  const { page, complaints } = await open(browser, at("bracket.html"));
  await page.evaluate(() => window.flexion.colour("stress"));
  const shown = /^([\d.]+) MPa$/.exec(await page.textContent("#scale .top"));
  assert.ok(shown && Math.abs(Number(shown[1]) / largest - 1) < 0.005, `${shown} and ${largest}`);
  flexion("fe", "modes", join(examples, "fe/bracket.yaml"), "--count", "3", "--vtu", "none", "--result", at("modes.h5"));
  flexion("export", "frames", at("modes.h5"), "-o", at("modes"), "--frames", "4", "--size", "160x120");
  assert.ok(existsSync(at("modes/frame_0003.png")));
  assert.deepEqual(complaints, []);
  await page.context().close();
});

await test("a mesh that is too large is made coarser, and that is said", async () => {
  execFileSync(meshResult, ["60000", "101", at("large.h5")]);
  const said = flexion("view", at("large.h5"), "-o", at("large.html"), "--mesh-points", "5000");
  assert.match(said, /meshes are drawn with [1-4]\d\d\d of 60000 points/);
  const { page, complaints } = await open(browser, at("large.html"));
  assert.match(await page.textContent("#note"), /Meshes are drawn with [1-4]\d\d\d of 60000 points/);
  assert.ok(await colours(page) > 25, "the canvas is blank");
  assert.deepEqual(complaints, []);
  await page.context().close();
});

await test("values that are not finite leave gaps", async () => {
  writeFileSync(at("gaps.csv"), "t,x,y\n0,1,nan\n1,nan,nan\n2,3,inf\n3,2,nan\n");
  flexion("view", at("gaps.csv"), "-o", at("gaps.html"));
  const { page, complaints } = await open(browser, at("gaps.html"));
  assert.match(await page.textContent("#note"), /not finite/);
  assert.equal(await page.locator(".plot canvas").count(), 2);
  assert.deepEqual(complaints, []);
  await page.context().close();
});

await test("German, dark, and as narrow as a phone", async () => {
  const { page, complaints } = await open(browser, at("bricard.html"),
    { viewport: { width: 390, height: 800 }, locale: "de-DE", colorScheme: "dark" });
  assert.equal(await page.getAttribute("#play", "aria-label"), "Abspielen");
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "it scrolls sideways");
  await page.click("#language");
  assert.equal(await page.getAttribute("#play", "aria-label"), "Play");
  assert.deepEqual(complaints, []);
  await page.context().close();
});

await test("equations alone have plots", async () => {
  const { page, complaints } = await open(browser, makePage(join(examples, "pendulum_equations.yaml"), "equations"));
  assert.ok((await page.textContent("#note")).includes("no motion of bodies"));
  assert.ok(await page.locator(".plot canvas").count() > 0);
  assert.deepEqual(complaints, []);
  await page.context().close();
});

await test("a run that failed shows what there is", async () => {
  writeFileSync(at("fails.yaml"), `flexion: 1
dimension: 2
bodies: {a: {type: point, mass: 1, position: [1, 0], velocity: [1, 0]}}
forces: {push: {type: expression, on: a, force: ["a.position.x^3", 0]}}
simulate: {until: 50, method: dopri5, rtol: 1e-6, atol: 1e-8}
outputs: {steps: true, signals: [a.position]}
`);
  const { page, complaints } = await open(browser, makePage(at("fails.yaml"), "fails"));
  assert.ok((await page.textContent("#note")).includes("did not reach its end"));
  assert.deepEqual(complaints, []);
  await page.context().close();
});

await test("a report shows its drawings", async () => {
  flexion("report", at("bouncing_ball.h5"), "-o", at("report.html"));
  const page = await (await browser.newContext()).newPage();
  await page.goto(`file://${at("report.html")}`);
  assert.equal(await page.textContent("h1"), "Bouncing ball");
  assert.ok(await page.locator("figure svg").count() >= 2);
  const text = await page.textContent("body");
  // the mechanism, as it is seen: at the start, half way, at the end
  const pictures = await page.evaluate(() => [...document.querySelectorAll(".pictures img")].map((i) => [i.complete && i.naturalWidth, i.alt]));
  assert.deepEqual(pictures.map(([w]) => w), [600, 600, 600]);
  assert.match(pictures[2][1], /^the mechanism at t = 3\.\d+ s$/);
  assert.match(await page.evaluate(() => document.querySelector("style").textContent), /@page\{size:A4.*@bottom-left\{content:"Bouncing ball".*counter\(page\).*counter\(pages\)/s);
  for (const text of await page.locator(".plots svg").allTextContents()) assert.ok(text.includes("t (s)"), "an axis without a name");
  // two drawings side by side, none of a signal that is zero
  const [a, b] = await page.evaluate(() => [...document.querySelectorAll(".plots figure")].slice(0, 2).map((e) => e.getBoundingClientRect().toJSON()));
  assert.ok(a.top === b.top && b.left > a.right && a.height < 200, "drawings are not side by side");
  for (const part of ["bounce", "energy drift", "In the plane", "Signals in numbers", "time reached"]) assert.ok(text.includes(part), part);
  await page.context().close();
});

await test("a report does not draw zeros, and any title can stand on its pages", async () => {
  writeFileSync(at("zeros.yaml"), `flexion: 1
title: 'A </style> "B" \\ 100 % @page'
bodies: {a: {type: point, mass: 1, position: [1, 0, 0], velocity: [0, 1, 0]}}
signals: {nothing: 0*t}
simulate: {until: 1, method: dopri5, rtol: 1e-6}
outputs: {every: 0.1, signals: [a.position, a.velocity, nothing]}
`);
  flexion("run", at("zeros.yaml"), "-q", "-o", at("zeros.h5"));
  flexion("report", at("zeros.h5"), "-o", at("zeros.html"));
  const page = await (await browser.newContext()).newPage();
  await page.goto(`file://${at("zeros.html")}`);
  assert.equal(await page.textContent("h1"), 'A </style> "B" \\ 100 % @page');
  assert.equal(await page.locator("style").count(), await page.locator("figure svg style").count() + 1);
  assert.match(await page.textContent("body"), /Zero at all times: a\.position\.z, a\.velocity\.x, a\.velocity\.z, nothing/);
  assert.equal(await page.locator(".plots > figure").count(), 2);
  assert.ok(!(await page.locator(".plots").textContent()).includes("nothing"));
  await page.context().close();
});

await test("a report as PDF, or the reason why not", async () => {
  flexion("report", at("bouncing_ball.h5"), "--pdf", "-o", at("report.pdf"));
  const pdf = readFileSync(at("report.pdf"), "latin1");
  assert.ok(pdf.startsWith("%PDF-") && pdf.length > 20000, "no PDF");
  for (const [, w, h] of pdf.matchAll(/\/MediaBox ?\[0 0 ([\d.]+) ([\d.]+)\]/g)) { // A4, in points
    assert.ok(Math.abs(Number(w) - 595.3) < 1 && Math.abs(Number(h) - 841.9) < 1, `${w} by ${h}`);
  }
  assert.ok(/\/MediaBox/.test(pdf), "no page");
  assert.throws(() => execFileSync(program, ["report", at("bouncing_ball.h5"), "--pdf", "-o", at("none.pdf")],
    { env: { ...process.env, FLEXION_BROWSER: "no-such-browser" }, stdio: ["ignore", "pipe", "pipe"] }),
    (e) => e.status === 1 && /needs no-such-browser, which was not found; install Chromium/.test(String(e.stderr)));
  assert.ok(!existsSync(at("none.pdf")));
});

await test("served on this machine", async () => {
  const server = spawn(program, ["view", at("slider_crank.h5"), "-o", at("served.html"), "--serve"], { stdio: ["ignore", "pipe", "inherit"] });
  const address = await new Promise((done, fail) => {
    server.stdout.on("data", (d) => { const m = /http:\S+/.exec(String(d)); if (m) done(m[0]); });
    server.on("exit", () => fail(new Error("the server ended")));
  });
  const good = await fetch(address), bad = await fetch(`${address}other`), put = await fetch(address, { method: "POST", body: "x" });
  assert.equal(good.status, 200);
  assert.equal(await good.text(), readFileSync(at("served.html"), "utf8"));
  assert.equal(bad.status, 404);
  assert.equal(put.status, 405);
  const ended = new Promise((done) => server.on("exit", done));
  server.kill("SIGINT");
  assert.equal(await ended, 0);
});

await browser.close();
console.log(failures ? `${failures} failed` : "all passed");
process.exit(failures ? 1 : 0);
