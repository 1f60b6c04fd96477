import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { skipWithoutChromium, type WatchedPage } from "../support/browser.ts";
import {
  assertAccessible,
  type Dashboard,
  finish,
  MOST_MS,
  press,
  startDashboard,
} from "../support/dashboard.ts";
import type { Json } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

describe("the style of mails in the settings, in a browser", {
  skip: skipWithoutChromium,
  timeout: MOST_MS,
}, () => {
  let dashboard: Dashboard;
  let watched: WatchedPage;
  let page: Page;
  before(async () => {
    dashboard = await startDashboard();
    watched = await dashboard.openAsOwner();
    page = watched.page;
  });
  after(() => dashboard?.stop());

  const style = async (): Promise<Json | null> => (await dashboard.ask("GET", "/v1/account"))["blocks_style"];
  const saved = (wanted: Json | null) =>
    until(async () => JSON.stringify(sorted(await style())) === JSON.stringify(sorted(wanted)));
  const sample = () => page.getByRole("region", { name: "So it will look" });
  const looks = (selector: string, property: string) =>
    page.evaluate<string>(`getComputedStyle(document.querySelector("${selector}")).${property}`);

  test("is chosen, shown at once in a sample, and saved for all mails", async () => {
    await page.goto(`${dashboard.app.baseUrl}/settings/mail-style`);
    await sample().waitFor();
    await page.getByLabel("Headings", { exact: true }).first().selectOption("serif");
    await page.getByLabel("Ground", { exact: true }).fill("#1F3A5F");
    await page.getByLabel("Round corners, in pixels").fill("20");
    await page.getByLabel("Width of the mail, in pixels").fill("400");
    assert.equal(await looks(".style-button", "backgroundColor"), "rgb(31, 58, 95)");
    assert.equal(await looks(".style-button", "borderRadius"), "20px");
    assert.match(await looks(".style-title", "fontFamily"), /^Georgia/);
    assert.equal(await looks(".style-mail", "maxWidth"), "400px");
    assert.equal(await style(), null, "nothing holds before it is saved");
    await press(page, "Save");
    await saved({ heading_font: "serif", button_background: "#1F3A5F", button_radius: 20, width: 400 });
    const made = await dashboard.ask("POST", "/v1/blocks/mjml", {
      blocks: { version: 1, blocks: [{ id: "b", type: "spacer", height: 8 }] },
    });
    assert.match(made["mjml"], /width="400px"/);
  });

  test("is picked by the browser's own picker, and what is wrong is said at its field", async () => {
    await page.getByLabel("Pick: Around the mail").fill("#123456");
    assert.equal(await page.getByLabel("Around the mail", { exact: true }).inputValue(), "#123456");
    await page.getByLabel("Width of the mail, in pixels").fill("90");
    await page.getByLabel("Links", { exact: true }).fill("green");
    await press(page, "Save");
    await until(async () => (await page.locator('[aria-invalid="true"]').count()) === 2);
    await page.getByText("Must be a colour such as #1f3a5f").waitFor();
    await page.getByLabel("Width of the mail, in pixels").fill("");
    await page.getByLabel("Links", { exact: true }).fill("");
    await press(page, "Save");
    await saved({
      heading_font: "serif",
      button_background: "#1F3A5F",
      button_radius: 20,
      background: "#123456",
    });
  });

  test("goes back to the usual by the keyboard alone", async () => {
    const clear = page.getByRole("button", { name: "Back to the usual style" });
    await clear.focus();
    await page.keyboard.press("Enter");
    assert.equal(await page.getByLabel("Ground", { exact: true }).inputValue(), "");
    await page.getByText("Unsaved changes").waitFor();
    await page.getByLabel("Round corners, in pixels").focus();
    await page.keyboard.press("Enter");
    await saved(null);
    assert.equal(await looks(".style-button", "backgroundColor"), "rgb(11, 92, 68)");
  });

  test("fits a telephone, in both themes, without a fault for those who listen", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      for (const width of [1_440, 360]) {
        await page.setViewportSize({ width, height: 800 });
        await sample().waitFor();
        await assertAccessible(page, `the style of mails, ${width}, ${colorScheme}`);
      }
    }
    await finish(watched);
  });
});

function sorted(style: Json | null): unknown {
  return style && Object.entries(style).toSorted(([one], [other]) => one.localeCompare(other));
}
