/** Goes through the list of campaigns: with campaigns in several states and awkward names, filtered to nothing, and with a new one begun. */
import type { Page } from "playwright-core";

type Call = (
  method: string,
  path: string,
  body?: unknown,
) => Promise<{ data: { id: string; name: string }[] }>;

export async function visitCampaigns(
  page: Page,
  baseUrl: string,
  call: Call,
  look: (name: string) => Promise<void>,
): Promise<void> {
  const rest = async (path: string, heading: string) => {
    await page.goto(baseUrl + path);
    await page.getByRole("heading", { name: heading }).waitFor();
    await page.waitForLoadState("networkidle");
  };
  const name = `<b>محمد</b> ${"A name without an end ".repeat(8)}`.trim();
  const { data: found } = await call("GET", "/v1/campaigns?q=without%20an%20end");
  if (found.length === 0) {
    const { data: lists } = await call("GET", "/v1/lists");
    const body = { name, list_id: lists[0]?.id, subject: "N".repeat(300), html: "<p>News</p>" };
    await call("POST", "/v1/campaigns", body);
  }
  await rest("/campaigns", "Campaigns");
  await page.getByRole("link", { name: "Winter catalogue, early readers" }).waitFor();
  await look("campaigns");
  await rest("/campaigns?tab=ended&q=nothing-is-called-so", "No campaign fits");
  await look("campaigns-none");
  await rest("/campaigns?new=true", "New campaign");
  await look("campaign-new");
}
