// test_view.mjs - the picture of the page as it is seen: light, layers, symbols, arrows, axes, and what keys and the
// pointer do with it.
//   node test_view.mjs PROGRAM EXAMPLES SCRATCH
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { launch, open } from "./browser.mjs";

const [program, examples, scratch] = process.argv.slice(2);
mkdirSync(scratch, { recursive: true });
const at = (name) => join(scratch, name);
const flexion = (...words) => execFileSync(program, words, { cwd: scratch, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

const browser = await launch();
const kept = new Map(); // pages of examples by name: to open one takes longer than most of what is tested on it
let failures = 0;
async function test(what, run) {
  const pages = [];
  let failed = false;
  try {
    await run(async (name, text, options) => {
      const opened = (!options && kept.get(name)) || await open(browser, pageFile(name, text), options);
      if (!text && !options) kept.set(name, opened);
      pages.push(opened);
      await atStart(opened.page);
      return opened.page;
    });
    for (const p of pages) assert.deepEqual(p.complaints, []);
    console.log(`ok    ${what}`);
  } catch (e) {
    failed = true;
    failures++;
    console.log(`FAIL  ${what}: ${e.message}`);
  }
  for (const p of pages) {
    const [name] = [...kept].find(([, k]) => k === p) ?? [];
    if (name && !failed) continue;
    kept.delete(name); // the next one starts afresh
    await p.page.context().close();
  }
}

function pageFile(name, text) {
  if (text) writeFileSync(at(`${name}.yaml`), text);
  flexion("run", text ? at(`${name}.yaml`) : join(examples, `${name}.yaml`), "-q", "-o", at(`${name}.h5`), "--csv", at(`${name}.csv`));
  flexion("view", at(`${name}.h5`), "-o", at(`${name}.html`));
  return at(`${name}.html`);
}

// The view and the time as a page opens; what else a test switches it switches back.
const atStart = (page) => page.evaluate(() => {
  document.activeElement.blur();
  window.flexion.seek(window.flexion.player.from);
  window.flexion.look("start");
});

// Colours of the picture at places of the page, in pixels: red, green, blue; of a sharp picture, which a slow machine
// draws when things rest.
async function seen(page, places) {
  return page.evaluate(async (list) => {
    const canvas = document.getElementById("canvas"), frame = () => new Promise((done) => requestAnimationFrame(done));
    for (let i = 0; i < 3; i++) await frame();
    const late = performance.now() + 20000;
    while (canvas.width < canvas.clientWidth - 1) {
      if (performance.now() > late) throw new Error("the picture stays coarse");
      await frame();
    }
    const box = canvas.getBoundingClientRect(), copy = document.createElement("canvas");
    copy.width = box.width;
    copy.height = box.height;
    const g = copy.getContext("2d", { willReadFrequently: true });
    g.drawImage(canvas, 0, 0, copy.width, copy.height);
    return list.map(([x, y]) => [...g.getImageData(Math.round(x - box.left), Math.round(y - box.top), 1, 1).data].slice(0, 3));
  }, places);
}
const pixel = (page, place) => page.evaluate((x) => window.flexion.pixel(x), place);
const seek = (page, t) => page.evaluate((time) => window.flexion.seek(time), t);
const time = (page) => page.evaluate(() => window.flexion.time());
const isBlue = ([r, , b]) => b > 1.5 * r, isOrange = ([r, , b]) => r > 1.5 * b, isGrey = ([r, g, b]) => Math.max(r, g, b) - Math.min(r, g, b) < 45 && Math.max(r, g, b) > 20;
const table = (name) => {
  const [head, ...rows] = readFileSync(at(`${name}.csv`), "utf8").trim().split("\n");
  return { names: head.split(","), rows: rows.map((r) => r.split(",").map(Number)) };
};

const cube = `flexion: 1
bodies: {cube: {type: rigid, mass: 1, inertia: [1, 1, 1], shape: {box: [1, 1, 1]}}}
simulate: {until: 1, method: dopri5, rtol: 1e-6}
outputs: {every: 0.1, signals: [cube.position]}
`;

await test("a face is lit from wherever it is seen", async (page_of) => {
  const page = await page_of("cube", cube);
  const middle = await page.evaluate(() => { const b = document.getElementById("canvas").getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2]; });
  for (const view of ["x", "y", "z", "slant"]) {
    await page.evaluate((v) => window.flexion.look(v), view);
    const [colour] = await seen(page, [middle]);
    assert.ok(isBlue(colour) && colour[2] > 130, `from ${view}: ${colour}`);
  }
  // right round it, from above and from below
  await page.mouse.move(...middle);
  await page.mouse.down();
  for (const [dx, dy] of [[150, 0], [150, 60], [150, -160], [150, -160], [-150, 300], [-300, 100]]) {
    await page.mouse.move(middle[0] + dx, middle[1] + dy);
    const [colour] = await seen(page, [middle]);
    assert.ok(isBlue(colour) && colour[2] > 110, `turned by ${dx}, ${dy}: ${colour}`);
  }
  await page.mouse.up();
});

const guided = `flexion: 1
dimension: 2
bodies:
  bar: {type: rigid, mass: 1, inertia: 1, shape: {box: [4, 0.4, 0.1]}}
  ball: {type: point, mass: 1, position: [-1, 0], velocity: [1, 0]}
joints:
  weld: {type: fixed, on: [ground, bar], at: [0, 0]}
  guide: {type: point-on-line, on: [bar, ball], at: [[0, 0], ball], axis: [1, 0]}
simulate: {until: 2, method: dopri5, rtol: 1e-8}
outputs: {every: 0.05, signals: [ball.position]}
`;

await test("the mark of a point on a line goes with the point", async (page_of) => {
  const page = await page_of("guided", guided);
  for (const t of [0, 0.5, 1.5, 2]) {
    await seek(page, t);
    const here = await page.evaluate(() => window.flexion.position("ball"));
    assert.ok(Math.abs(here[0] - (t - 1)) < 1e-6, `the ball is at ${here}`);
    const [mark, left] = await seen(page, [await pixel(page, here), await pixel(page, [t < 1 ? 0.8 : -0.8, 0.1, 0])]);
    assert.ok(isGrey(mark), `t = ${t}: the mark is ${mark}`);
    assert.ok(isBlue(left), `t = ${t}: the bar is ${left}`);
  }
});

await test("dots of the cursor lie on their curves, also at the start", async (page_of) => {
  const page = await page_of("slider_crank");
  const off = () => page.evaluate(() => {
    const found = [];
    for (const plot of document.querySelectorAll(".plot")) {
      const over = plot.querySelector(".u-over").getBoundingClientRect();
      for (const dot of plot.querySelectorAll(".dot")) {
        const d = dot.getBoundingClientRect(), y = d.top + d.height / 2;
        if (dot.hidden || y > over.bottom + 1 || y < over.top - 1) found.push([y, over.top, over.bottom]);
      }
    }
    return found;
  });
  assert.deepEqual(await off(), []);
  // the slider is far out at the start: its dot is high, not at the axis
  await page.evaluate(() => window.flexion.addPlot("slider.position"));
  await seen(page, []); // drawn
  const high = await page.evaluate(() => {
    const plot = [...document.querySelectorAll(".plot")].pop(), over = plot.querySelector(".u-over").getBoundingClientRect();
    const dot = plot.querySelector(".dot").getBoundingClientRect();
    return (over.bottom - (dot.top + dot.height / 2)) / over.height;
  });
  const { names, rows } = table("slider_crank"), c = names.indexOf("slider.position.x"), x = rows.map((r) => r[c]);
  assert.ok(x[0] > 0.5 * (Math.max(...x) + Math.min(...x)) && high > 0.5, `${x[0]} is drawn at ${high}`);
});

const held = `flexion: 1
gravity: [0, 0, -10]
bodies:
  block: {type: rigid, mass: 2, inertia: [1, 1, 1], shape: {box: [2, 2, 2]}}
  pebble: {type: point, mass: 1, position: [0, 0, 3]}
joints: {hold: {type: fixed, on: [ground, block], at: [0, 0, 0]}}
simulate: {until: 1, method: radau, rtol: 1e-6}
outputs: {every: 0.1, signals: [hold.reaction]}
`;

await test("an arrow of a force shows in front of bodies, with its value", async (page_of) => {
  const page = await page_of("held", held);
  await page.keyboard.press("a");
  await seek(page, 0.5);
  const [inside, beside] = await seen(page, [await pixel(page, [0, 0, 0.2]), await pixel(page, [0.4, -0.4, 0.2])]);
  assert.ok(inside[1] > 1.5 * inside[0] && inside[1] > 1.2 * inside[2], `the arrow is ${inside}`);
  assert.ok(isBlue(beside), `the block is ${beside}`);
  assert.deepEqual(await page.locator(".tag:visible").allTextContents(), ["hold 20 N"]);
  const [x, y] = await pixel(page, [0, 0, 0.2]);
  const across = await seen(page, [-2, -1, 0, 1, 2].map((d) => [x + d, y]));
  assert.ok(across.filter(([r, g]) => g > 1.5 * r).length >= 3, `across: ${across.join(" | ")}`);
});

await test("single pictures are sharp, however slowly they follow each other; motion is coarser on a slow machine", async (page_of) => {
  const page = await page_of("slider_crank");
  const coarse = () => page.evaluate(() => { const c = document.getElementById("canvas"); return c.width < c.clientWidth - 1; });
  await seen(page, []);
  for (let i = 0; i < 6; i++) {
    await page.keyboard.press("ArrowRight");
    await page.evaluate(async () => { for (let k = 0; k < 3; k++) await new Promise((done) => requestAnimationFrame(done)); });
    await page.waitForTimeout(80); // someone at the keys
    assert.ok(!await coarse(), `after ${i + 1} keys`);
  }
  await page.evaluate(() => { // each frame takes 60 ms
    const work = () => { for (const end = performance.now() + 60; performance.now() < end;); if (window.working) requestAnimationFrame(work); };
    window.working = true;
    requestAnimationFrame(work);
  });
  await page.keyboard.press("Space");
  await page.waitForFunction(() => { const c = document.getElementById("canvas"); return c.width < c.clientWidth - 1; }, null, { timeout: 20000 });
  await page.keyboard.press("Space");
  await page.evaluate(() => { window.working = false; });
  await seen(page, []); // sharp again
});

// Bars of all kinds across each other, more than twenty of them.
const sheets = `flexion: 1
dimension: 2
parameters: {n: 25}
bodies:
  bar: {repeat: {i: [1, n]}, type: rigid, mass: 1, inertia: 1, orientation: 0.01*i, angular_velocity: 0.001*i, shape: {box: [3, 0.6, 0.1 + 0.02*i]}}
simulate: {until: 3, method: dopri5, rtol: 1e-8}
outputs: {every: 0.1, signals: [bar(1).angle]}
`;

await test("bodies of a plane lie in layers: the last is whole, at all times", async (page_of) => {
  const page = await page_of("sheets", sheets);
  const places = [];
  for (let i = -5; i <= 5; i++) for (const y of [-0.1, 0, 0.1]) places.push(await pixel(page, [0.08 * i, y, 0]));
  for (const t of [0, 0.7, 1.3, 2.9]) {
    await seek(page, t);
    const colours = new Set((await seen(page, places)).map((c) => c.map((x) => Math.round(x / 24)).join()));
    assert.equal(colours.size, 1, `t = ${t}: ${[...colours].join(" | ")}`);
  }
  await page.evaluate(() => window.flexion.look("slant"));
  await seek(page, 1);
});

await test("axes and scale are told", async (page_of) => {
  const page = await page_of("slider_crank");
  assert.deepEqual(await page.locator("#compass text:visible").allTextContents(), ["x", "y"]);
  const per = async () => {
    const [a, b] = [await pixel(page, [0, 0, 0]), await pixel(page, [0.1, 0, 0])];
    const [text, width] = await page.evaluate(() => [document.getElementById("ruler").textContent, document.getElementById("ruler").getBoundingClientRect().width]);
    const [, n, unit] = /^([\d.]+) (cm|m|mm)$/.exec(text), metres = Number(n) * { mm: 1e-3, cm: 1e-2, m: 1 }[unit];
    assert.ok(Math.abs(width / metres / ((b[0] - a[0]) / 0.1) - 1) < 0.03, `${text} is ${width} pixels, 0.1 m are ${b[0] - a[0]}`);
    return metres;
  };
  const before = await per();
  await page.mouse.move(300, 300);
  for (let i = 0; i < 12; i++) await page.mouse.wheel(0, 240);
  await seen(page, []);
  assert.ok(await per() > before, "the scale does not follow");
  await page.keyboard.press("s");
  await seen(page, []);
  assert.deepEqual(await page.locator("#compass text:visible").allTextContents(), ["x", "y", "z"]);
});

const rests = `flexion: 1
gravity: [0, 0, -10]
bodies: {ball: {type: rigid, mass: 2, inertia: [0.1, 0.1, 0.1], position: [0.4, -0.3, 0.5], surface: {sphere: 0.5}, shape: {sphere: 0.5}}}
forces: {floor: {type: contact, on: [ground, ball], law: restitution}}
simulate: {until: 1, method: moreau, step: 0.01}
outputs: {every: 0.1, signals: [floor.force, floor.place]}
`;

await test("the force of a contact is an arrow where the surfaces touch", async (page_of) => {
  const page = await page_of("rests", rests);
  await page.keyboard.press("a");
  await seek(page, 0.5);
  const [inside] = await seen(page, [await pixel(page, [0.4, -0.3, 0.1])]);
  assert.ok(inside[0] > 1.5 * inside[1] && inside[0] > 1.5 * inside[2], `the arrow is ${inside}`);
  assert.deepEqual(await page.locator(".tag:visible").allTextContents(), ["floor 20 N"]);
});

const sinks = `flexion: 1
gravity: [0, 0, -10]
bodies: {ball: {type: rigid, mass: 2, inertia: [0.1, 0.1, 0.1], position: [0.4, -0.3, 0.4999], surface: {sphere: 0.5}, shape: {sphere: 0.5}}}
forces:
  floor: {type: contact, on: [ground, ball], law: penalty, stiffness: 2e5, damping: 1e3, friction: {coefficient: 0.5, stiffness: 1e4}}
simulate: {until: 1, method: radau, rtol: 1e-6}
outputs: {every: 0.1, signals: [floor.force, floor.friction, floor.place, floor.value, floor.penetration, floor.state]}
`;

await test("a contact has a mark, its signals, and its depth as long as one likes", async (page_of) => {
  const page = await page_of("sinks", sinks);
  await seek(page, 0.5);
  const bar = [0.4, -0.3, 0.04];
  const [without] = await seen(page, [await pixel(page, bar)]);
  await page.keyboard.press("c");
  await page.locator(".tag:visible").first().waitFor(); // with the next picture
  assert.deepEqual(await page.locator(".tag:visible").allTextContents(), ["floor sticks, 20 N, depth 100 µm"]);
  const [mark] = await seen(page, [await pixel(page, [0.4, -0.3, 0])]);
  assert.ok(mark[2] > 1.5 * mark[0], `the mark of what sticks is ${mark}`);
  await page.locator("#tabs button, [role=tab]").filter({ hasText: "View" }).first().click().catch(() => {});
  await page.selectOption("#depth-length", "1000");
  const [with_it] = await seen(page, [await pixel(page, bar)]);
  assert.notDeepEqual(with_it, without, "the depth is not drawn");
  assert.ok(with_it[2] > 1.3 * with_it[1], `the bar is ${with_it}`);
});

await test("arrows stay at their joints, also aslant, and all that is drawn is inside the picture", async (page_of) => {
  for (const narrow of [false, true]) {
    const page = narrow ? await page_of("slider_crank", null, { viewport: { width: 390, height: 800 } }) : await page_of("slider_crank");
    const box = await page.evaluate(() => document.getElementById("canvas").getBoundingClientRect().toJSON());
    const frame = []; // nothing but sky and grid along the edges of the picture
    for (let y = box.top + 60; y < box.bottom - 2; y += 3) frame.push([box.left + 2, y], [box.right - 3, y]);
    const dark = (await seen(page, frame)).filter((c) => c[0] > 0 && c[0] < 120);
    assert.equal(dark.length, 0, `${narrow ? "narrow" : "wide"}: ${dark[0]}`);
    await page.keyboard.press("a");
    await page.keyboard.press("s");
    await seek(page, 0.8);
    await seen(page, []);
    const pin = await pixel(page, await page.evaluate(() => window.flexion.position("crank.pin")));
    const tag = await page.locator(".tag:visible").first().boundingBox();
    const away = Math.hypot(Math.max(tag.x - pin[0], pin[0] - tag.x - tag.width, 0), tag.y + tag.height / 2 - pin[1]);
    assert.ok(away < 60, `the value is ${away} pixels from the pin`);
    await page.keyboard.press("a");
  }
});

await test("bodies are searched, hidden, picked and shown again", async (page_of) => {
  const page = await page_of("slider_crank");
  await seek(page, 0.5);
  const rod = async () => (await seen(page, [await pixel(page, await page.evaluate(() => window.flexion.position("rod.com")))]))[0];
  assert.ok(isOrange(await rod()));
  await page.click("#tab-view");
  await page.fill("#search", "RO");
  assert.deepEqual((await page.locator("#parts label").allTextContents()).map((x) => x.trim()), ["rod"]);
  assert.deepEqual((await page.locator("#traces label").allTextContents()).map((x) => x.trim()), ["rod.com", "rod.end"]);
  await page.locator("#parts input").uncheck();
  assert.ok(!isOrange(await rod()), "it is still there");
  await page.click("#show-all");
  assert.ok(isOrange(await rod()));
  await page.click("#legend button >> nth=1");
  assert.ok(!isOrange(await rod()), "the legend does not hide it");
  await page.keyboard.press("Shift+H");
  assert.ok(isOrange(await rod()));
  const place = await pixel(page, await page.evaluate(() => window.flexion.position("rod.com")));
  assert.equal(await page.evaluate(([x, y]) => window.flexion.pick(x, y), place), "rod");
  await page.mouse.click(...place);
  await seen(page, []);
  assert.deepEqual(await page.locator(".tag:visible").allTextContents(), ["rod"]);
  await page.keyboard.press("h");
  assert.ok(!isOrange(await rod()), "the key does not hide it");
  await page.click("#hide-all");
  assert.equal(await page.locator("#parts input:checked").count(), 0);
  await page.click("#show-all");
  await page.fill("#search", "");
  await page.click("#tab-plots");
});

await test("signals are searched", async (page_of) => {
  const page = await page_of("slider_crank");
  await page.fill("#find", "REACT");
  assert.deepEqual(await page.locator("#panel-plots select >> nth=0").locator("option").allTextContents(), ["pin.reaction"]);
  const before = await page.locator(".plot").count();
  await page.press("#find", "Enter");
  assert.equal(await page.locator(".plot").count(), before + 1);
  await seek(page, 1);
  const { names, rows } = table("slider_crank"), row = rows.find((r) => Math.abs(r[0] - 1) < 1e-9);
  const told = (await page.locator(".plot").last().locator(".values b").allTextContents()).map(Number);
  ["x", "y"].forEach((k, i) => assert.ok(Math.abs(told[i] / row[names.indexOf(`pin.reaction.${k}`)] - 1) < 1e-3, `${told}`));
});

await test("keys work whatever was clicked, and a field to write in keeps its own", async (page_of) => {
  const page = await page_of("slider_crank"), playing = () => page.evaluate(() => window.flexion.player.playing);
  const toggles = async (what) => {
    const before = await playing();
    await page.keyboard.press("Space");
    assert.equal(await playing(), !before, `space after ${what}`);
    await page.keyboard.press("Space");
    assert.equal(await playing(), before, `space again after ${what}`);
    const t = await time(page);
    await page.keyboard.press("ArrowRight");
    assert.ok(Math.abs(await time(page) - t - 0.01) < 1e-9, `an arrow after ${what}`);
  };
  await seek(page, 0.1);
  await toggles("nothing");
  await page.click("#tab-view");
  await toggles("a tab");
  await page.click("#panel-view .checks input >> nth=0");
  await toggles("a box");
  await page.click("#panel-view .row button >> nth=1");
  await toggles("a button");
  await page.selectOption("#follow", "rod");
  await toggles("a list");
  await page.selectOption("#speed", "0.5");
  await toggles("the speed");
  await page.locator("#time").click({ position: { x: 40, y: 5 } });
  await toggles("the time");
  const t = await time(page);
  await page.click("#search");
  await page.keyboard.type("r h ");
  assert.equal(await page.inputValue("#search"), "r h ");
  assert.ok(!await playing() && await time(page) === t && await page.evaluate(() => window.flexion.player.playing === false));
  await page.keyboard.press("Escape");
  await toggles("a search");
  // by the keyboard alone a button is pressed by the space
  await page.locator("#keys").focus();
  await page.keyboard.press("Space");
  assert.ok(await page.isVisible("#help") && !await playing());
  await page.keyboard.press("Escape");
});

await test("keys are told", async (page_of) => {
  const page = await page_of("slider_crank");
  await page.click("#language");
  await page.keyboard.press("?");
  assert.match(await page.textContent("#help"), /Leertaste.*abspielen/);
  await page.keyboard.press("Escape");
  assert.ok(!await page.isVisible("#help"));
  await page.keyboard.press("?");
  await page.keyboard.press("?");
  assert.ok(!await page.isVisible("#help"));
});

// Every kind, held by the ground from either side, with a body of its own.
const kinds = { fixed: "", revolute: "axis: [0, 1, 0]", prismatic: "axis: [1, 0, 0]", cylindrical: "axis: [0, 1, 0]", spherical: "",
  planar: "axis: [0, 1, 0]", screw: "axis: [0, 1, 0], pitch: 0.1", "point-on-line": "axis: [0, 1, 0]", "point-on-plane": "axis: [0, 1, 0]",
  universal: "axes: [[1, 0, 0], [0, 1, 0]]" };
const zoo = () => {
  const list = Object.entries(kinds), words = (turn) => list.map(([kind, more], i) => {
    const name = `b${turn}${i}`, place = `[${1.2 * i}, ${2 * turn}, 0]`, on = turn ? `[${name}, ground]` : `[ground, ${name}]`;
    return [`  ${name}: {type: rigid, mass: 1, inertia: [1, 1, 1], position: ${place}, com: [0.4, 0.1, 0.2]}`,
      `  j${turn}${i}: {type: ${kind}, on: ${on}, at: ${name}${more ? `, ${more}` : ""}}`];
  });
  const all = [...words(0), ...words(1)];
  return `flexion: 1
gravity: [0, 0, -9.81]
bodies:
${all.map((x) => x[0]).join("\n")}
  end: {type: point, mass: 1, position: [0.5, 4, 0]}
joints:
${all.map((x) => x[1]).join("\n")}
  link: {type: distance, on: [ground, end], at: [[0, 4, 0], end]}
simulate: {until: 0.3, method: radau, rtol: 1e-5}
outputs: {every: 0.02, signals: [b01.position]}
`;
};

await test("every kind of joint has a symbol of its own", async (page_of) => {
  const page = await page_of("zoo", zoo());
  const size = () => page.evaluate(() => window.flexion.symbols());
  const all = await size();
  assert.ok(all.length === 21 && all.every((j) => j.corners > 30), JSON.stringify(all));
  const by = new Map(all.map((j) => [j.type, j.corners]));
  assert.equal(by.size, 11);
  for (const kind of Object.keys(kinds).filter((k) => !k.startsWith("point-on"))) { // those carry a line or plane on their first
    const two = all.filter((j) => j.type === kind).map((j) => j.corners);
    assert.equal(two[0], two[1], `${kind}: whichever end the ground is`);
  }
});

await test("names do not lie on each other", async (page_of) => {
  const page = await page_of("pendulum_wave");
  await page.keyboard.press("n");
  for (const t of [0, 3, 7]) {
    await seek(page, t);
    await seen(page, []); // drawn
    const boxes = await page.evaluate(() => [...document.querySelectorAll(".tag, #legend, #corner")].filter((e) => !e.hidden).map((e) => { const b = e.getBoundingClientRect(); return [b.left, b.top, b.right, b.bottom]; }));
    assert.ok(boxes.length >= 8, `${boxes.length - 2} names`);
    boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b) =>
      assert.ok(a[2] <= b[0] || b[2] <= a[0] || a[3] <= b[1] || b[3] <= a[1], `${a} and ${b}`)));
  }
});

await test("a solid is drawn as its surface", async (page_of) => {
  const page = await page_of("rubber_tube");
  assert.deepEqual(await page.locator("#legend button").allTextContents(), ["lid", "tube"]);
  const scene = await page.evaluate(() => window.flexion.results[0].scene);
  const [tube] = scene.solids, n = tube.bodies.length;
  assert.equal(tube.at.length, n);
  assert.ok(tube.triangles.length > 100 && tube.triangles.flat().every((i) => i >= 0 && i < n));
  assert.ok(scene.bodies.filter((b) => b.shapes.length > 0).every((b) => b.name === "lid"), "nodes have shapes");
  await seek(page, 0.02);
  const [colour] = await seen(page, [await pixel(page, [0.045, -0.045, 0.05])]);
  assert.ok(isOrange(colour), `${colour}`);
});

await test("what rolls is as large as it rolls", async (page_of) => {
  const page = await page_of("bicycle");
  const shapes = await page.evaluate(() => Object.fromEntries(window.flexion.results[0].scene.bodies.map((b) => [b.name, b.shapes])));
  assert.deepEqual(shapes.rear_wheel.map((s) => [s.kind, s.size[0], ...s.axis.map(Math.abs)]), [["cylinder", 0.3, 0, 1, 0]]);
  assert.deepEqual(shapes.front_wheel.map((s) => s.size[0]), [0.35]);
});

await browser.close();
console.log(failures ? `${failures} failed` : "all passed");
process.exit(failures ? 1 : 0);
