import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { recordEgressAddress } from "../../src/delivery/delivery.ts";
import { openAlerts } from "../support/alerts.ts";
import { skipWithoutChromium } from "../support/browser.ts";
import { makeCampaign } from "../support/campaigns.ts";
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
import { type PassingRelay, passOn, startPassingRelay } from "../support/mail-tests.ts";
import { makeList, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

describe("mail tests, the checklist, blocklists and alerts, in a browser", {
  skip: skipWithoutChromium,
  timeout: MOST_MS,
}, () => {
  let dns: DnsServer;
  let relay: PassingRelay;
  let dashboard: Dashboard;
  let watched: Awaited<ReturnType<Dashboard["openAsOwner"]>>;
  let page: Page;
  before(async () => {
    [dns, relay] = await Promise.all([startDnsServer(), startPassingRelay()]);
    for (const zone of ["one.example", "two.example"]) dns.set(`2.0.0.127.${zone}`, "A", ["127.0.0.2"]);
    dashboard = await startDashboard({
      DNS_SERVERS: dns.address,
      INBOUND_DOMAIN: "in.postrider.example",
      INBOUND_PORT: "0",
      SMTP_URL: `smtp://127.0.0.1:${relay.port}`,
      BLOCKLISTS: "one.example,two.example",
    });
    watched = await dashboard.openAsOwner("/deliverability/tests");
    page = watched.page;
  });
  after(async () => {
    await dashboard?.stop();
    await Promise.all([dns?.close(), relay?.close()]);
  });

  const go = (path: string) => page.goto(`${dashboard.app.baseUrl}/deliverability${path}`);
  const inDialog = (name: string) =>
    page.getByRole("dialog").getByRole("button", { name, exact: true }).click();

  test("a campaign is tested from the press of a button to the report", async () => {
    await press(page, "Test a campaign");
    await page.getByRole("dialog").getByText("There is no campaign yet. Write one first.").waitFor();
    await page.keyboard.press("Escape");
    const list = await makeList(dashboard.app);
    await makeCampaign(dashboard.app, list, {
      name: "The winter letter",
      from_email: "news@fernhill.example",
    });
    await go("/tests");
    await press(page, "Test a campaign");
    await page.getByLabel("Campaign", { exact: true }).selectOption({ label: "The winter letter" });
    await inDialog("Send the test");
    await page.getByText("The mail is on its way").waitFor();
    await assertAccessible(page, "a test that waits");
    const held = () => relay.held.find(({ to }) => to.startsWith("test+"));
    await until(() => held() !== undefined);
    const line = dashboard.app.logs.find((one) => one.includes("takes bounces by SMTP"));
    const listener = JSON.parse(line ?? assert.fail("no listener")).port;
    const mail = held();
    assert.ok(mail);
    assert.match(await passOn(listener, mail), /^250/);
    await page.getByRole("heading", { name: "Authentication" }).waitFor();
    const [made] = (await dashboard.ask("GET", "/v1/deliverability/tests")).data;
    assert.equal(made.status, "done");
    await page.getByText(`${made.score} of 10`).first().waitFor();
    await page.getByText("127.0.0.1", { exact: true }).last().waitFor();
    await assertLooks(page, "the report of a test");
    await page.getByRole("link", { name: "Mail tests" }).first().click();
    await page.getByRole("link", { name: "The winter letter" }).waitFor();
    await assertAccessible(page, "the tests");
  });

  test("a complaint rate is entered, and the checklist judges by it and says where it is from", async () => {
    await go("/checklist");
    const gmail = page.getByRole("row", { name: /^Gmail/ });
    await gmail.getByText("It tells nobody: enter it").waitFor();
    await press(page, "Enter a complaint rate");
    await page.getByLabel("Complaints, in per cent").fill("much");
    await inDialog("Save the rate");
    await page.locator('[aria-invalid="true"]').first().waitFor();
    await page.getByLabel("Complaints, in per cent").fill("0,45 %");
    await inDialog("Save the rate");
    await page.getByText("The rate is saved").waitFor();
    await gmail.getByText("Entered by you").waitFor();
    await gmail.getByText("0.45%").waitFor();
    const [rate] = (await dashboard.ask("GET", "/v1/deliverability/complaint_rates")).data;
    assert.deepEqual([rate.provider, rate.rate], ["gmail", 0.0045]);
    await page.getByText(/^The rules were last gone through on \d+ \w+ \d{4}\.$/).waitFor();
    await assertLooks(page, "the checklist with a rate");
  });

  // The addresses are nobody's in particular: they are only asked for in the test's own DNS.
  test("an address is looked up in the blocklists, and one that doesn't answer isn't called clear", async () => {
    const accountId = uuidOf("acc", dashboard.app.accountId);
    for (const address of ["5.6.7.8", "5.6.7.9"]) {
      const seen = { transportId: null, address, helo: "mx.fernhill.example", at: new Date() };
      await recordEgressAddress(dashboard.app.db, accountId, seen);
    }
    dns.misbehave("8.7.6.5.two.example", "servfail");
    dns.set("9.7.6.5.two.example", "A", ["127.0.0.2"]);
    await go("/blocklists");
    await press(page, "Look up now");
    await page.getByText("1 of 2 clear, others not known").waitFor();
    await page.getByText("Listed by 1 of 2").waitFor();
    await assertLooks(page, "blocklists that were asked");
    await press(page, "Look up now");
    await page
      .getByText(/^They were asked a short while ago\. You can look again in \d+ minutes?\.$/)
      .waitFor();
  });

  test("an alert is acknowledged, and leaves the open ones", async () => {
    await openAlerts(dashboard.app, [
      {
        kind: "dmarc_failing",
        subject: "fernhill.example",
        severity: "warning",
        title: "Mail of fernhill.example fails DMARC",
        detail: "8 of 100 mails failed.",
        remedy: "Look at its sources.",
        data: {},
      },
    ]);
    await go("/alerts");
    await page.getByRole("heading", { name: /fails DMARC/ }).waitFor();
    await assertAccessible(page, "open alerts");
    const open = page.getByRole("heading", { name: /fails DMARC/ });
    await page.getByRole("button", { name: "Acknowledge: Mail of fernhill.example fails DMARC" }).click();
    await page.getByText("Acknowledged. You hear of it again only when it changes.").waitFor();
    await open.waitFor({ state: "detached" });
    const { data } = await dashboard.ask("GET", "/v1/deliverability/alerts?status=acknowledged");
    assert.deepEqual(
      data.map(({ subject }: { subject: string }) => subject),
      ["fernhill.example"],
    );
    await press(page, "Acknowledged");
    await open.waitFor();
    assert.equal(await page.getByRole("button", { name: /^Acknowledge:/ }).count(), 0);
    await page.setViewportSize({ width: 1_440, height: 900 });
    await finish(watched);
  });
});
