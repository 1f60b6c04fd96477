import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { createApp, type TestApp } from "../support/app.ts";
import { launchChromium, openPage, skipWithoutChromium, type WatchedPage } from "../support/browser.ts";
import { MOST_MS } from "../support/dashboard.ts";

const TELEPHONE = { width: 390, height: 844 };
/** A page gets this long to do what it shouldn't. */
const LATE_MS = 300;

describe("the documents, in a browser", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
  let app: TestApp;
  let browser: Browser;
  before(async () => {
    app = await createApp();
    browser = await launchChromium();
  });
  after(async () => {
    await browser?.close();
    await app?.stop();
  });

  for (const colorScheme of ["light", "dark"] as const) {
    test(`/docs shows every operation in ${colorScheme} colours and asks nobody else for anything`, async () => {
      const reference = await open("/docs", colorScheme);
      assert.equal(await reference.page.title(), "Postrider API");
      await expandSidebar(reference.page);
      const sidebar = await reference.page.getByRole("complementary").first().innerText();
      for (const summary of await summaries()) assert.ok(sidebar.includes(summary), summary);
      assert.equal(await isDark(reference.page), colorScheme === "dark");
      await reference.page.setViewportSize(TELEPHONE);
      await reference.page.getByRole("heading", { name: "Postrider API" }).waitFor();
      assert.ok(await fits(reference.page), "on a telephone too");
      await finish(reference);
    });

    test(`the error pages are readable in ${colorScheme} colours, on a telephone too`, async () => {
      const list = await open("/docs/errors", colorScheme);
      assert.equal(await isDark(list.page), colorScheme === "dark");
      await list.page.setViewportSize(TELEPHONE);
      assert.ok(await fits(list.page));
      await list.page.getByRole("link", { name: "validation_failed" }).click();
      await list.page.getByRole("heading", { name: "Validation failed" }).waitFor();
      await list.page.getByText("HTTP 422").waitFor();
      assert.ok(await fits(list.page));
      await finish(list);
    });
  }

  test("a request can be tried out on the page, with one's own key", async () => {
    const watched = await open("/docs", "light");
    const { page } = watched;
    await page.getByPlaceholder("Token").first().fill(app.key);
    await page
      .getByRole("button", { name: /Test Request/ })
      .first()
      .click();
    await page.getByRole("button", { name: /Send/ }).first().click();
    await page.getByText("200 OK").waitFor();
    await page.getByText(app.accountId).first().waitFor();
    await finish(watched);
  });

  test("the link in every error answer leads to a page about it", async () => {
    const problem = await app.api("GET", "/v1/nothing");
    const watched = await openPage(browser, app.baseUrl, "light");
    await watched.page.goto(problem.body.type);
    await watched.page.getByRole("heading", { name: problem.body.title }).waitFor();
    await watched.page.getByRole("link", { name: "API reference" }).click();
    await watched.page.getByRole("heading", { name: "Postrider API" }).waitFor();
    await finish(watched);
  });

  async function open(path: string, colorScheme: "light" | "dark"): Promise<WatchedPage> {
    const watched = await openPage(browser, app.baseUrl, colorScheme);
    await watched.page.goto(app.baseUrl + path);
    return watched;
  }

  async function finish({ page, faults, close }: WatchedPage): Promise<void> {
    await page.waitForTimeout(LATE_MS);
    assert.deepEqual(faults, []);
    await close();
  }

  async function summaries(): Promise<string[]> {
    const { body } = await app.api("GET", "/openapi.json", { key: null });
    const paths: Record<string, { summary: string }>[] = Object.values(body.paths);
    const all = paths.flatMap((methods) => Object.values(methods).map(({ summary }) => summary));
    assert.ok(all.length > 0);
    return all;
  }
});

/** Opens every group of the sidebar; they are closed until somebody opens them or scrolls there. */
async function expandSidebar(page: Page): Promise<void> {
  const closed = page.getByRole("button", { name: /^Open Group/ });
  await page.getByRole("button", { name: /Group/ }).first().waitFor();
  while ((await closed.count()) > 0) await closed.first().click();
}

async function fits(page: Page): Promise<boolean> {
  return page.evaluate("document.documentElement.scrollWidth <= window.innerWidth");
}

/** Looks at the pixel at the top left, because Chromium paints the canvas itself where a page sets no colour. */
async function isDark(page: Page): Promise<boolean> {
  const screenshot = await page.screenshot({ clip: { x: 2, y: 2, width: 1, height: 1 }, type: "png" });
  const luminance = await page.evaluate(
    `(async () => {
      const bitmap = await createImageBitmap(new Blob([Uint8Array.fromBase64(${JSON.stringify(screenshot.toString("base64"))})]));
      const canvas = new OffscreenCanvas(1, 1).getContext("2d");
      canvas.drawImage(bitmap, 0, 0);
      return canvas.getImageData(0, 0, 1, 1).data[0];
    })()`,
  );
  return Number(luminance) < 128;
}
