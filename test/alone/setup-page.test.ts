import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { createApp, type TestApp } from "../support/app.ts";
import { launchChromium, openPage, skipWithoutChromium, type WatchedPage } from "../support/browser.ts";
import { PASSWORD } from "../support/people.ts";

const TELEPHONE = { width: 390, height: 844 };

describe("setting up and signing in, in a browser", { skip: skipWithoutChromium }, () => {
  let app: TestApp;
  let browser: Browser;
  before(async () => {
    app = await createApp();
    browser = await launchChromium();
  });
  after(async () => {
    await browser?.close();
    await app?.stop();
  });

  const open = async (url: string, scheme: "light" | "dark" = "light"): Promise<WatchedPage> => {
    const watched = await openPage(browser, app.baseUrl, scheme);
    await watched.page.goto(url);
    return watched;
  };
  /** A refused request is shown in the console as an error; anything else there is a fault of ours. */
  const finish = async ({ faults, close }: WatchedPage) => {
    await close();
    assert.deepEqual(
      faults.filter((fault) => !/Failed to load resource.* 4\d\d /.test(fault)),
      [],
    );
  };
  const submit = (page: Page, name: string) => page.getByRole("button", { name }).click();
  const sessionOf = (page: Page) =>
    page.evaluate<{ status: number; body: { user: { email: string; role: string } } }>(
      `fetch("/v1/session").then(async (answer) => ({ status: answer.status, body: await answer.json() }))`,
    );

  test("the owner sets a password by the link of the first start and is signed in", async () => {
    const watched = await open(app.setupLink);
    const { page } = watched;
    await page.getByRole("heading", { name: "Welcome to Postrider" }).waitFor();
    await page.getByLabel("Password", { exact: true }).fill("short");
    await page.getByLabel("E-mail address").fill("");
    await submit(page, "Set password and sign in");
    await page.getByText("Must have at least 10 characters.").waitFor();
    await page.getByText("Must not be empty.").waitFor();
    await page.getByLabel("E-mail address").fill("nobody");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await submit(page, "Set password and sign in");
    await page.getByText("Must be an e-mail address.").waitFor();
    await page.getByLabel("E-mail address").fill("owner@example.com");
    await page.getByLabel("Your name").fill("Jane <b>Doe</b>");
    await submit(page, "Set password and sign in");
    await page.getByRole("heading", { name: "You are signed in" }).waitFor();
    await page.getByText("owner@example.com").waitFor();
    assert.equal(page.url(), `${app.baseUrl}/setup`, "the token is gone from the address");

    const session = await sessionOf(page);
    assert.equal(session.status, 200);
    assert.equal(session.body.user.email, "owner@example.com");
    assert.equal(session.body.user.role, "owner");
    const [cookie, ...others] = await page.context().cookies();
    assert.deepEqual(others, []);
    assert.equal(cookie?.name, "__Host-postrider_session");
    assert.deepEqual([cookie?.httpOnly, cookie?.secure, cookie?.sameSite], [true, true, "Lax"]);
    assert.equal(await page.evaluate("document.cookie"), "", "no script can read it");

    await page.getByRole("link", { name: "API reference" }).click();
    await page.waitForURL(`${app.baseUrl}/docs/**`);
    await finish(watched);
  });

  test("a used link, a mistyped one and none at all say so", async () => {
    for (const [url, says] of [
      [app.setupLink, "used already"],
      [`${app.setupLink}x`, "mistyped"],
      [`${app.baseUrl}/setup`, "not complete"],
    ] as const) {
      const watched = await open(url);
      await watched.page.getByRole("heading", { name: "This link can't be used" }).waitFor();
      assert.match(await watched.page.locator("#why").innerText(), new RegExp(says));
      await finish(watched);
    }
  });

  test("an invited user sets a password, signs out and in again", async () => {
    const { body } = await app.api("POST", "/v1/users", { body: { email: "joe@example.com" } });
    const watched = await open(body.setup_link, "dark");
    const { page } = watched;
    await page.setViewportSize(TELEPHONE);
    await page.getByRole("heading", { name: "You are invited" }).waitFor();
    assert.equal(await page.getByLabel("E-mail address").inputValue(), "joe@example.com");
    assert.equal(await page.getByLabel("E-mail address").getAttribute("readonly"), "");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByLabel("Show the password").check();
    assert.equal(await page.getByLabel("Password", { exact: true }).getAttribute("type"), "text");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "You are signed in" }).waitFor();
    await submit(page, "Sign out");
    await page.waitForURL(`${app.baseUrl}/sign-in`);
    assert.equal((await sessionOf(page)).status, 401);

    await page.getByLabel("E-mail address").fill("joe@example.com");
    await page.getByLabel("Password", { exact: true }).fill("a wrong password");
    await submit(page, "Sign in");
    await page.getByText("The e-mail address or the password is wrong.").waitFor();
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await submit(page, "Sign in");
    await page.getByRole("heading", { name: "You are signed in" }).waitFor();
    assert.equal((await sessionOf(page)).body.user.email, "joe@example.com");
    assert.ok(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"));
    await finish(watched);
  });

  test("neither a password nor a link has reached a log", () => {
    assert.ok(!/prl_|prs_|correct horse|example\.com/.test(app.logs.join("")));
  });
});
