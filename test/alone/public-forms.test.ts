/** People sign up in a real browser: on the form's own page, and on another site with and without its script. */
import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { fits, launchChromium, PATIENCE_MS, skipWithoutChromium, violations } from "../support/browser.ts";
import { MOST_MS } from "../support/dashboard.ts";
import { makeForm, untilTaken } from "../support/forms.ts";
import { type Json, makeList } from "../support/subscribers.ts";

const LOOKS = [
  { name: "light-360", colorScheme: "light", viewport: { width: 360, height: 740 } },
  { name: "dark-360", colorScheme: "dark", viewport: { width: 360, height: 740 } },
  { name: "light-wide", colorScheme: "light", viewport: { width: 1_280, height: 800 } },
  { name: "dark-wide", colorScheme: "dark", viewport: { width: 1_280, height: 800 } },
] as const;
/** Pictures are kept where somebody wants to look at them. */
const PICTURES = process.env["PICTURES"];

describe("signing up, in a browser", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
  let app: TestApp;
  let browser: Browser;
  let form: Json & { id: string };
  let snippet: Json;
  let site: Server;
  let siteUrl: string;
  let siteBody = "";
  /** The strictest policy with which the site can still show the form. */
  let sitePolicy = "";

  before(async () => {
    app = await createApp();
    browser = await launchChromium();
    site = createServer((request, reply) => {
      if (request.url === "/thanks")
        return void reply.setHeader("content-type", "text/html").end("<h1>Thanks</h1>");
      reply.setHeader("content-security-policy", sitePolicy);
      reply.setHeader("content-type", "text/html; charset=utf-8");
      reply.end(
        `<!doctype html><html lang="en"><head><title>A blog</title></head><body><main><h1>A blog</h1>${siteBody}</main></body></html>`,
      );
    });
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    siteUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    sitePolicy = `default-src 'none'; script-src ${app.baseUrl}; connect-src ${app.baseUrl}; form-action ${app.baseUrl}; require-trusted-types-for 'script'`;
    await app.api("PATCH", "/v1/account", {
      body: {
        name: "Fernhill Books",
        postal_address: "14 Bondgate, Otley LS21 3AB",
        branding: { colour: "#1f3a5f" },
      },
    });
    const listId = await makeList(app, { name: "The weekly letter", tracking: "consented" });
    form = await makeForm(app, listId, {
      fields: [{ name: "email" }, { name: "first_name" }],
      texts: {
        title: "One letter a week, from the shop floor",
        intro:
          "What we are reading, what came in, and one thing to avoid. 485,000 readers; leave with one click.",
        consent: "Send me the weekly letter. I can stop it at any time.",
        privacy_url: "https://fernhill.example/privacy",
      },
    });
    snippet = (await app.api("GET", `/v1/forms/${form.id}/snippet`)).body;
  });
  after(async () => {
    await browser?.close();
    site?.closeAllConnections();
    site?.close();
    await app?.stop();
  });

  type Watched = { page: Page; faults: string[]; asked: string[]; close(): Promise<void> };

  async function open(url: string, options: BrowserContextOptions = {}): Promise<Watched> {
    const context = await browser.newContext(options);
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    const faults: string[] = [];
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    page.on("pageerror", (error) => faults.push(error.message));
    page.on("console", (message) => {
      const isOurs = !/favicon|status of 422/.test(message.text());
      if (["error", "warning"].includes(message.type()) && isOurs) faults.push(message.text());
    });
    await page.goto(url);
    return {
      page,
      faults,
      asked,
      async close() {
        assert.deepEqual(await context.cookies(), [], "no cookie");
        assert.deepEqual(faults, []);
        const strangers = asked.filter((one) => ![app.baseUrl, siteUrl].includes(new URL(one).origin));
        assert.deepEqual(strangers, [], "nobody else is asked");
        await context.close();
      },
    };
  }

  async function personOf(email: string): Promise<Json> {
    await untilTaken(app);
    return app.db.one<Json>(sql`
      select s.status, s.first_name, s.tracking_consent, c.wording, c.source
      from subscribers s join consents c on c.account_id = s.account_id and c.subscriber_id = s.id and c.action = 'granted'
      where s.email_key = ${email}`);
  }
  const provedSoFar = async () => (await app.db.many(sql`select from form_proofs`)).length;
  const WORDING =
    "Send me the weekly letter. I can stop it at any time.\nYou will get one mail that asks whether it was really you.\nPrivacy: https://fernhill.example/privacy";

  for (const { name, ...look } of LOOKS) {
    test(`on the form's own page, ${name}: what is missing is said, and then it works`, async () => {
      const proved = await provedSoFar();
      const watched = await open(`${app.baseUrl}/f/${form.id}`, look);
      const { page } = watched;
      assert.deepEqual(await violations(page), []);
      assert.ok(await fits(page));
      await page.getByLabel("E-mail").fill("priya.nair@posteo");
      await page.getByLabel("First name").fill("Priya");
      await page.getByRole("button", { name: "Sign up" }).click();
      await page.getByText("Something is missing after “posteo”, such as .org").waitFor();
      assert.equal(await page.getByLabel("First name").inputValue(), "Priya");
      assert.equal(await page.getByLabel("E-mail").getAttribute("aria-invalid"), "true");
      if (PICTURES) await page.screenshot({ path: `${PICTURES}/form-${name}.png`, fullPage: true });
      assert.deepEqual(await violations(page), []);
      assert.ok(await fits(page));
      await page.getByLabel("E-mail").fill(`${name}@posteo.example`);
      await page.getByLabel("Send me the weekly letter").check();
      await page.getByRole("button", { name: "Sign up" }).click();
      await page.getByRole("heading", { name: "Thank you" }).waitFor();
      if (PICTURES) await page.screenshot({ path: `${PICTURES}/done-${name}.png`, fullPage: true });
      assert.deepEqual(await violations(page), []);
      const person = await personOf(`${name}@posteo.example`);
      assert.deepEqual(person, {
        status: "pending",
        first_name: "Priya",
        tracking_consent: false,
        wording: WORDING,
        source: `form ${form.id} version 1`,
      });
      assert.equal(await provedSoFar(), proved + 1, "the script has worked");
      await watched.close();
    });
  }

  test("on the form's own page without a script", async () => {
    const watched = await open(`${app.baseUrl}/f/${form.id}`, { javaScriptEnabled: false });
    await watched.page.getByLabel("E-mail").fill("plain@posteo.example");
    await watched.page.getByLabel("Send me the weekly letter").check();
    await watched.page.getByLabel("may record").check();
    await watched.page.keyboard.press("Enter");
    await watched.page.getByRole("heading", { name: "Thank you" }).waitFor();
    const person = await personOf("plain@posteo.example");
    assert.deepEqual([person["status"], person["tracking_consent"]], ["pending", true]);
    await watched.close();
  });

  test("on another site by the snippet, without any script", async () => {
    siteBody = snippet["html"];
    const watched = await open(siteUrl, { javaScriptEnabled: false });
    await watched.page.getByLabel("E-mail").fill("snippet@posteo.example");
    assert.equal(await watched.page.getByLabel("Leave this empty").isVisible(), false);
    await watched.page.getByLabel("Send me the weekly letter").check();
    await watched.page.getByRole("button", { name: "Sign up" }).click();
    await watched.page.getByRole("heading", { name: "Thank you" }).waitFor();
    assert.equal((await personOf("snippet@posteo.example"))["wording"], WORDING);
    await watched.close();
  });

  test("on another site by the script, in place, with the keyboard alone and under a strict policy", async () => {
    siteBody = `<p><a href="/">Before</a></p>${snippet["script_inline"]}`;
    const proved = await provedSoFar();
    const watched = await open(siteUrl);
    const { page } = watched;
    await page.getByRole("heading", { name: "One letter a week" }).waitFor();
    assert.deepEqual(await violations(page), []);
    if (PICTURES) await page.screenshot({ path: `${PICTURES}/inline.png` });
    await page.getByRole("link", { name: "Before" }).focus();
    await page.keyboard.press("Tab");
    await page.keyboard.type("inline@posteo");
    await page.keyboard.press("Enter");
    await page.getByText("Something is missing after “posteo”").waitFor();
    assert.deepEqual(await violations(page), []);
    await page.keyboard.press("End");
    await page.keyboard.type(".example");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Thank you" }).waitFor();
    assert.equal((await personOf("inline@posteo.example"))["wording"], WORDING);
    assert.equal(await provedSoFar(), proved + 1);
    await watched.close();
  });

  test("on another site by the script, as a dialog that the keyboard opens, closes and sends", async () => {
    siteBody = snippet["script_popup"];
    const watched = await open(siteUrl, { viewport: { width: 360, height: 740 } });
    const { page } = watched;
    const opener = page.getByRole("button", { name: "Sign up" }).first();
    await page.waitForFunction("document.body.lastElementChild.shadowRoot !== null");
    await opener.focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "One letter a week" });
    await dialog.waitFor();
    assert.deepEqual(await violations(page), []);
    assert.ok(await fits(page));
    if (PICTURES) await page.screenshot({ path: `${PICTURES}/popup.png` });
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    assert.ok(
      await page.evaluate("document.activeElement.hasAttribute('data-postrider-open')"),
      "the focus is back",
    );
    await page.keyboard.press("Enter");
    await dialog.getByLabel("E-mail").fill("popup@posteo.example");
    await dialog.getByLabel("Send me the weekly letter").check();
    await dialog.getByLabel("E-mail").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Thank you" }).waitFor();
    assert.equal((await personOf("popup@posteo.example"))["status"], "pending");
    await page.getByRole("button", { name: "Close" }).click();
    await dialog.waitFor({ state: "hidden" });
    await watched.close();
  });

  test("leads on to the address that the form names, under the page's own policy", async () => {
    await app.api("PATCH", `/v1/forms/${form.id}`, { body: { redirect_url: `${siteUrl}/thanks` } });
    const watched = await open(`${app.baseUrl}/f/${form.id}`);
    await watched.page.getByLabel("E-mail").fill("led@posteo.example");
    await watched.page.getByLabel("Send me the weekly letter").check();
    await watched.page.getByRole("button", { name: "Sign up" }).click();
    await watched.page.waitForURL(`${siteUrl}/thanks`);
    await watched.close();
  });
});
