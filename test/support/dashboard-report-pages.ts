/** Goes through the report of a campaign that was sent a moment ago, and of one that nobody was counted in. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { until } from "./until.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers have many shapes
type Call = (method: string, path: string, body?: unknown) => Promise<any>;

export async function visitReports(
  page: Page,
  baseUrl: string,
  call: Call,
  look: (name: string) => Promise<void>,
): Promise<void> {
  const seen = await sendCampaign(call, "A letter to look back at", true);
  const unseen = await sendCampaign(call, "A letter that nobody was counted in", false);
  const open = async (path: string) => {
    await page.goto(`${baseUrl}/campaigns/${path}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.waitForLoadState("networkidle");
  };
  await open(seen);
  await page.locator("[data-step]").first().waitFor();
  await look("report");
  for (const part of ["links", "domains", "mail"]) {
    await open(`${seen}/${part}`);
    await look(`report-${part}`);
  }
  await open(unseen);
  await page.getByText("Opens and clicks weren't tracked in this campaign.").waitFor();
  await look("report-untracked");
}

async function sendCampaign(call: Call, name: string, isTracked: boolean): Promise<string> {
  const { data } = await call("GET", "/v1/campaigns?limit=200");
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const known = data.find((one: any) => one.name === name);
  if (known) return known.id;
  const { id: listId } = await call("POST", "/v1/lists", { name });
  for (const at of ["example.net", "example.org", `${"n".repeat(60)}.example`])
    await call("POST", "/v1/subscribers", { email: `ada@${at}`, list_id: listId });
  const html = `<p>See <a href="https://example.com/${"long".repeat(60)}">this</a> and <a href="https://example.com/b">that</a></p>`;
  const tracking = { opens: isTracked, clicks: isTracked };
  const made = await call("POST", "/v1/campaigns", {
    name,
    list_id: listId,
    subject: "Letter",
    html,
    tracking,
  });
  assert.ok(made.id, JSON.stringify(made));
  await call("POST", `/v1/campaigns/${made.id}/send`);
  await until(async () => (await call("GET", `/v1/campaigns/${made.id}`)).status === "sent");
  return made.id;
}
