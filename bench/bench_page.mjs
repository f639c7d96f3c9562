// bench_page.mjs - the page of a long run of many bodies: its size, the time to its first picture, and
// how it answers while it plays.
//   node bench/bench_page.mjs PROGRAM
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
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
flexion("view", at("pendulums.h5"), "-o", at("pendulums.html"));
const megabytes = statSync(at("pendulums.html")).size / 1e6;

const browser = await launch();
const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
const before = performance.now();
await page.goto(pathToFileURL(at("pendulums.html")).href);
await page.waitForSelector("html[data-ready=true]");
await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
const seconds = (performance.now() - before) / 1000;

// While it plays: time from a key to its effect, and the longest time between two pictures.
const answers = await page.evaluate(async () => {
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
  const frames = f.results[0].frameTimes.length;
  return { frames, gap: Math.max(...gaps), mean: gaps.reduce((a, b) => a + b) / gaps.length, delay: Math.max(...delays) };
});
await browser.close();
rmSync(work, { recursive: true });

const judge = (good) => good ? "met" : "MISSED";
console.log("100 bodies, 10 001 rows, in software rendering");
console.log(`  size of the page         ${megabytes.toFixed(2)} MB, ${answers.frames} frames (mark 10 MB: ${judge(megabytes < 10)})`);
console.log(`  first picture after      ${seconds.toFixed(2)} s (mark 2 s: ${judge(seconds < 2)})`);
console.log(`  while playing, a picture every ${answers.mean.toFixed(0)} ms, at most ${answers.gap.toFixed(0)} ms`);
console.log(`  a key answered within    ${answers.delay.toFixed(0)} ms (mark 100 ms: ${judge(answers.delay < 100)})`);
