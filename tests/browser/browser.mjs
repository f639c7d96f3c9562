// browser.mjs - a real browser for the tests of the page: Chromium without a window, drawing in
// software, and pages that must not complain.
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const viewer = join(dirname(fileURLToPath(import.meta.url)), "../../viewer/");
const { chromium } = createRequire(join(viewer, "package.json"))("playwright-core");

export async function launch(executablePath = process.env.FLX_CHROMIUM ?? "/usr/bin/chromium") {
  return chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
      "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
}

// The page at a file, ready; complaints: what its console said.
export async function open(browser, file, options = {}) {
  const context = await browser.newContext({
    viewport: { width: 900, height: 560 }, colorScheme: "light", locale: "en-GB", ...options,
  });
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (m) => { if (["error", "warning"].includes(m.type()) && !isDriver(m.text())) complaints.push(m.text()); });
  page.on("pageerror", (e) => complaints.push(String(e)));
  await page.goto(pathToFileURL(file).href);
  await page.waitForSelector("html[data-ready=true]", { timeout: 60000 });
  return { page, complaints };
}

// What the software renderer says of reading back its pictures is not the page's doing.
function isDriver(text) {
  return /GPU stall due to ReadPixels|GL Driver Message/.test(text);
}

// How many different colours the canvas shows, of every few pixels.
export async function colours(page) {
  return page.evaluate(async () => {
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const canvas = document.getElementById("canvas");
    const copy = document.createElement("canvas");
    copy.width = 160;
    copy.height = 100;
    const g = copy.getContext("2d");
    g.drawImage(canvas, 0, 0, copy.width, copy.height);
    const bytes = g.getImageData(0, 0, copy.width, copy.height).data, seen = new Set();
    for (let i = 0; i < bytes.length; i += 4) seen.add(bytes.slice(i, i + 4).join());
    return seen.size;
  });
}
