/** Goes through the recipients of a campaign, with mail that was taken, refused and never sent. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { until } from "./until.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers have many shapes
type Call = (method: string, path: string, body?: unknown) => Promise<any>;
const NAME = "A letter that some didn't get";

export async function visitRecipients(
  page: Page,
  baseUrl: string,
  call: Call,
  look: (name: string) => Promise<void>,
): Promise<void> {
  const id = await sendCampaign(call);
  await page.goto(`${baseUrl}/campaigns/${id}/recipients`);
  await page.getByRole("link", { name: "full@example.net" }).click();
  await page.getByRole("complementary", { name: "One recipient" }).waitFor();
  await page.waitForLoadState("networkidle");
  await look("campaign-recipients");
  await page.getByRole("button", { name: "Make a segment" }).first().click();
  await page.getByRole("dialog").getByLabel("Name").waitFor();
  await look("campaign-recipients-segment");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Send again to those who didn’t open" }).first().click();
  await page.getByText("neither opened nor clicked", { exact: false }).nth(1).waitFor();
  await look("campaign-resend");
  await page.keyboard.press("Escape");
}

async function sendCampaign(call: Call): Promise<string> {
  const { data } = await call("GET", "/v1/campaigns?limit=200");
  const known = data.find(({ name }: { name: string }) => name === NAME);
  if (known) return known.id;
  const { id: listId } = await call("POST", "/v1/lists", { name: "The letter" });
  await call("POST", "/v1/suppressions", { email: "blocked@example.net" });
  for (const local of ["ada", "bob", "block", "full", "blocked", "n".repeat(60)])
    await call("POST", "/v1/subscribers", { email: `${local}@example.net`, list_id: listId });
  const html = "<p>The letter</p>";
  const made = await call("POST", "/v1/campaigns", { name: NAME, list_id: listId, subject: "Letter", html });
  assert.ok(made.id, JSON.stringify(made));
  await call("POST", `/v1/campaigns/${made.id}/send`);
  await until(async () => (await call("GET", `/v1/campaigns/${made.id}`)).status === "sent");
  return made.id;
}
