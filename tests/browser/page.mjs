// Opens a page in Chromium and says what is seen, as one JSON document on standard output; what that
// has to be is said by tests/product/browser.rs.
//
// node page.mjs PAGE [--pictures FOLDER] [--axe]
//
// REAPER_TEST_NODE is the folder in which tests/run has installed what package.json names.

import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const CHROMIUM = "/usr/bin/chromium";
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const WIDTHS = [1280, 390];
const SCHEMES = ["light", "dark"];

const [file, ...options] = process.argv.slice(2);
const at = options.indexOf("--pictures");
const pictures = at < 0 ? undefined : resolve(options[at + 1]);
const hears = options.includes("--axe");

if (!existsSync(CHROMIUM)) {
  console.error(`${CHROMIUM} is missing: on Debian: apt-get install chromium`);
  process.exit(2);
}
const require = createRequire(join(resolve(process.env.REAPER_TEST_NODE), "package.json"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const address = pathToFileURL(resolve(file)).href;

// A browser of its own with a new profile, and everything that it complains of or asks for.
async function opened(settings, use) {
  const profile = mkdtempSync(join(tmpdir(), "reaper-browser-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: CHROMIUM,
    headless: true,
    args: FLAGS,
    ...settings,
  });
  try {
    const page = await context.newPage();
    const trouble = [];
    page.on("console", (message) => trouble.push(`${message.type()}: ${message.text()}`));
    page.on("pageerror", (error) => trouble.push(`error: ${error.message}`));
    page.on("request", (request) => {
      const url = request.url();
      if (url !== address && !url.startsWith("data:")) trouble.push(`request: ${url}`);
    });
    await page.goto(address);
    const seen = await use(page);
    return { ...seen, trouble };
  } finally {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  }
}

const overflow = () => document.documentElement.scrollWidth - window.innerWidth;

// Serious and critical faults by the rules of axe.
async function faults(page) {
  await page.evaluate(axe);
  const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  return found.violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ html, failureSummary }) => `${html} ${failureSummary}`).join(" | ")}`);
}

async function looks() {
  const views = [];
  for (const width of WIDTHS) {
    for (const colorScheme of SCHEMES) {
      const settings = { viewport: { width, height: 900 }, colorScheme };
      views.push(await opened(settings, async (page) => {
        const view = { width, scheme: colorScheme, overflow: await page.evaluate(overflow) };
        view.paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        view.faults = hears ? await faults(page) : [];
        if (pictures) {
          const path = join(pictures, `page-${width}-${colorScheme}.png`);
          await page.screenshot({ path, fullPage: true });
        }
        return view;
      }));
    }
  }
  return views;
}

const shown = (page) => page.evaluate(() =>
  [...document.querySelectorAll("#machines tbody tr")]
    .filter((row) => row.getClientRects().length > 0).length);

// The values of a column in the order of the rows, and how the column says that it is sorted.
const column = (page, title) => page.evaluate((title) => {
  const table = document.getElementById("machines");
  const heads = [...table.tHead.rows[0].cells];
  const index = heads.findIndex((head) => head.textContent.trim() === title);
  const cells = [...table.tBodies[0].rows].map((row) => row.cells[index]);
  return {
    order: heads[index].getAttribute("aria-sort"),
    values: cells.map((cell) => cell.dataset.v ?? null),
    units: cells.map((cell) => cell.dataset.u ?? null),
    texts: cells.slice(0, 20).map((cell) => (cell.firstElementChild ?? cell).textContent),
  };
}, title);

const used = () => opened({ viewport: { width: 1280, height: 900 } }, async (page) => {
  const seen = { rows: await page.locator("#machines tbody tr").count(), shown: await shown(page) };
  const began = Date.now();
  const month = page.locator("#machines thead button", { hasText: "A month" });
  await month.click();
  seen.dearest = await column(page, "A month");
  seen.sorted_ms = Date.now() - began;
  // The second time by keyboard.
  await month.focus();
  await page.keyboard.press("Enter");
  seen.cheapest = await column(page, "A month");
  await page.locator("#machines thead button", { hasText: "Machine" }).click();
  seen.named = await column(page, "Machine");
  const told = page.locator(".filter output");
  await page.locator(".filter select").selectOption("orphan");
  seen.orphans = { rows: await shown(page), told: await told.innerText() };
  const name = seen.named.texts[1];
  await page.locator(".filter input").fill(name.toUpperCase());
  seen.found = { name, rows: await shown(page), told: await told.innerText() };
  await page.locator(".filter input").fill("no machine is called so");
  seen.nothing = { rows: await shown(page), told: await told.innerText() };
  await page.locator(".filter input").fill("");
  await page.locator(".filter select").selectOption("");
  const all = page.locator(".filter button");
  if (await all.isVisible()) await all.click();
  seen.all = { rows: await shown(page), told: await told.innerText() };
  return seen;
});

const unscripted = () => opened({ javaScriptEnabled: false }, async (page) => ({
  rows: await page.locator("#machines tbody tr:visible").count(),
  filter: await page.locator(".filter:visible").count(),
  buttons: await page.locator("button:visible").count(),
}));

const printed = () => opened({ viewport: { width: 1050, height: 900 } }, async (page) => {
  await page.emulateMedia({ media: "print" });
  if (pictures) await page.screenshot({ path: join(pictures, "page-print.png"), fullPage: true });
  const bytes = (await page.pdf({ preferCSSPageSize: true })).length;
  return { bytes, nav: await page.locator("nav:visible").count(), overflow: await page.evaluate(overflow) };
});

const seen = { views: await looks(), used: await used(), unscripted: await unscripted(), printed: await printed() };
process.stdout.write(`${JSON.stringify(seen)}\n`);
