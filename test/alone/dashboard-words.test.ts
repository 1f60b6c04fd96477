import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { skipWithoutChromium } from "../support/browser.ts";
import { type Dashboard, finish, MOST_MS, press, startDashboard } from "../support/dashboard.ts";
import { assertLooks } from "../support/dashboard-looks.ts";

describe("the words of public pages, in a browser", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
  let dashboard: Dashboard;
  let watched: Awaited<ReturnType<Dashboard["openAsOwner"]>>;
  let page: Page;
  before(async () => {
    dashboard = await startDashboard();
    watched = await dashboard.openAsOwner("/settings/words");
    page = watched.page;
  });
  after(() => dashboard?.stop());

  const wordsOf = (locale: string) => dashboard.ask("GET", `/v1/page_words/${locale}`);
  const own = () => page.getByRole("dialog").getByLabel("Your text");
  const find = async (typed: string) => {
    await page.getByRole("searchbox", { name: "Search the texts" }).fill(typed);
    await page.keyboard.press("Enter");
  };

  test("a text is found, said in one's own way, and set back", async () => {
    await page.getByRole("heading", { name: "Sign-up forms" }).waitFor();
    await assertLooks(page, "all words");
    const { standard } = await wordsOf("en");
    await find("ask.button");
    await page.getByText("ask.button", { exact: true }).waitFor();
    await press(page, `Change: ${standard["ask.button"]}`);
    await own().fill("Stop <b>these</b> letters");
    // What somebody else writes meanwhile is kept.
    await dashboard.ask("PUT", "/v1/page_words/en", { texts: { noSubject: "Without a subject" } });
    await press(page, "Save");
    await page.getByText("The text is saved, and shown from now on").waitFor();
    await page.getByText("Stop <b>these</b> letters", { exact: true }).waitFor();
    assert.deepEqual((await wordsOf("en")).texts, {
      noSubject: "Without a subject",
      "ask.button": "Stop <b>these</b> letters",
    });
    await find("");
    await page.getByRole("checkbox", { name: "Only yours" }).check();
    await page.getByText("2 texts", { exact: true }).waitFor();
    await assertLooks(page, "own words");
    await press(page, "Change: Stop <b>these</b> letters");
    await own().fill("");
    await press(page, "Save");
    await page.getByText("The standard text is shown again").waitFor();
    await page.getByText("1 text", { exact: true }).waitFor();
    assert.deepEqual((await wordsOf("en")).texts, { noSubject: "Without a subject" });
  });

  test("a text that lost its place is refused at its field; another language has its own", async () => {
    await page.getByRole("combobox", { name: "Language" }).selectOption({ label: "German" });
    await page.getByRole("heading", { name: "No text is shown" }).waitFor();
    await page.getByRole("checkbox", { name: "Only yours" }).uncheck();
    const { standard } = await wordsOf("de");
    const [key = "", text = ""] =
      Object.entries<string>(standard).find(([, one]) => /\{\w+\}/.test(one)) ??
      assert.fail("none has a place");
    await find(key);
    await press(page, `Change: ${text}`);
    await own().fill("Ohne Platz");
    await press(page, "Save");
    await page.locator('[aria-invalid="true"]').waitFor();
    await page.getByText(/^Must have these places and no others/).waitFor();
    await own().fill(`${text}!`);
    await press(page, "Save");
    // What was said of the first text may still stand there.
    await page.getByRole("dialog", { name: "Change a text" }).waitFor({ state: "detached" });
    await page.getByText("The text is saved, and shown from now on").first().waitFor();
    assert.deepEqual((await wordsOf("de")).texts, { [key]: `${text}!` });
    const { searchParams } = new URL(page.url());
    assert.deepEqual([searchParams.get("locale"), searchParams.get("q")], ["de", key]);
    await finish(watched);
  });
});
