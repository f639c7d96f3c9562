// test_studio_server.mjs - the server of flexion studio: whom it refuses, what it gives, and that it bears whatever comes.
//   node test_studio_server.mjs PROGRAM SCRATCH
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import { dirname, join } from "node:path";

const [program, scratch] = process.argv.slice(2);
rmSync(scratch, { recursive: true, force: true });
mkdirSync(join(scratch, "folder"), { recursive: true });
const file = join(scratch, "folder", "swing.yaml");
const model = `flexion: 1
gravity: [0, 0, -9.81]
bodies:
  rod: {type: rigid, mass: 1, com: [0.5, 0, 0], inertia: [1e-3, 0.08, 0.08]} # one metre
joints:
  hinge: {type: revolute, on: [ground, rod], at: [0, 0, 0], axis: [0, 1, 0]}
simulate: {until: 0.2, method: dopri5}
outputs: {every: 0.01, signals: [hinge.angle, energy]}
`;
writeFileSync(file, model);
writeFileSync(join(scratch, "outside.yaml"), "title: of somebody else\n");

function start(...words) {
  const child = spawn(program, ["studio", ...words, "--no-browser"], { cwd: scratch, stdio: ["ignore", "pipe", "inherit"] });
  return new Promise((done, fail) => {
    child.stdout.on("data", (d) => { const m = /http:\S+/.exec(String(d)); if (m) done({ child, address: m[0], port: Number(new URL(m[0]).port), path: new URL(m[0]).pathname }); });
    child.on("exit", () => fail(new Error("the server ended")));
  });
}

const end = (s, signal = "SIGINT") => new Promise((done) => { s.child.removeAllListeners("exit"); s.child.on("exit", (code) => done(code)); s.child.kill(signal); });

// Bytes to the server; what it says until it hangs up.
function say(port, bytes, wait = 3000) {
  return new Promise((done) => {
    const socket = net.connect(port, "127.0.0.1");
    let heard = "";
    const finish = () => { socket.destroy(); done(heard); };
    socket.on("data", (d) => { heard += d; });
    socket.on("close", finish);
    socket.on("error", finish);
    socket.setTimeout(wait, finish);
    socket.write(bytes);
  });
}
const request = (path, headers = [], method = "GET", body = "") =>
  `${method} ${path} HTTP/1.1\r\n${["Host: 127.0.0.1", ...headers].join("\r\n")}\r\n${body ? `Content-Length: ${body.length}\r\n` : ""}\r\n${body}`;
const status = (answer) => Number(/^HTTP\/1\.0 (\d+)/.exec(answer)?.[1] ?? 0);
const memory = (s) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${s.child.pid}/status`, "utf8"))?.[1] ?? 0) / 1024; // MB

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

let s = await start(file);
const get = (path, headers) => say(s.port, request(s.path + path, headers));
const post = (path, body, headers = []) => fetch(s.address + path, { method: "POST", body, headers });

await test("who does not know the secret is refused", async () => {
  const wrong = `/${"0".repeat(32)}/`;
  for (const path of ["/", "/model", wrong, `${wrong}model`, s.path.slice(0, -2) + "/model", s.path.slice(1), "/%2e%2e/", s.path.toUpperCase()]) {
    const answer = await say(s.port, request(path));
    assert.ok([400, 403].includes(status(answer)), `${path}: ${answer.slice(0, 60)}`);
    assert.ok(!answer.includes("rod"));
  }
  const saved = await say(s.port, request("/save?over", [], "POST", "x: 1"));
  assert.equal(status(saved), 403);
  assert.equal(readFileSync(file, "utf8"), model);
  assert.equal(status(await get("model")), 200);
});

await test("other names of the machine, other origins", async () => {
  const ask = (...headers) => say(s.port, `GET ${s.path}model HTTP/1.1\r\n${headers.map((h) => `${h}\r\n`).join("")}\r\n`);
  for (const host of ["evil.example", "127.0.0.1.evil.example", "127.0.0.1@evil.example", "localhost:80x", "", "0.0.0.0"]) {
    assert.equal(status(await ask(`Host: ${host}`)), 403, host);
  }
  assert.equal(status(await ask()), 403);
  assert.equal(status(await ask("Host: localhost", "Host: evil.example")), 403);
  for (const origin of ["http://evil.example", "null", "https://127.0.0.1", "http://127.0.0.1:1", "http://127.0.0.1.evil.example"]) {
    assert.equal(status(await ask("Host: 127.0.0.1", `Origin: ${origin}`)), 403, origin);
    assert.equal(status(await say(s.port, request(`${s.path}save?over`, [`Origin: ${origin}`], "POST", "x: 1"))), 403, origin);
  }
  assert.equal(status(await ask("Host: 127.0.0.1", "Sec-Fetch-Site: cross-site")), 403);
  assert.equal(status(await ask(`Host: localhost:${s.port}`, `Origin: http://localhost:${s.port}`, "Sec-Fetch-Site: same-origin")), 200);
  assert.equal(readFileSync(file, "utf8"), model);
});

await test("no path leads out of the model's folder", async () => {
  for (const name of ["../outside.yaml", "..%2foutside.yaml", "%2e%2e/outside.yaml", "/etc/passwd", "....//outside.yaml", ".swing.yaml.autosave", "swing.yaml/../../outside.yaml", ""]) {
    const answer = await post(`open?${name}`, "");
    assert.equal(answer.status, 403, name);
    assert.ok(!(await answer.text()).includes("somebody"));
  }
  for (const name of ["../outside.urdf", "..%2foutside.urdf", "/etc/passwd", "swing.yaml", ""]) assert.equal((await post(`import?${name}`, "x")).status, 403, name);
  for (const path of ["../outside.yaml", "folder/../../outside.yaml", "..%2foutside.yaml", "model/../../../etc/passwd"]) {
    const answer = await get(path);
    assert.ok([403, 404].includes(status(answer)) && !/somebody|root:/.test(answer), path);
  }
  const before = readdirSync(dirname(file));
  for (const name of ["../outside.yaml", "human/man.yaml", "swing.yaml", ""]) assert.equal((await post(`example?${name}`, "")).status, 200); // none of the gallery
  assert.deepEqual(readdirSync(dirname(file)), before);
  assert.deepEqual(await (await fetch(`${s.address}folder`)).json(), ["swing.yaml"]);
});

await test("what is no request", async () => {
  for (const bytes of ["\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9\r\n\r\n", `GET ${s.path}model\r\n\r\n`, "\0\0\0\0\r\n\r\n", "x".repeat(20000)]) {
    assert.ok([400, 431].includes(status(await say(s.port, bytes))), JSON.stringify(bytes.slice(0, 20)));
  }
  assert.equal(status(await say(s.port, request(`${s.path}model`, [], "DELETE"))), 405);
  assert.equal(status(await say(s.port, request(`${s.path}save`, ["Content-Length: -1"], "POST"))), 400);
  assert.equal(status(await say(s.port, request(`${s.path}save`, ["Content-Length: 3", "Content-Length: 4"], "POST"))), 400);
  assert.equal(status(await say(s.port, request(`${s.path}save`, ["Content-Length: 99999999999999999999"], "POST"))), 413);
  assert.equal(status(await say(s.port, request(`${s.path}save`, ["Transfer-Encoding: chunked"], "POST"))), 501);
  assert.equal(status(await say(s.port, request(`${s.path}save`, [], "POST"))), 411);
  assert.equal((await post("check", "a\0b")).status, 400);
  assert.equal((await post("nothing", "x")).status, 404);
  assert.equal(status(await say(s.port, request(`${s.path}events`), 200)), 200);
});

await test("a million headers", async () => {
  const before = memory(s), line = "X-Many: 0123456789\r\n".repeat(1000);
  const answer = await new Promise((done) => {
    const socket = net.connect(s.port, "127.0.0.1");
    let heard = "", n = 0;
    const more = () => { while (n < 1000 && !socket.destroyed) { n++; if (!socket.write(line)) return; } };
    socket.on("drain", more);
    socket.on("data", (d) => { heard += d; });
    socket.on("close", () => done(heard));
    socket.on("error", () => done(heard || "reset"));
    socket.write(`GET ${s.path}model HTTP/1.1\r\nHost: 127.0.0.1\r\n`);
    more();
  });
  assert.ok(answer === "reset" || status(answer) === 431, answer.slice(0, 60));
  assert.ok(memory(s) - before < 8, `${before} MB became ${memory(s)} MB`);
  assert.equal(status(await get("model")), 200);
});

await test("slow ones, and two hundred at once", async () => {
  const before = memory(s), slow = [];
  let left = 0;
  for (let i = 0; i < 100; i++) {
    const socket = net.connect(s.port, "127.0.0.1");
    socket.on("error", () => {});
    socket.on("close", () => { left++; });
    socket.write("GET / HT");
    slow.push(socket);
  }
  const answers = await Promise.all(Array.from({ length: 200 }, () => say(s.port, request(`${s.path}model`), 10000)));
  for (const a of answers) assert.ok(status(a) === 200 && a.includes("one metre"), a.slice(0, 80));
  assert.ok(left > 30, `${left} slow ones have left`);
  assert.ok(memory(s) - before < 16, `${before} MB became ${memory(s)} MB`);
  for (const socket of slow) socket.destroy();
});

await test("a text is checked: messages have places, and the start is drawn", async () => {
  const good = await (await post("check", model)).json(), bad = await (await post("check", model.replace("mass:", "maas:"))).json();
  assert.ok(good.ok && good.data.header.results[0].scene.bodies[0].name === "rod");
  assert.equal(good.summary.freedoms, 1);
  assert.equal(bad.ok, false);
  assert.ok(bad.messages.some((m) => m.error && m.line === 4 && m.column > 8 && /did you mean 'mass'/.test(m.text)), JSON.stringify(bad.messages));
  const torn = await (await post("check", "bodies: {rod: [")).json();
  assert.ok(!torn.ok && torn.messages.length > 0);
  const two = await Promise.all([post("check", model), post("check", model)]); // the newer one counts
  const told = await Promise.all(two.map((a) => a.json()));
  assert.deepEqual(told.map((t) => t.superseded ?? t.ok).sort(), [true, true]);
  assert.equal(told.filter((t) => t.superseded).length, 1);
});

await test("a run tells its end, and leaves its result", async () => {
  const events = await fetch(`${s.address}events`), reader = events.body.getReader();
  assert.equal((await post("run", model)).status, 200);
  let heard = "";
  for (let r; !/event: done/.test(heard) && !(r = await reader.read()).done;) heard += new TextDecoder().decode(r.value);
  const done = JSON.parse(/event: done\ndata: (.*)\n/.exec(heard)[1]);
  assert.ok(done.ok && done.t === 0.2 && done.last.length === 7, JSON.stringify(done));
  assert.ok(existsSync(join(scratch, "folder", "swing.h5")));
  const result = await (await fetch(`${s.address}result`)).json();
  assert.equal(result.header.results[0].rows, 21);
  await reader.cancel();
});

// A process says its word, then it ends, which takes its time under sanitizers: what a word to it is answered with then.
const lateWord = async (run) => {
  let status = 0;
  for (let i = 0; i < 1000 && status !== 409; i++) {
    status = (await post(`tell?${run}`, "go\n")).status;
    if (status !== 409) await new Promise((go) => setTimeout(go, 20));
  }
  return status;
};

await test("live runs side by side, studies and imports end with their word", async () => {
  const reader = (await fetch(`${s.address}events`)).body.getReader(), text = new TextDecoder();
  let heard = "";
  const until = async (wanted) => {
    for (let r; !wanted.test(heard) && !(r = await reader.read()).done;) heard += text.decode(r.value);
    const found = wanted.exec(heard);
    heard = heard.slice(found.index + found[0].length);
    return JSON.parse(found[1]);
  };
  const done = /event: done\ndata: (.*)\n/;
  const ask = async (path, body = model) => { assert.equal((await post(path, body)).status, 200, path); return until(done); };
  assert.equal(await lateWord(1), 409); // the run before has ended
  assert.equal((await post("live?2", model)).status, 409); // beside nothing
  assert.equal((await post("live?9", model)).status, 409);
  assert.equal((await post("live", model)).status, 200);
  assert.equal((await post("live?2", model)).status, 200);
  for (const run of [1, 2]) await until(new RegExp(`event: frame\\ndata: (\\{"run": ${run},.*)\\n`));
  for (const line of ["grab rod 0.4 0 0", "pull 0.5 0 0.5", "save", "record", "let", "restore", "reset", "grab nobody 0 0 0", "nonsense", "speed -1"]) assert.equal((await post("tell?2", `${line}\n`)).status, 200, line);
  assert.match((await until(/event: note\ndata: (.*)\n/)).text, /nobody/);
  await post("stop", "");
  for (let i = 0; i < 2; i++) assert.ok((await until(done)).ok);
  assert.equal(await lateWord(2), 409);
  const methods = await ask("study?methods:radau,nonsense,dopri5");
  assert.deepEqual(methods.tables[0].labels, ["radau", "dopri5"]);
  assert.match(methods.lines[0], /^nonsense: /);
  const swept = await ask("study?sweep:m:0.5:2:4", `parameters: {m: 1}\n${model.replace("mass: 1", "mass: m")}`);
  assert.ok(swept.ok && swept.tables[0].rows.length === 4 && swept.tables[0].rows[3][0] === 2, JSON.stringify(swept).slice(0, 400));
  for (const wrong of ["sweep", "sweep:m:0:1:1", "sweep:m:0:x:3", "nothing", ""]) assert.equal((await ask(`study?${wrong}`)).ok, false, wrong);
  const none = await ask("study?sweep:nobody:0:1:2");
  assert.ok(none.lines.length === 2 && /nobody/.test(none.lines[0]), JSON.stringify(none));
  for (const wrong of ["@frequency:1", "@frequency:a:b:c", "@nothing", "nothing"]) assert.equal((await ask(`analyse?${wrong}`)).ok, false, wrong);
  writeFileSync(join(scratch, "folder", "broken.urdf"), "<robot name='x'><link name='a'></robot>");
  assert.equal((await ask("import?broken.urdf")).ok, false);
  rmSync(join(scratch, "folder", "broken.urdf"));
  rmSync(join(scratch, "folder", "swing_live2.h5"), { force: true });
  await reader.cancel();
});

await test("analyses tell what they found, live runs take inputs and parameters", async () => {
  const reader = (await fetch(`${s.address}events`)).body.getReader(), text = new TextDecoder();
  let heard = "";
  const until = async (wanted) => {
    for (let r; !wanted.test(heard) && !(r = await reader.read()).done;) heard += text.decode(r.value);
    const found = wanted.exec(heard);
    heard = heard.slice(found.index + found[0].length);
    return JSON.parse(found[1]);
  };
  const done = /event: done\ndata: (.*)\n/, frame = /event: frame\ndata: (.*)\n/;
  const driven = `parameters: {m: 1}\ninputs: {T: 0}\n${model.replace("mass: 1", "mass: m")}forces: {motor: {type: torque, on: hinge, value: T}}
analyse: {low: {type: equilibrium}, swing: {type: modes, about: low}}\n`;
  const ask = async (path, body = driven) => { assert.equal((await post(path, body)).status, 200, path); return until(done); };
  const checked = await (await post("check", driven)).json();
  assert.ok(checked.ok && checked.parameters[0].name === "m" && checked.inputs[0].name === "T", JSON.stringify(checked).slice(0, 300));
  assert.deepEqual(checked.analyses, ["low", "swing"]);
  // pendulum: 1/(2 pi) sqrt(m g c / (J + m c^2)), J about the centre
  const hertz = Math.sqrt(9.81 * 0.5 / (0.08 + 0.25)) / (2 * Math.PI);
  const swing = await ask("analyse?swing");
  assert.ok(swing.ok && swing.motion && Math.abs(swing.modes[0][0] - hertz) < 1e-9 * hertz, JSON.stringify(swing).slice(0, 300));
  assert.equal((await (await fetch(`${s.address}result`)).json()).header.results[0].label, "modes");
  const low = await ask("analyse?@equilibrium");
  assert.ok(low.ok && low.signals.length > 0, JSON.stringify(low).slice(0, 300));
  const response = await ask("analyse?@frequency:0.1:10:hinge.angle");
  assert.ok(response.ok && response.tables[0].rows.length > 5 && response.tables[0].rows[0].length === response.tables[0].columns.length, JSON.stringify(response).slice(0, 300));
  assert.match((await ask("analyse?@frequency:0.1:10:nobody")).messages[0].text, /nobody/);
  assert.equal((await post("live", driven)).status, 200);
  await until(frame);
  for (const line of ["input T 3", "parameter m 2", "parameter nobody 2", "input T x"]) assert.equal((await post("tell?1", `${line}\n`)).status, 200, line);
  assert.match((await until(/event: note\ndata: (.*)\n/)).text, /nobody/);
  await post("stop", "");
  assert.ok((await until(done)).ok);
  assert.ok((await ask("run")).ok);
  assert.ok((await ask("study?report")).ok);
  assert.match(await (await fetch(`${s.address}report`)).text(), /<html/);
  assert.ok(/"bodies"/.test(await (await fetch(`${s.address}schema`)).text()));
  rmSync(join(scratch, "folder", "swing_report.html"));
  await reader.cancel();
});

await test("another model of the folder is opened", async () => {
  const other = join(scratch, "folder", "other.yaml");
  writeFileSync(other, "title: another\n");
  assert.equal((await (await post("open?other.yaml", "")).json()).name, "other.yaml");
  assert.equal((await (await fetch(`${s.address}model`)).json()).text, "title: another\n");
  assert.equal((await (await post("open?swing.yaml", "")).json()).text, model);
  rmSync(other);
});

await test("saved whole, never over what somebody else wrote", async () => {
  const known = await (await fetch(`${s.address}model`)).json(), text = `${model}# more\n`;
  const stamp = await (await post(`save?${known.stamp}`, text)).text();
  assert.equal(readFileSync(file, "utf8"), text);
  assert.equal((await post(`save?${known.stamp}`, model)).status, 409);
  writeFileSync(file, "title: by another editor\n");
  assert.equal((await post(`save?${stamp}`, model)).status, 409);
  assert.equal(readFileSync(file, "utf8"), "title: by another editor\n");
  assert.equal((await post("save?over", model)).status, 200);
  assert.equal(readFileSync(file, "utf8"), model);
});

await test("what was never saved outlives kill -9", async () => {
  const text = model.replace("one metre", "one metre, written just now");
  assert.equal((await post("autosave", text)).status, 200);
  await end(s, "SIGKILL");
  s = await start(file);
  const again = await (await fetch(`${s.address}model`)).json();
  assert.equal(again.copy, text);
  assert.equal(again.text, model);
  assert.equal((await post("forget", "")).status, 200);
  assert.equal((await (await fetch(`${s.address}model`)).json()).copy, null);
});

await test("it ends when it is asked to, and leaves nothing behind", async () => {
  assert.equal(await end(s), 0);
  assert.deepEqual(readdirSync(join(scratch, "folder")).sort(), ["swing.h5", "swing.yaml"]);
});

console.log(failures ? `${failures} failed` : "all passed");
process.exit(failures ? 1 : 0);
