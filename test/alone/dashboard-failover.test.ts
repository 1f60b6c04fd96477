/** Sending servers in their order, servers that were put out and providers that are closed, in a browser. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { INSTANCE_TRANSPORT } from "../../src/delivery/delivery.ts";
import { closeProvider } from "../../src/delivery/providers/providers.ts";
import { putOut } from "../../src/delivery/transports/out.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { systemCtx, type TxCtx } from "../../src/platform/context.ts";
import { createLog } from "../../src/platform/log.ts";
import { skipWithoutChromium, type WatchedPage } from "../support/browser.ts";
import {
  assertAccessible,
  type Dashboard,
  finish,
  MOST_MS,
  press,
  startDashboard,
} from "../support/dashboard.ts";
import { addPerson, PASSWORD } from "../support/people.ts";
import { uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const log = createLog({ level: "silent", pretty: false, destination: process.stderr });
const HOSTILE = `550 5.7.26 "><img src=x onerror="globalThis.wasRun=1"><script>globalThis.wasRun=1</script>`;
const LONG = `421 4.7.28 ${"https-support.google.com-mail-answer-".repeat(9)}`;

describe("sending servers in order", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
  let dashboard: Dashboard;
  let watched: WatchedPage;
  let page: Page;
  const ids: Record<string, string> = {};
  before(async () => {
    dashboard = await startDashboard({ SMTP_URL: "smtp://127.0.0.1:1", ROLES: "api" });
    watched = await dashboard.openAsOwner("/settings/transports");
    page = watched.page;
  });
  after(async () => {
    await dashboard?.stop();
  });

  const go = (path = "") => page.goto(`${dashboard.app.baseUrl}/settings/transports${path}`);
  const inCtx = (work: (ctx: TxCtx) => Promise<unknown>) => {
    const accountId = uuidOf("acc", dashboard.app.accountId);
    return dashboard.app.db.transaction((tx) => work(systemCtx({ clock: systemClock, log }, tx, accountId)));
  };
  const add = async (name: string) => {
    const body = { name, host: `${name.toLowerCase().replaceAll(/\W+/g, "-")}.example.com` };
    ids[name] = (await dashboard.ask("POST", "/v1/transports", body)).id;
  };
  const close = (name: string | null, provider: string, reply: string, fromDomain = "") =>
    inCtx((ctx) => {
      const transportId = name === null ? INSTANCE_TRANSPORT : uuidOf("trn", ids[name] as string);
      const accountId = name === null ? INSTANCE_TRANSPORT : ctx.accountId;
      const reason = fromDomain ? "authentication" : "rate";
      return closeProvider(
        ctx,
        { accountId, transportId, provider, fromDomain },
        { reason, closeMs: 7_200_000, alert: fromDomain !== "", reply, toldBy: "session" },
      );
    });
  const putServerOut = (name: string) =>
    inCtx(async (ctx) => {
      const found = { version: 1, reason: "refused", detail: HOSTILE } as const;
      assert.equal(await putOut(ctx, uuidOf("trn", ids[name] as string), found), true);
    });
  const orderOf = async (stream: string): Promise<string[]> =>
    (await dashboard.ask("GET", `/v1/transport_pools/${stream}`)).transports;
  const stream = (name: string) => page.getByRole("region", { name, exact: true });
  const names = (of: string) => stream(of).locator(".server-order li .med").allInnerTexts();
  const inDialog = (name: string) =>
    page.getByRole("dialog").getByRole("button", { name, exact: true }).click();
  const closed = () => page.getByRole("dialog").waitFor({ state: "detached" });
  const isFocused = (name: string) =>
    until(async () => (await page.evaluate("document.activeElement?.ariaLabel")) === name);
  const looks = async (name: string) => {
    for (const colorScheme of ["light", "dark"] as const)
      for (const width of [1_280, 360]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 900 });
        const folder = process.env["PICTURES"];
        const path = `${folder}/${name}-${colorScheme}-${width}.png`;
        await assertAccessible(page, `${name}, ${colorScheme}, ${width}`);
        if (folder) await page.screenshot({ path, fullPage: true });
      }
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize({ width: 1_280, height: 900 });
  };

  test("without a server of one's own there is nothing to put in order", async () => {
    await page.getByRole("heading", { name: "No server of your own" }).waitFor();
    assert.equal(await page.getByRole("region", { name: "Order", exact: true }).count(), 0);
    await looks("empty");
  });

  test("servers are put in order by the select, by buttons and by keys, and saved", async () => {
    for (const name of ["Alpha", "Beta", "Gamma"]) await add(name);
    await go();
    const campaigns = stream("Campaigns");
    await campaigns.getByText("No server of its own.").waitFor();
    await campaigns.getByText("Leaves by this instance's server now").waitFor();
    const choose = campaigns.getByLabel("Add a server to Campaigns");
    for (const label of ["Alpha", "This instance's server", "Beta", "Gamma"])
      await choose.selectOption({ label });
    assert.deepEqual(await names("Campaigns"), ["Alpha", "Beta", "Gamma", "This instance's server"]);
    assert.equal(await choose.count(), 0, "all are in the order");
    await campaigns.getByText("Unsaved changes").waitFor();
    assert.deepEqual(await orderOf("campaign"), [], "nothing was sent yet");

    await campaigns.getByRole("button", { name: "Move Gamma up" }).click();
    await campaigns.getByText("Gamma is number 2 of 4.").waitFor();
    await isFocused("Move Gamma up");
    await page.keyboard.press("Enter");
    assert.deepEqual(await names("Campaigns"), ["Gamma", "Alpha", "Beta", "This instance's server"]);
    await isFocused("Move Gamma down");
    await page.keyboard.press("Alt+Shift+ArrowDown");
    assert.deepEqual(await names("Campaigns"), ["Alpha", "Gamma", "Beta", "This instance's server"]);
    await isFocused("Move Gamma down");
    for (const name of ["Move Beta down", "Move This instance's server up", "Move Alpha up"])
      assert.equal(await campaigns.getByRole("button", { name }).isDisabled(), true, name);
    await looks("unsaved");

    await page.getByRole("link", { name: "Guardrails" }).click();
    await page.getByRole("dialog").waitFor();
    await press(page, "Stay here");
    await closed();
    await campaigns.getByRole("button", { name: "Save the order" }).click();
    await page.getByText("The order of Campaigns was saved").waitFor();
    assert.deepEqual(await orderOf("campaign"), [ids["Alpha"], ids["Gamma"], ids["Beta"], "instance"]);
    await campaigns.getByText("Leaves by Alpha now").waitFor();
    await isFocused("Take Alpha out of the order");
    await page
      .getByRole("row", { name: /^Alpha/ })
      .getByText("In use")
      .waitFor();
    await page
      .getByRole("row", { name: /^Gamma/ })
      .getByText("Stands by")
      .waitFor();
    await page
      .getByRole("row", { name: /^Gamma/ })
      .getByText("Campaigns, as the next")
      .waitFor();

    await campaigns.getByRole("button", { name: "Take Gamma out of the order" }).click();
    await isFocused("Take Beta out of the order");
    await campaigns.getByRole("button", { name: "Discard" }).click();
    assert.deepEqual(await names("Campaigns"), ["Alpha", "Gamma", "Beta", "This instance's server"]);
    await campaigns.getByRole("button", { name: "Take Gamma out of the order" }).click();
    await campaigns.getByRole("button", { name: "Save the order" }).click();
    await until(async () => (await orderOf("campaign")).join() === `${ids["Alpha"]},${ids["Beta"]},instance`);
  });

  test("a server that was deleted meanwhile is named where it stands, and taken out it can be saved", async () => {
    await add("Delta");
    await go();
    const mails = stream("Transactional mail");
    const choose = mails.getByLabel("Add a server to Transactional mail");
    for (const label of ["Delta", "Gamma"]) await choose.selectOption({ label });
    await dashboard.ask("DELETE", `/v1/transports/${ids["Delta"]}`);
    await mails.getByRole("button", { name: "Save the order" }).click();
    await mails.getByText("This server was deleted. Take it out of the order.").waitFor();
    await looks("deleted");
    await mails.getByRole("button", { name: /^Take (Delta|A deleted server) out of the order/ }).click();
    await mails.getByRole("button", { name: "Save the order" }).click();
    await until(async () => (await orderOf("transactional")).join() === ids["Gamma"]);
  });

  test("used for campaigns from its menu, a server stands first, and the others follow", async () => {
    await press(page, "More for Gamma");
    await page.getByRole("menuitem", { name: "Use for campaigns" }).click();
    await page.getByText("Campaigns leave by “Gamma” now").waitFor();
    const wanted = [ids["Gamma"], ids["Alpha"], ids["Beta"], "instance"];
    assert.deepEqual(await orderOf("campaign"), wanted);
  });

  test("one that is put out says why in its server's own words, and is reinstated", async () => {
    await putServerOut("Gamma");
    await go();
    const note = page.getByRole("region", { name: "Mail no longer leaves by “Gamma”" });
    await note.getByText(/^Put out since \d\d:\d\d: its server refuses us\.$/).waitFor();
    await note.getByText(HOSTILE, { exact: true }).waitFor();
    await page
      .getByRole("row", { name: /^Gamma/ })
      .getByText("Put out")
      .waitFor();
    await stream("Campaigns").getByText("Leaves by Alpha now").waitFor();
    await close("Alpha", "google", LONG);
    await close("Alpha", "google", HOSTILE, "news.fernhill.example");
    await close("Beta", "yahoo", "421 4.7.0 [TSS04] Messages temporarily deferred");
    await close(null, "microsoft", "451 4.7.650 The mail server has been rate limited");
    await page.reload();
    await page.getByRole("heading", { name: "Closed mailbox providers" }).waitFor();
    await looks("in-trouble");
    await go(`/${ids["Gamma"]}`);
    await note.waitFor();
    await note.getByRole("button", { name: "Reinstate Gamma" }).click();
    await inDialog("Cancel");
    await closed();
    assert.notEqual((await dashboard.ask("GET", `/v1/transports/${ids["Gamma"]}`)).out, null);
    await note.getByRole("button", { name: "Reinstate Gamma" }).click();
    await page.getByText(/What has moved to another server stays there/).waitFor();
    await inDialog("Reinstate");
    await page.getByText("“Gamma” is in use again").waitFor();
    await note.waitFor({ state: "detached" });
    assert.equal((await dashboard.ask("GET", `/v1/transports/${ids["Gamma"]}`)).out, null);
  });

  test("closed providers say until when and why, and are opened; the instance's open by themselves", async () => {
    await go();
    const panel = page.getByRole("region", { name: "Closed mailbox providers" });
    const row = (name: string) => panel.getByRole("listitem").filter({ hasText: name });
    const google = row("Gmail and Google Workspace");
    await google.getByText("Mail from news.fernhill.example").waitFor();
    await google.getByText(HOSTILE, { exact: true }).waitFor();
    await google.getByText("It asks for less mail.").waitFor();
    await row("Yahoo and AOL").getByText("By Beta").waitFor();
    const own = row("Outlook.com");
    await own.getByText("By this instance's server").waitFor();
    await own.getByText("It opens by itself").waitFor();
    assert.equal(await own.getByRole("button").count(), 0);
    await page
      .getByRole("row", { name: /^Alpha/ })
      .getByText("1 provider closed")
      .waitFor();

    await go(`/${ids["Alpha"]}`);
    await google.waitFor();
    assert.equal(await row("Yahoo and AOL").count(), 0, "it is about this server alone");
    await looks("server-closed");
    await google.getByRole("button", { name: "Open now: Gmail and Google Workspace for Alpha" }).click();
    await inDialog("Open now");
    await page.getByText("Gmail and Google Workspace is open for “Alpha”").waitFor();
    await panel.waitFor({ state: "detached" });
    assert.deepEqual((await dashboard.ask("GET", `/v1/transports/${ids["Alpha"]}`)).closings, []);
    assert.equal(await page.evaluate("'wasRun' in globalThis"), false, "what servers say is text alone");
  });

  test("where the order can't be read that is said, and what isn't saved stays as it was typed", async () => {
    const problem = { status: 409, code: "invalid_state", detail: "not now", request_id: "req_1" };
    const refuse = (method: string) =>
      page.route("**/v1/transport_pools**", (route) =>
        route.request().method() === method
          ? route.fulfill({
              status: 409,
              contentType: "application/problem+json",
              body: JSON.stringify(problem),
            })
          : route.fallback(),
      );
    await refuse("GET");
    await go();
    await page.getByRole("heading", { name: "The order couldn't be read" }).waitFor();
    await page.getByRole("row", { name: /^Alpha/ }).waitFor();
    await looks("unreadable");
    await page.unroute("**/v1/transport_pools**");
    await press(page, "Try again");
    const campaigns = stream("Campaigns");
    await campaigns.getByRole("button", { name: "Move Alpha up" }).click();
    await page.route("**/v1/transport_pools/*", (route) => route.abort());
    await campaigns.getByRole("button", { name: "Save the order" }).click();
    await campaigns.getByRole("alert").waitFor();
    assert.equal((await names("Campaigns"))[0], "Alpha");
    await looks("unsaved-offline");
    await page.unroute("**/v1/transport_pools/*");
    await campaigns.getByRole("button", { name: "Save the order" }).click();
    await until(async () => (await orderOf("campaign"))[0] === ids["Alpha"]);
    await finish(watched);
  });

  test("a marketer sees all of it, and no button; a writer doesn't see it", async () => {
    await putServerOut("Beta");
    for (const [role, sees] of [
      ["marketer", true],
      ["writer", false],
    ] as const) {
      const { email } = await addPerson(dashboard.app, `${role}@example.com`, role);
      const other = await dashboard.open("/sign-in");
      page = other.page;
      const refused: string[] = [];
      page.on("response", (response) => {
        if (response.status() === 403) refused.push(response.url());
      });
      await page.getByLabel("E-mail address").fill(email);
      await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
      await press(page, "Sign in");
      await page.waitForURL(`${dashboard.app.baseUrl}/`);
      await go();
      if (sees) {
        await page.getByRole("region", { name: "Mail no longer leaves by “Beta”" }).waitFor();
        await stream("Campaigns").getByText("Leaves by Alpha now").waitFor();
        await page.getByRole("region", { name: "Closed mailbox providers" }).waitFor();
        const main = page.getByRole("main");
        assert.deepEqual(await main.getByRole("button").allInnerTexts(), []);
        assert.equal(await stream("Campaigns").getByRole("combobox").count(), 0);
        await looks("marketer");
      } else {
        await page.waitForURL("**/settings/profile");
        assert.equal(await page.getByRole("link", { name: "Sending servers" }).count(), 0);
      }
      assert.deepEqual(refused, []);
      await finish(other);
    }
  });
});
