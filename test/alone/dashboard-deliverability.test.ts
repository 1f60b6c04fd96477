import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { skipWithoutChromium } from "../support/browser.ts";
import { type Dashboard, finish, MOST_MS, press, startDashboard } from "../support/dashboard.ts";
import { assertLooks } from "../support/dashboard-looks.ts";
import { type DnsServer, startDnsServer } from "../support/dns-server.ts";

describe("deliverability, in a browser", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
  let dns: DnsServer;
  let dashboard: Dashboard;
  let watched: Awaited<ReturnType<Dashboard["openAsOwner"]>>;
  let page: Page;
  before(async () => {
    dns = await startDnsServer();
    dashboard = await startDashboard({ DNS_SERVERS: dns.address, INBOUND_DOMAIN: "in.postrider.example" });
    watched = await dashboard.openAsOwner("/deliverability");
    page = watched.page;
  });
  after(async () => {
    await dashboard?.stop();
    await dns?.close();
  });

  const inDialog = (name: string) =>
    page.getByRole("dialog").getByRole("button", { name, exact: true }).click();
  const domain = async () => (await dashboard.ask("GET", "/v1/domains")).data[0];

  test("a domain is added, and its key that appears in the DNS turns good while the page is open", async () => {
    await page.getByRole("heading", { name: "No domain yet" }).waitFor();
    await press(page, "Add a domain");
    await page.getByRole("dialog").getByLabel("Domain", { exact: true }).fill("fernhill.example");
    assert.equal(await page.getByLabel("Return path").inputValue(), "bounce.fernhill.example");
    assert.equal(await page.getByLabel("Host for links").inputValue(), "go.fernhill.example");
    await page.getByLabel("Host for links").fill("");
    await inDialog("Add a domain");
    const card = page.getByRole("region", { name: "fernhill.example" });
    await card.getByText("Waits for proof").waitFor();
    const missing = card.getByRole("listitem", { name: "DKIM, Missing" });
    await missing.first().waitFor();
    const { records, tracking_host: trackingHost } = await domain();
    assert.equal(trackingHost, null);
    await assertLooks(page, "a domain that waits for proof");
    for (const { kind, name, expected } of records) if (kind === "dkim") dns.set(name, "TXT", [expected]);
    await card.getByText("Proved", { exact: true }).waitFor();
    await card.getByRole("listitem", { name: "DKIM, Good" }).first().waitFor();
    await card.getByText(/fernhill.example is proved now/).waitFor({ state: "attached" });
    await assertLooks(page, "a domain that is proved");
  });

  test("its keys are changed, and it is removed once asked", async () => {
    const before = await domain();
    await press(page, "More for fernhill.example");
    await page.getByRole("menuitem", { name: "Change keys" }).click();
    await inDialog("Change keys");
    await page.getByText("The keys of fernhill.example are changed").waitFor();
    const selectorOf = ({ keys }: typeof before) =>
      keys.find(({ state }: { state: string }) => state === "active").selector;
    assert.notEqual(selectorOf(await domain()), selectorOf(before));
    await press(page, "More for fernhill.example");
    await page.getByRole("menuitem", { name: "Change keys" }).click();
    await inDialog("Change keys");
    await page.getByRole("dialog").getByText("The next key isn't in your DNS yet").waitFor();
    await inDialog("Cancel");
    await press(page, "More for fernhill.example");
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await inDialog("Remove the domain");
    await page.getByRole("heading", { name: "No domain yet" }).waitFor();
    assert.deepEqual((await dashboard.ask("GET", "/v1/domains")).data, []);
  });

  test("the other parts are there, accessible, and say what they wait for", async () => {
    for (const [tab, seen] of [
      ["DMARC", "No reports yet"],
      ["Checklist", "Not known"],
      ["Mail tests", "No mail was tested yet"],
      ["Blocklists", "No address is known yet"],
      ["Alerts", "Nothing needs you"],
    ] as const) {
      await page.getByRole("link", { name: tab, exact: true }).click();
      await page.getByRole("heading", { name: seen }).waitFor();
      await assertLooks(page, tab);
    }
    await page.setViewportSize({ width: 1_440, height: 900 });
    await finish(watched);
  });
});
