/** The report of a campaign, in a browser: what it shows is what the API says, and what can't be known is said in words. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { fits, skipWithoutChromium, type WatchedPage } from "../support/browser.ts";
import {
  assertAccessible,
  type Dashboard,
  finish,
  MOST_MS,
  press,
  startDashboard,
} from "../support/dashboard.ts";
import { giveNumbers, LARGE, LETTER, sendCampaign } from "../support/sent-campaigns.ts";
import { addSubscriber, type Json, makeList } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const number = new Intl.NumberFormat("en-GB");
const WEEK_HOURS = 24 * 7;

describe("the report of a campaign, in a browser", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
  let dashboard: Dashboard;
  let watched: WatchedPage;
  let page: Page;
  let id: string;
  let untracked: string;
  let unopened: string;
  before(async () => {
    dashboard = await startDashboard();
    const { app } = dashboard;
    const listId = await makeList(app, { name: "Letter readers" });
    await addSubscriber(app, listId, "ada@example.com");
    for (let n = 3; n > 0; n--)
      await past(listId, `Letter ${n} weeks before`, LARGE.hoursAgo + n * WEEK_HOURS);
    id = await past(listId, "Weekly letter no. 211", LARGE.hoursAgo, { clicks: 2 });
    const off = { html: LETTER, tracking: { opens: false, clicks: false } };
    untracked = await sendCampaign(app, listId, { name: "Nobody counted", ...off });
    unopened = await sendCampaign(app, listId, { name: "Nobody looked", html: "<p>No links</p>" });
    watched = await dashboard.openAsOwner(`/campaigns/${id}`);
    page = watched.page;
  });
  after(() => dashboard?.stop());

  async function past(listId: string, name: string, hoursAgo: number, times = { clicks: 1 }) {
    const made = await sendCampaign(dashboard.app, listId, { name, html: LETTER });
    const domains = Object.fromEntries(
      Object.entries(LARGE.domains).map(([domain, [sent, failed, opens, clicks]]) => {
        return [domain, [sent, failed, opens, clicks * times.clicks] as const];
      }),
    );
    await giveNumbers(dashboard.app, made, { ...LARGE, domains, hoursAgo });
    return made;
  }
  const stats = async (path = ""): Promise<Json> =>
    (await dashboard.app.api("GET", `/v1/campaigns/${id}/stats${path}`)).body;
  const open = async (path: string) => {
    await page.goto(`${dashboard.app.baseUrl}/campaigns/${path}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
  };
  const cells = async (row: string) => {
    await page.locator(row).waitFor();
    return page.locator(`${row} td`).allInnerTexts();
  };
  const MAP = 'iframe[title="The mail, with the share of each link"]';
  const marks = () =>
    page
      .frameLocator(MAP)
      .locator(":is(p, div) > *")
      .filter({ hasText: /^[\d.]+%$/ });

  test("its funnel has the API's numbers, and machines stand apart", async () => {
    await open(id);
    const { recipients, delivered, opens, clicks, unsubscribes } = await stats();
    const expected = { recipients, delivered, opens: opens.human_unique, clicks: clicks.human_unique };
    for (const [step, count] of Object.entries({ ...expected, unsubscribed: unsubscribes }))
      assert.equal(await page.locator(`[data-step="${step}"]`).innerText(), number.format(count), step);
    await page.getByText("46.1% of delivered").waitFor();
    await page.getByText(`Machines opened ${number.format(opens.machine_unique)} more mails.`).waitFor();
    assert.notEqual(opens.unique, opens.human_unique);
  });

  test("its chart can be read as a table, with the same numbers", async () => {
    await open(id);
    await page.locator(".plot canvas").waitFor();
    const { data } = await stats("/timeseries");
    const expected = data
      .slice(0, 48)
      .map((hour: Json) =>
        [hour["opens"], hour["clicks"], hour["machine_opens"]].map((one) => number.format(one)),
      );
    const table = page.getByRole("table", { name: "Opens and clicks over time" });
    const read = async () => {
      const rows = await table.locator("tbody tr").all();
      return Promise.all(rows.map((row) => row.locator("td").allInnerTexts()));
    };
    assert.deepEqual(await read(), expected, "to who can't see the chart");
    await press(page, "As a table");
    await page.locator(".chart-table").waitFor();
    assert.equal(await page.locator(".plot canvas").count(), 0);
    assert.deepEqual(await read(), expected);
    await press(page, /^All$/);
    await page.locator(".chart-table tbody tr").nth(48).waitFor();
    await press(page, "As a chart");
    await page.locator(".plot canvas").waitFor();
  });

  test("it shows providers, and whether nobody told of complaints", async () => {
    await open(id);
    const { data, providers } = await stats("/domains?limit=200");
    assert.deepEqual([data[0].domain, providers[0].provider], ["gmail.com", "google"]);
    assert.deepEqual(await cells('.providers [data-provider="google"]'), [
      number.format(providers[0].delivered),
      "0.21%",
      "48.8%",
      "17.2%",
      "not told",
    ]);
    await page.getByRole("link", { name: "All 6 providers" }).click();
    await page.waitForURL(/\/domains$/);
    const [recipients] = await cells('.all-providers [data-domain="yahoo.com"]');
    // Each domain has a row, and so has each provider above its own.
    assert.equal(await page.locator(".all-providers tbody tr").count(), data.length + providers.length);
    await page.getByRole("rowheader", { name: "Gmail and Google Workspace" }).waitFor();
    assert.equal(
      recipients,
      number.format(data.find((row: Json) => row["domain"] === "yahoo.com").recipients),
    );
  });

  test("it marks each link on the mail, where the author's styles can't hide it, and lists them", async () => {
    await open(id);
    const { data } = await stats("/links");
    const { clicks } = await stats();
    await page.locator("[data-link]").first().waitFor();
    const first = data.find((link: Json) => link["url"].endsWith("/211"));
    assert.deepEqual((await cells('.link-list [data-link$="/211"]'))[0], number.format(first.human));
    assert.equal(
      await page.locator('.link-list [data-link$="/211"] th').innerText(),
      "Read the letter\nfernhill.example/letter/211",
    );
    await page.getByRole("link", { name: `Links ${data.length}`, exact: true }).waitFor();
    await marks().first().waitFor();
    const share = (count: number) => `${Number(((count / clicks.human_unique) * 100).toFixed(1))}%`;
    // The same address stands there twice, each place with its own share.
    assert.deepEqual(
      await marks().allInnerTexts(),
      [18_204, 9_120, 3_960, 5_846, 601].map(share).concat("0%"),
    );
    for (const mark of await marks().all()) {
      const box = await mark.boundingBox();
      assert.ok(box && box.width > 15 && box.height > 10, "it can be seen");
    }
    await open(`${id}/links`);
    await page.locator(".link-table [data-link]").first().waitFor();
    assert.equal(await page.locator(".link-table [data-link]").count(), data.length);
    const [people, , total, machines] = await cells('.link-table [data-link$="/salt-road"]');
    assert.deepEqual([people, total, machines], ["9,120", "9,160", "40"], "clicks of machines stand apart");
    assert.equal(await page.locator(".link-table .place").count(), 2);
    await page.getByText("differs from reader to reader").waitFor();
    await press(page, "Make a segment of who clicked");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
  });

  test("it says how it lies beside the last ones, and only what is so", async () => {
    await open(id);
    await page.getByRole("heading", { name: "Against your last 3 campaigns" }).waitFor();
    const verdict = (rate: string) => page.locator(`[data-rate="${rate}"] td`).last().innerText();
    assert.equal(await verdict("open"), "as usual");
    assert.equal(await verdict("click"), "best of the last 3");
    await open(unopened);
    await page.getByText("This mail has no links that are counted.").waitFor();
    assert.equal(
      await page.locator("[data-rate]").filter({ hasText: "Opened" }).locator("td").last().innerText(),
      "still coming in",
    );
  });

  test("it shows no nought where nothing was tracked, and no chart of nothing", async () => {
    await open(untracked);
    await page.getByText("Opens and clicks weren't tracked in this campaign.").waitFor();
    assert.equal(await page.locator('[data-step="opens"]').innerText(), "–");
    assert.equal(await page.getByText("not tracked", { exact: true }).count(), 2);
    const provider = page.locator(".providers tbody tr").first();
    await provider.waitFor();
    // Delivered and bounced stand before them, complained behind.
    assert.deepEqual((await provider.locator("td").allInnerTexts()).slice(2, 4), ["not seen", "not seen"]);
    assert.equal(await page.getByRole("heading", { name: "Opens and clicks" }).count(), 0);
    assert.equal(await page.locator(MAP).count(), 0);
    await open(`${untracked}/links`);
    await page.getByText("Clicks weren't tracked, so nothing is known of its links.").waitFor();
  });

  test("the mail is shown as it was sent, and as text, with dead links", async () => {
    await open(`${id}/mail`);
    const frame = page.frameLocator('iframe[title="The mail as it was sent"]');
    await frame.getByText("Dear reader,").waitFor();
    assert.equal(await page.locator("iframe").getAttribute("sandbox"), "");
    await press(page, "Text");
    await frame.locator("pre").getByText("FERNHILL BOOKS").waitFor();
  });

  test("it prints without the shell, in light colours, with the chart", async () => {
    await page.emulateMedia({ colorScheme: "dark" });
    await open(id);
    await page.locator(".plot canvas").waitFor();
    assert.equal(await strokes("rgb(10, 122, 90)"), 0, "the dark has its own green");
    await page.emulateMedia({ colorScheme: "dark", media: "print" });
    await until(async () => (await strokes("rgb(10, 122, 90)")) > 100);
    for (const gone of [".side", ".acts", ".tabs", ".over-time .seg", "iframe"])
      assert.equal(await page.locator(gone).first().isVisible(), false, gone);
    for (const there of [".funnel", ".plot canvas", ".providers table", ".link-list table"])
      await page.locator(there).waitFor();
    await page.locator(".link-list").getByRole("heading", { name: "Where they clicked" }).waitFor();
    await page.emulateMedia({ colorScheme: "light", media: "screen" });
  });

  /** What reaches beyond the window. */
  const WIDE = `[...document.querySelectorAll("main *")].filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
    .map((one) => one.tagName + "." + one.className).slice(0, 8)`;

  /** How many pixels of the chart have this colour. */
  const strokes = (colour: string) =>
    page.evaluate<number>(`(() => {
      const canvas = document.querySelector(".plot canvas");
      // Chromium warns of a canvas that is read again and again, so a copy is read.
      const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d");
      copy.drawImage(canvas, 0, 0);
      const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
      const [red, green, blue] = ${JSON.stringify(colour)}.match(/\\d+/g).map(Number);
      let found = 0;
      for (let at = 0; at < data.length; at += 4)
        if (data[at] === red && data[at + 1] === green && data[at + 2] === blue && data[at + 3] > 200) found++;
      return found;
    })()`);

  test("all its parts can be used by everybody, on a telephone too", async () => {
    for (const part of ["", "/links", "/domains", "/mail"]) {
      await open(id + part);
      await page.waitForLoadState("networkidle");
      await assertAccessible(page, `report${part}`);
      await page.setViewportSize({ width: 360, height: 800 });
      await until(() => fits(page)).catch(async () =>
        assert.deepEqual(await page.evaluate(WIDE), [], part || "overview"),
      );
      await page.setViewportSize({ width: 1_440, height: 900 });
    }
    await finish(watched);
  });
});
