import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { skipWithoutChromium } from "../support/browser.ts";
import {
  assertAccessible,
  type Dashboard,
  finish,
  MOST_MS,
  press,
  startDashboard,
} from "../support/dashboard.ts";
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
    await assertAccessible(page, "a domain that is proved");
  });

  test("who saves later sees what was changed meanwhile, and chooses", async () => {
    const { id } = await domain();
    await press(page, "More for fernhill.example");
    await page.getByRole("menuitem", { name: "Edit" }).click();
    await page.getByRole("dialog").getByLabel("Return path").fill("mine.fernhill.example");
    await dashboard.ask("PATCH", `/v1/domains/${id}`, { return_path: "theirs.fernhill.example" });
    await inDialog("Save");
    await page.getByRole("cell", { name: "theirs.fernhill.example" }).waitFor();
    assert.equal((await domain()).return_path, "theirs.fernhill.example");
    await inDialog("Keep mine");
    await page.getByText("“fernhill.example” is saved").first().waitFor();
    assert.equal((await domain()).return_path, "mine.fernhill.example");
  });

  test("who looks again too soon is told for how many seconds to wait", async () => {
    const again = page.getByRole("button", { name: "Look again for fernhill.example" });
    await again.click();
    await page.waitForLoadState("networkidle");
    await again.click();
    await page.getByText(/^It was looked up a moment ago\. You can look again in \d+ seconds?\.$/).waitFor();
    const waiting = page.getByRole("button", { name: /^Again in \d+ s$/ });
    assert.equal(await waiting.isDisabled(), true);
    await again.waitFor();
    assert.equal(await again.isEnabled(), true);
  });

  test("its records are copied and downloaded as a zone file", async () => {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const { id, keys } = await domain();
    await press(page, "More for fernhill.example");
    await page.getByRole("menuitem", { name: "Copy as a zone file" }).click();
    await page.getByText("The zone file is copied").first().waitFor();
    const copied = await page.evaluate<string>("navigator.clipboard.readText()");
    assert.equal(copied, (await dashboard.app.api("GET", `/v1/domains/${id}/zone`)).text);
    for (const { selector } of keys) assert.match(copied, new RegExp(`${selector}\\._domainkey`));
    await press(page, "More for fernhill.example");
    const downloading = page.waitForEvent("download");
    await page.getByRole("menuitem", { name: "Download as a zone file" }).click();
    const file = await (await downloading).path();
    assert.equal(readFileSync(file, "utf8"), copied);
    await press(page, "Copy the name");
    const name = await page.evaluate<string>("navigator.clipboard.readText()");
    assert.ok(
      (await domain()).records.some((record: { name: string }) => record.name === name),
      name,
    );
  });

  test("a domain that can't be watched says so, and goes on by itself", async () => {
    const { id } = await domain();
    const problem = { code: "internal", detail: "The cable is out.", request_id: "req_1" };
    const body = JSON.stringify(problem);
    await page.route(`**/v1/domains/${id}`, (route) =>
      route.fulfill({ status: 500, contentType: "application/problem+json", body }),
    );
    const card = page.getByRole("region", { name: "fernhill.example" });
    const note = card.getByText("What the DNS has now can't be seen.");
    await note.waitFor();
    await assertAccessible(page, "a domain that can't be watched");
    assert.ok((await card.getByRole("listitem", { name: /^DKIM/ }).count()) > 0, "what was known stays");
    await page.unroute(`**/v1/domains/${id}`);
    await note.waitFor({ state: "detached" });
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

  test("the other parts are there, and say what they wait for", async () => {
    for (const [tab, seen] of [
      ["DMARC", "No reports yet"],
      ["Checklist", "Not known"],
      ["Mail tests", "No mail was tested yet"],
      ["Blocklists", "No address is known yet"],
      ["Alerts", "Nothing needs you"],
    ] as const) {
      await page.getByRole("link", { name: tab, exact: true }).click();
      await page.getByRole("heading", { name: seen }).waitFor();
    }
    await page.setViewportSize({ width: 1_440, height: 900 });
    await finish(watched);
  });
});
