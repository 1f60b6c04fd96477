/** What strangers write into DNS, reports, blocklists and mail runs nothing on the pages of deliverability. */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { createApp, type TestApp } from "../support/app.ts";
import { launchChromium, skipWithoutChromium } from "../support/browser.ts";
import { MOST_MS, OWNER, press } from "../support/dashboard.ts";
import { type DnsServer, startDnsServer } from "../support/dns-server.ts";
import { type PassingRelay, startPassingRelay } from "../support/mail-tests.ts";
import { PASSWORD } from "../support/people.ts";
import {
  HOSTILE_DOMAIN,
  HOSTILE_LIST,
  makeHostileDomain,
  makeHostileListing,
  makeHostileTest,
  openHostileAlerts,
  uploadHostileReports,
} from "../support/xss-deliverability.ts";
import { watchForXss, type XssWatch } from "../support/xss-watch.ts";

describe("payloads of strangers, in a browser", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
  let app: TestApp;
  let dns: DnsServer;
  let relay: PassingRelay;
  let browser: Browser;
  let watch: XssWatch;
  let page: Page;
  before(async () => {
    [dns, relay] = await Promise.all([startDnsServer(), startPassingRelay()]);
    app = await createApp({
      settings: {
        DNS_SERVERS: dns.address,
        INBOUND_DOMAIN: "in.postrider.example",
        INBOUND_PORT: "0",
        SMTP_URL: `smtp://127.0.0.1:${relay.port}`,
        BLOCKLISTS: HOSTILE_LIST,
      },
    });
    browser = await launchChromium();
    watch = await watchForXss(browser, app.baseUrl);
    page = watch.page;
    await page.goto(app.setupLink);
    await page.getByLabel("E-mail address").fill(OWNER);
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await press(page, "Open the dashboard");
    await page.waitForURL(`${app.baseUrl}/`);
  });
  after(async () => {
    await browser?.close();
    await app?.stop();
    await Promise.all([dns?.close(), relay?.close()]);
  });
  afterEach(() => assert.deepEqual(watch.problems.splice(0), []));

  const visit = async (path: string, expects?: "nothing") => {
    await page.goto(`${app.baseUrl}/deliverability${path}`);
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    await page.waitForLoadState("networkidle");
    await watch.look(path, expects);
  };

  test("records that stand in the DNS", async () => {
    await makeHostileDomain(app, dns);
    await visit("");
    await page.getByRole("region", { name: HOSTILE_DOMAIN }).waitFor();
  });

  test("who reports by DMARC, by which key was signed, and what addresses are called", async () => {
    await uploadHostileReports(app, dns);
    for (const by of ["source", "reporter", "selector"]) await visit(`/dmarc?by=${by}`);
  });

  // A list is proved once a day, so it must be there before the mail test asks it.
  test("what blocklists say, and alerts of it all", async () => {
    await makeHostileListing(app, dns);
    // A list is only asked whether an address is on it, so nothing of its own words is shown.
    await visit("/blocklists", "nothing");
    await page.getByText("Listed by 1 of 1").waitFor();
    await openHostileAlerts(app);
    await visit("/alerts");
    await press(page, /^Acknowledge:/);
    await page.getByText("Acknowledged. You hear of it again only when it changes.").waitFor();
    await visit("/checklist", "nothing");
  });

  test("a mail that comes back, its headers and how its server calls itself", async () => {
    const id = await makeHostileTest(app, relay);
    await visit("/tests");
    await visit(`/tests/${id}`);
  });

  test("most of them stood on the pages as text, and nothing ran", () => {
    assert.deepEqual(watch.found, []);
    assert.ok(watch.shown.size >= 300, `${watch.shown.size} were seen`);
  });
});
