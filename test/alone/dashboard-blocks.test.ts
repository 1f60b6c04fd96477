/** A mail of blocks in the dashboard: how it is begun, and the ways to code and back. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { skipWithoutChromium, type WatchedPage } from "../support/browser.ts";
import {
  assertAccessible,
  type Dashboard,
  finish,
  MOST_MS,
  press,
  startDashboard,
} from "../support/dashboard.ts";
import { until } from "../support/until.ts";

const BLOCKS = {
  version: 1,
  blocks: [
    { id: "h", type: "heading", level: 1, content: [{ type: "text", text: "By <b>blocks</b>" }] },
    { id: "f", type: "footer", unsubscribe: "Leave" },
  ],
};

describe("a mail of blocks", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
  let dashboard: Dashboard;
  let watched: WatchedPage;
  before(async () => {
    dashboard = await startDashboard();
    watched = await dashboard.openAsOwner("/campaigns");
  });
  after(async () => {
    await dashboard?.stop();
  });

  async function convertAndUndo(path: string, kind: "campaigns" | "templates", id: string): Promise<void> {
    const { page } = watched;
    await page.goto(dashboard.app.baseUrl + path);
    await page.getByRole("textbox", { name: "Content, as blocks" }).getByText("By <b>blocks</b>").waitFor();
    await page.frameLocator("iframe.front").getByRole("heading", { name: "By <b>blocks</b>" }).waitFor();
    await assertAccessible(page, `a mail of blocks among ${kind}`);
    await press(page, "Continue in MJML");
    await page.getByRole("dialog").getByRole("button", { name: "Continue in MJML" }).click();
    const read = () => dashboard.ask("GET", `/v1/${kind}/${id}`);
    await until(async () => (await read()).mjml !== null);
    assert.equal((await read()).blocks, null);
    await press(page, "Undo");
    await until(async () => (await read()).blocks !== null);
    const undone = await read();
    assert.deepEqual([undone.blocks, undone.mjml, undone.html], [BLOCKS, null, null]);
  }

  test("as a campaign is shown, goes on in MJML, and comes back whole", async () => {
    const [list] = (await dashboard.ask("GET", "/v1/lists")).data;
    const body = { name: "Winter", list_id: list.id, subject: "Winter", blocks: BLOCKS };
    const { id } = await dashboard.ask("POST", "/v1/campaigns", body);
    await convertAndUndo(`/campaigns/${id}/edit`, "campaigns", id);
  });

  test("a new campaign is made of blocks unless somebody chooses otherwise, and goes back to them", async () => {
    const { page } = watched;
    await page.goto(`${dashboard.app.baseUrl}/campaigns`);
    await page.getByRole("heading", { level: 1, name: "Campaigns" }).waitFor();
    await page.keyboard.press("c");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("First letter");
    await dialog.getByRole("button", { name: "Begin writing" }).click();
    await page.waitForURL(/\/campaigns\/cmp_\w{26}\/edit$/);
    const id = page.url().split("/").at(-2) ?? "";
    const read = () => dashboard.ask("GET", `/v1/campaigns/${id}`);
    const begun = (await read()).blocks;
    assert.deepEqual(
      begun.blocks.map(({ type }: { type: string }) => type),
      ["text", "footer"],
    );
    await page.getByRole("textbox", { name: "Content, as blocks" }).waitFor();
    await page.getByRole("button", { name: "HTML", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Begin empty" }).click();
    await page.getByRole("textbox", { name: "Content, as HTML", exact: true }).click();
    await page.keyboard.type("<b>By hand<style>");
    await until(async () => (await read()).html?.includes("By hand") === true);
    await page.getByRole("button", { name: "Blocks", exact: true }).click();
    await page.getByText("As one block it loses its styles for the whole page", { exact: false }).waitFor();
    await assertAccessible(page, "the question before blocks");
    await page.getByRole("dialog").getByRole("button", { name: "Keep it as one block" }).click();
    await until(async () => (await read()).blocks?.blocks[0]?.type === "html");
    await press(page, "Templates");
    await page.getByRole("button", { name: "Letter", exact: true }).click();
    await press(page, "Replace it");
    await until(async () => (await read()).blocks?.blocks[0]?.type !== "html");
  });

  test("as a template likewise", async () => {
    const { id } = await dashboard.ask("POST", "/v1/templates", { name: "T", subject: "x", blocks: BLOCKS });
    await convertAndUndo(`/templates/${id}`, "templates", id);
    await finish(watched);
  });
});
