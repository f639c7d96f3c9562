// bench_page.mjs - the page of a long run of many bodies, and of a large mesh over many rows: its size, the
// time to its first picture, and how it answers while it plays; and the workbench: how soon a key is seen in the picture.
//   node bench/bench_page.mjs PROGRAM
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { launch } from "../tests/browser/browser.mjs";

const program = resolve(process.argv[2]), work = mkdtempSync(join(tmpdir(), "flexion-"));
const at = (name) => join(work, name);
const flexion = (...words) => execFileSync(program, words, { cwd: work, stdio: ["ignore", "ignore", "inherit"] });

writeFileSync(at("pendulums.yaml"), `flexion: 1
title: Fifty double pendulums
gravity: [0, 0, -9.81]
bodies:
  upper: {repeat: {i: [1, 50]}, type: rigid, mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1],
          position: [0, 0.2*i, 0], orientation: {axis: [0, 1, 0], angle: 0.02*i}, points: {end: [1, 0, 0]}}
  lower: {repeat: {i: [1, 50]}, type: rigid, mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1],
          position: upper(i).end, points: {end: [1, 0, 0]}}
joints:
  top: {repeat: {i: [1, 50]}, type: revolute, on: [ground, upper(i)], at: [0, 0.2*i, 0], axis: [0, 1, 0]}
  pin: {repeat: {i: [1, 50]}, type: spherical, on: [upper(i), lower(i)], at: upper(i).end}
simulate: {until: 10, method: dopri5, rtol: 1e-6, atol: 1e-6}
outputs: {every: 1e-3, signals: [lower(50).end.position, energy]}
`);
flexion("run", at("pendulums.yaml"), "-q", "-o", at("pendulums.h5"));
execFileSync(join(dirname(program), "mesh_result"), ["100000", "100001", at("tube.h5")]);

const browser = await launch();
const judge = (good) => good ? "met" : "MISSED";

// While it plays: time from a key to its effect, and the longest time between two pictures.
const play = async () => {
  const f = window.flexion, gaps = [], delays = [];
  document.getElementById("play").click();
  let last = performance.now();
  for (let i = 0; i < 60; i++) {
    await new Promise((done) => requestAnimationFrame(done));
    const now = performance.now();
    gaps.push(now - last);
    last = now;
    if (i % 6 !== 0) continue;
    const start = performance.now(), t = f.time();
    document.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
    if (!(f.time() !== t)) delays.push(Infinity);
    await new Promise((done) => requestAnimationFrame(done));
    delays.push(performance.now() - start);
    last = performance.now();
  }
  const r = f.results[0], points = r.meshes.reduce((sum, m) => sum + m.points[0].length, 0);
  return { frames: r.frameTimes.length, points, gap: Math.max(...gaps), mean: gaps.reduce((a, b) => a + b) / gaps.length, delay: Math.max(...delays) };
};

// answer: milliseconds in which a key must be answered.
async function measure(what, name, answer, prepare) {
  flexion("view", at(`${name}.h5`), "-o", at(`${name}.html`));
  const megabytes = statSync(at(`${name}.html`)).size / 1e6;
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
  const before = performance.now();
  await page.goto(pathToFileURL(at(`${name}.html`)).href);
  await page.waitForSelector("html[data-ready=true]");
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const seconds = (performance.now() - before) / 1000;
  if (prepare) await page.evaluate(prepare);
  const got = await page.evaluate(play);
  await page.context().close();
  console.log(`${what}, in software rendering`);
  console.log(`  size of the page         ${megabytes.toFixed(2)} MB, ${got.frames} frames${got.points ? `, ${got.points} points` : ""} (mark 10 MB: ${judge(megabytes < 10)})`);
  console.log(`  first picture after      ${seconds.toFixed(2)} s (mark 2 s: ${judge(seconds < 2)})`);
  console.log(`  while playing, a picture every ${got.mean.toFixed(0)} ms, at most ${got.gap.toFixed(0)} ms`);
  console.log(`  a key answered within    ${got.delay.toFixed(0)} ms (mark ${answer} ms: ${judge(got.delay < answer)})`);
}

await measure("100 bodies, 10 001 rows", "pendulums", 100);
await measure("a mesh of 100 000 points with 12 modes, 100 001 rows, coloured by stress", "tube", 200, () => window.flexion.colour("stress"));

// The workbench: from a key in the text of 100 bodies to the picture of the new text.
async function type(keys) {
  const child = spawn(program, ["studio", at("pendulums.yaml"), "--no-browser"], { stdio: ["ignore", "pipe", "inherit"] });
  const address = await new Promise((done) => child.stdout.on("data", (d) => { const m = /http:\S+/.exec(String(d)); if (m) done(m[0]); }));
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
  await page.goto(address);
  await page.waitForFunction(() => window.studio?.checked()?.data && window.studio.idle());
  await page.waitForTimeout(1000);
  await page.evaluate(() => window.studio.latencies());
  for (let i = 0; i < keys; i++) {
    await page.evaluate((k) => {
      const from = window.studio.text().indexOf("angle: ") + 7;
      window.studio.type(`0.0${2 + k % 7}`, from, from + 4);
    }, i);
    await page.waitForFunction(() => window.studio.idle(), null, { polling: 10 });
    await page.waitForTimeout(150);
  }
  const times = (await page.evaluate(() => window.studio.latencies())).sort((a, b) => a - b);
  await page.context().close();
  child.kill("SIGINT");
  return times;
}
const times = await type(15);
console.log("100 bodies in the workbench, from a key to the picture of the new text");
console.log(`  half of the keys within  ${times[times.length >> 1].toFixed(0)} ms (mark 150 ms: ${judge(times[times.length >> 1] < 150)}), all ${times.length} within ${times[times.length - 1].toFixed(0)} ms`);
await browser.close();
rmSync(work, { recursive: true });
