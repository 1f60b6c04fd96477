import { caller, type Look, type Visit } from "./dashboard-pages-data.ts";
import { until } from "./until.ts";

/** Looks at Home in the first days, with each step that has something to show, and then at work, with what needs somebody. */
export async function visitHome(visit: Visit, look: Look): Promise<void> {
  const { page, baseUrl } = visit;
  const call = caller(visit);
  const checklist = (dismissed: boolean) => call("PATCH", "/v1/account", { checklist: { dismissed } });
  const open = async (waitFor: string) => {
    await page.goto(baseUrl);
    await page.getByRole("heading", { name: waitFor }).first().waitFor();
    await page.waitForLoadState("networkidle");
  };
  await checklist(false);
  await call("PATCH", "/v1/account", { from_email: null, tracking: null });
  await open("Rather by API?");
  await look("home-first-run");
  await page.getByRole("button", { name: "Choose how to track" }).click();
  await look("home-tracking");
  const { campaign_id: id } = await call("POST", "/v1/sample_data");
  await call("POST", `/v1/campaigns/${id}/send`);
  await until(async () => (await call("GET", `/v1/campaigns/${id}`)).status === "sent");
  await open("Recent campaigns");
  await look("home-first-sent");
  await checklist(true);
  const { list_id } = await call("GET", "/v1/sample_data");
  const draft = {
    name: "A letter that waits ".repeat(8).trim(),
    list_id,
    subject: "News",
    html: "<p>News</p>",
  };
  const { id: waiting } = await call("POST", "/v1/campaigns", draft);
  await call("POST", `/v1/campaigns/${waiting}/schedule`, { send_at: new Date(Date.now() + 3_600_000) });
  await call("POST", `/v1/campaigns/${waiting}/pause`);
  await open("Needs you");
  await look("home");
  await page.goto(`${baseUrl}/?remove=sample`);
  await page.getByRole("dialog").waitFor();
  await look("sample-remove");
  await call("DELETE", "/v1/sample_data");
}
