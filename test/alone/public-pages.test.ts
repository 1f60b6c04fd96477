import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import type { PublicPage } from "../../src/public-pages/public-pages.ts";
import { fits, launchChromium, PATIENCE_MS, skipWithoutChromium, violations } from "../support/browser.ts";
import { MOST_MS } from "../support/dashboard.ts";
import { allPages, HOSTILE, type PageServer, sender, servePages } from "../support/public-pages.ts";
import { until } from "../support/until.ts";

/** The author's own document, alone and in our frame: what it asks for is refused, and Chromium says so. */
const AUTHORS = new Set(["/view", "/framed", "/item"]);
const SIZES = [
  { width: 360, height: 720 },
  { width: 1_280, height: 800 },
];

describe("the public pages, in a browser", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
  let browser: Browser;
  let server: PageServer;
  let pages: ReadonlyMap<string, PublicPage> = allPages();
  before(async () => {
    server = await servePages(() => pages);
    browser = await launchChromium();
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
  });
  const paths = [...pages.keys()].filter((path) => !path.endsWith(".xml"));

  for (const colorScheme of ["light", "dark"] as const) {
    for (const viewport of SIZES) {
      test(`in ${colorScheme} colours at ${viewport.width} px each can be read by all, and asks nobody for anything`, async () => {
        pages = allPages();
        const watched = await watch({ colorScheme, viewport });
        for (const path of paths) {
          await open(watched, path);
          if (path === "/view" || path === "/framed") continue;
          for (const closed of await watched.page.locator("summary").all()) await closed.click();
          assert.ok(await fits(watched.page), `${path} with all opened`);
          assert.deepEqual(await violations(watched.page), [], path);
          const canvas = await watched.page.evaluate(
            "getComputedStyle(document.documentElement).backgroundColor",
          );
          assert.equal(canvas, colorScheme === "dark" ? "rgb(11, 15, 13)" : "rgb(244, 246, 244)", path);
        }
        await finish(watched);
      });
    }
  }

  test("whatever colour an account chose, the pages can be read", async () => {
    for (const colour of ["#ffd400", "#ffffff", "#000", "#777777", "#ff0000"]) {
      pages = allPages(undefined, { ...sender, branding: { colour, logoUrl: "/logo.png" } });
      for (const colorScheme of ["light", "dark"] as const) {
        const watched = await watch({ colorScheme });
        await open(watched, "/ask-lists");
        await watched.page.getByLabel("Poetry club").check();
        await watched.page.locator("summary").first().click();
        await watched.page.getByLabel("Too many mails").check();
        assert.deepEqual(await violations(watched.page), [], `${colour} ${colorScheme}`);
        assert.ok(
          await watched.page.evaluate("document.querySelector('.logo').naturalWidth > 0"),
          "the logo is shown",
        );
        await finish(watched);
      }
    }
  });

  test("hostile names run nothing, hide nothing, and fit a telephone", async () => {
    for (const name of HOSTILE) {
      pages = allPages(name);
      const watched = await watch({});
      for (const path of paths) {
        await open(watched, path);
        const heading = await watched.page.locator("h1").first().innerText();
        assert.notEqual(heading.trim(), "", path);
        if (path !== "/item") continue;
        assert.ok(await isLeftToRight(watched.page, "time"), `${path} ${name}: the date isn't turned around`);
      }
      await finish(watched);
    }
  });

  test("without JavaScript the forms send what was chosen, by POST", async () => {
    pages = allPages();
    const watched = await watch({ javaScriptEnabled: false });
    const { page } = watched;
    const send = async (
      path: string,
      button: string,
      before: () => Promise<void> = async () => undefined,
    ) => {
      await page.goto(server.url + path);
      await before();
      server.asked.length = 0;
      await page.getByRole("button", { name: button, exact: true }).click();
      const asked = () => server.asked.filter((one) => !one.includes("favicon"));
      await until(() => asked().length > 0);
      return asked();
    };
    assert.deepEqual(await send("/ask", "Unsubscribe"), ["POST /posted comment=&scope=topic"]);
    const chosen = await send("/ask-lists", "Unsubscribe", async () => {
      await page.getByLabel("Poetry club").check();
      await page.getByText("Say why").first().click();
      await page.getByLabel("Something else").check();
      await page.getByLabel("In your own words").fill("x".repeat(600));
    });
    assert.deepEqual(chosen, [`POST /posted also=lst_2&reason=other&comment=${"x".repeat(500)}&scope=topic`]);
    const everything = await send("/ask", "Unsubscribe from everything", () =>
      page.getByText("Nothing from Fernhill Books at all").click(),
    );
    assert.deepEqual(everything, ["POST /posted comment=&scope=all"]);
    assert.deepEqual(await send("/list", "Undo"), ["POST /undo"]);
    assert.deepEqual(await send("/list", "Unsubscribe from everything"), ["POST /posted scope=all"]);
    assert.deepEqual(await send("/undone", "Unsubscribe again"), ["POST /posted scope=topic"]);
    assert.deepEqual(await send("/unavailable", "Unsubscribe"), ["POST /posted scope=topic"]);
    await watched.context.close();
  });

  test("by keyboard, what has the focus has a ring", async () => {
    pages = allPages();
    const watched = await watch({});
    await open(watched, "/ask");
    const rings = [];
    for (let stop = 0; stop < 3; stop++) {
      await watched.page.keyboard.press("Tab");
      rings.push(await watched.page.evaluate("getComputedStyle(document.activeElement).outline"));
    }
    assert.deepEqual(rings, Array(3).fill("rgb(31, 58, 95) solid 2px"));
    await finish(watched);
  });

  test("a mail's images are shown and its links open beside it, but it can't run, send or reload anything", async () => {
    pages = allPages();
    for (const path of ["/view", "/item"]) {
      const watched = await watch({});
      server.asked.length = 0;
      await open(watched, path);
      const mail = path === "/item" ? watched.page.frameLocator("iframe") : watched.page;
      await mail.getByRole("button", { name: "Answer" }).click();
      await watched.page.waitForTimeout(300);
      assert.deepEqual(
        server.asked.filter((asked) => !asked.includes("favicon")),
        ["GET /pixel.png"],
        path,
      );
      assert.equal(
        await mail.getByRole("img").evaluate(({ naturalWidth }: { naturalWidth?: number }) => naturalWidth),
        1,
        path,
      );
      const opened = path === "/item" ? watched.context.waitForEvent("page") : Promise.resolve(watched.page);
      await mail.getByRole("link", { name: "Read on" }).click();
      const target = await opened;
      await target.waitForURL(`${server.url}/outside`);
      assert.equal(await target.evaluate("self.origin"), server.url, "what a link opens is in no sandbox");
      await finish(watched);
    }
  });

  test("the feeds are XML to a strict parser, whatever the names", async () => {
    const watched = await watch({});
    await watched.page.goto(`${server.url}/blank`);
    for (const name of [undefined, ...HOSTILE]) {
      for (const path of ["/feed.xml", "/atom.xml"]) {
        const body = JSON.stringify(allPages(name).get(path)?.body);
        const root = await watched.page.evaluate(
          `new DOMParser().parseFromString(${body}, "application/xml").documentElement.nodeName`,
        );
        assert.equal(root, path === "/feed.xml" ? "rss" : "feed", `${path} ${name}`);
      }
    }
    await finish(watched);
  });

  type Watched = { context: BrowserContext; page: Page; faults: string[] };
  type Look = NonNullable<Parameters<Browser["newContext"]>[0]>;

  async function watch(look: Look): Promise<Watched> {
    const context = await browser.newContext({ viewport: { width: 360, height: 720 }, ...look });
    context.setDefaultTimeout(PATIENCE_MS);
    const faults: string[] = [];
    if (look.javaScriptEnabled !== false)
      await context.exposeFunction("hacked", () => faults.push("ran a script"));
    const page = await context.newPage();
    page.on("dialog", (dialog) => faults.push(`opened a dialog: ${dialog.message()}`));
    page.on("pageerror", (error) => faults.push(`threw ${error.message}`));
    page.on("request", (request) => {
      if (new URL(request.url()).origin !== server.url) faults.push(`asked ${request.url()}`);
    });
    page.on("console", (message) => {
      const path = new URL(page.url()).pathname;
      const isRefusal =
        /Failed to load resource.* (404|410|422|429|503) /.test(message.text()) || AUTHORS.has(path);
      if (["error", "warning"].includes(message.type()) && !isRefusal)
        faults.push(`${path}: ${message.text()}`);
    });
    return { context, page, faults };
  }

  async function open({ page }: Watched, path: string): Promise<void> {
    const answer = await page.goto(server.url + path);
    assert.equal(answer?.status(), pages.get(path)?.status, path);
    assert.ok(await fits(page), `${path} doesn't scroll sideways`);
  }

  async function finish({ context, faults }: Watched): Promise<void> {
    await context.close();
    assert.deepEqual(faults, []);
  }
});

/** Whether the first character of an element's text stands left of its second. */
function isLeftToRight(page: Page, selector: string): Promise<boolean> {
  return page.evaluate(`(() => {
    const text = document.querySelector(${JSON.stringify(selector)}).firstChild;
    const leftOf = (at) => { const range = new Range(); range.setStart(text, at); range.setEnd(text, at + 1); return range.getBoundingClientRect().left };
    return leftOf(0) < leftOf(1);
  })()`);
}
