import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
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
import { ownDomain, recentReport } from "../support/dmarc.ts";

const DOMAIN = "fernhill.example";
const MEBIBYTE = 1_048_576;

describe("DMARC reports, in a browser", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
  let dashboard: Dashboard;
  let watched: Awaited<ReturnType<Dashboard["openAsOwner"]>>;
  let page: Page;
  before(async () => {
    dashboard = await startDashboard();
    await ownDomain(dashboard.app, DOMAIN);
    watched = await dashboard.openAsOwner("/deliverability/dmarc");
    page = watched.page;
  });
  after(() => dashboard?.stop());

  const dialog = () => page.getByRole("dialog");
  const choose = (name: string, buffer: Buffer) =>
    dialog().getByLabel("A report", { exact: true }).first().setInputFiles({ name, mimeType: "", buffer });
  const select = (name: string) => page.getByRole("combobox", { name, exact: true });
  const reports = async () => (await dashboard.ask("GET", "/v1/deliverability/reports")).data;

  test("where the list of reports can't be read, that is said, and trying again shows it", async () => {
    const problem = { code: "internal", detail: "The cable is out.", request_id: "req_1" };
    const body = JSON.stringify(problem);
    await page.route("**/v1/deliverability/reports?*", (route) =>
      route.fulfill({ status: 500, contentType: "application/problem+json", body }),
    );
    await page.reload();
    await page.getByRole("heading", { name: "The reports can't be shown" }).waitFor();
    await assertAccessible(page, "reports that can't be read");
    await page.unroute("**/v1/deliverability/reports?*");
    await press(page, "Try again");
    await page.getByRole("heading", { name: "No reports yet" }).waitFor();
  });

  test("a file that is no report, too large, or about somebody else's domain is refused in the dialog", async () => {
    await press(page, "Upload reports");
    await choose("notes.txt", Buffer.from("Dear Ada"));
    await dialog().getByRole("alert").waitFor();
    await choose("large.zip", Buffer.alloc(11 * MEBIBYTE));
    await dialog().getByText("This file has 11 MB; 10 MB is the most.").waitFor();
    await choose("theirs.xml", Buffer.from(recentReport({ domain: "theirs.example" })));
    await dialog()
      .getByRole("alert")
      .getByText(/theirs\.example/i)
      .waitFor();
    await assertAccessible(page, "a report about another domain");
    assert.deepEqual(await reports(), []);
  });

  test("a good one is read, counts once, and unknown sources stand first", async () => {
    const records = [
      { ip: "192.0.2.1", count: 1_234, spf: "pass" },
      { ip: "203.0.113.77", count: 8, dkim: "fail", disposition: "reject" },
    ] as const;
    const report = recentReport({ domain: DOMAIN, org: "google.com", records });
    await choose("report.xml.gz", gzipSync(report));
    await page.getByText("1 report is read").waitFor();
    await page.getByText("google.com").first().waitFor();
    assert.deepEqual(
      (await reports()).map((one: { reporter: string; messages: number }) => [one.reporter, one.messages]),
      [["google.com", 1_242]],
    );
    const table = page.getByRole("table").first();
    await table.getByText("203.0.113.77").first().waitFor();
    await page.getByText(/sources? (isn't|aren't) known/).waitFor();
    await assertLooks(page, "DMARC with reports");
    await press(page, "Upload reports");
    await choose("again.xml", Buffer.from(report));
    await page.getByText("It was there already, and counts once").waitFor();
    assert.equal((await reports()).length, 1);
  });

  test("they are shown by reporter and by selector, for a domain and a time, all in the address", async () => {
    await select("By").selectOption({ label: "Reporter" });
    await page.getByRole("table").first().getByText("google.com").waitFor();
    await select("By").selectOption({ label: "DKIM selector" });
    await page.getByRole("columnheader", { name: "DKIM selector" }).waitFor();
    await select("Domain").selectOption({ label: DOMAIN });
    await press(page, "7 days");
    await page.waitForURL(/by=selector/);
    const { searchParams } = new URL(page.url());
    assert.deepEqual([searchParams.get("by"), searchParams.get("days")], ["selector", "7"]);
    assert.match(searchParams.get("domain") ?? "", /^dom_/);
    await page.reload();
    await page.getByRole("columnheader", { name: "DKIM selector" }).waitFor();
    await page.setViewportSize({ width: 1_440, height: 900 });
    await finish(watched);
  });
});
