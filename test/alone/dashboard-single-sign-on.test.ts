/** Single sign-on in a browser, through the pages of a real provider. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { sql } from "../../src/platform/db/db.ts";
import { skipWithoutChromium, type WatchedPage } from "../support/browser.ts";
import {
  assertAccessible,
  type Dashboard,
  finish,
  MOST_MS,
  OWNER,
  press,
  startDashboard,
} from "../support/dashboard.ts";
import { addPerson } from "../support/people.ts";
import { freePort } from "../support/ports.ts";
import { ssoSettings, startProvider, type TestProvider } from "../support/single-sign-on.ts";

const WIDTHS = [1_440, 360];

describe("single sign-on, in a browser", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
  let dashboard: Dashboard;
  let provider: TestProvider;
  let watched: WatchedPage;
  let page: Page;
  before(async () => {
    const port = await freePort();
    provider = await startProvider(`http://127.0.0.1:${port}/sign-in/sso`);
    dashboard = await startDashboard(await ssoSettings(provider.issuer, port));
    watched = await dashboard.openAsOwner("/settings/single-sign-on");
    page = watched.page;
    say(OWNER);
  });
  after(async () => {
    await dashboard?.stop();
    await provider?.stop();
  });

  const go = (path: string) => page.goto(dashboard.app.baseUrl + path);
  const say = (email: string, more: Record<string, unknown> = {}) =>
    provider.people.set(email, { sub: email, email, email_verified: true, ...more });

  async function look(name: string): Promise<void> {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        await assertAccessible(page, `${name}, ${colorScheme}, ${width}`);
      }
    }
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize({ width: 1_440, height: 900 });
  }

  /** Goes through the provider's own pages, which it has for development. */
  async function passPages(login: string): Promise<void> {
    await page.locator('input[name="login"]').fill(login);
    await page.locator('input[name="password"]').fill("any");
    await page.locator('button[type="submit"]').click();
    // Whoever has agreed in this browser before isn't asked again.
    const consent = page.locator('form:has(input[name="prompt"][value="consent"]) button');
    const ours = page.waitForURL((url) => url.origin === dashboard.app.baseUrl);
    await Promise.race([consent.waitFor(), ours]);
    if (await consent.isVisible()) await consent.click();
    await ours;
  }

  async function begin(path: string): Promise<void> {
    await page.context().clearCookies();
    await go(path);
    await press(page, "Sign in with Fernhill login");
  }

  test("an owner sees how it is set up, and that nobody is linked", async () => {
    await page.getByText(provider.issuer).waitFor();
    await page.getByText(`${dashboard.app.baseUrl}/sign-in/sso`).waitFor();
    await page.getByText("Nobody yet.").waitFor();
    await look("single sign-on, nobody linked");
  });

  test("the sign-in page leads to the provider and back to where one was", async () => {
    await page.context().clearCookies();
    await go("/settings/single-sign-on");
    await page.waitForURL(/\/sign-in\?from=/);
    await page.getByRole("button", { name: "Sign in with Fernhill login" }).waitFor();
    await page.getByLabel("E-mail address").waitFor();
    await look("the sign-in page");
    await press(page, "Sign in with Fernhill login");
    await passPages(OWNER);
    await page.waitForURL(`${dashboard.app.baseUrl}/settings/single-sign-on`);
    await page.getByRole("cell", { name: OWNER }).waitFor();
    await look("single sign-on, somebody linked");
  });

  test("somebody who belongs to no account is told so, and no code stays in the address", async () => {
    say("stranger@example.com");
    await begin("/sign-in");
    await passPages("stranger@example.com");
    await page.getByText("you belong to no account here").waitFor();
    assert.equal(page.url(), `${dashboard.app.baseUrl}/sign-in/sso`);
    await look("no account");
    await page.getByRole("link", { name: "Back to signing in" }).click();
    await page.getByLabel("E-mail address").waitFor();
  });

  test("an address that was opened without a sign-in shows what to do", async () => {
    await go("/sign-in/sso?code=planted&state=planted");
    await page.getByText("was begun in another browser").waitFor();
    assert.equal(page.url(), `${dashboard.app.baseUrl}/sign-in/sso`);
  });

  test("an invitation is accepted with the provider", async () => {
    say("writer@example.com");
    const body = { email: "writer@example.com", role: "writer" };
    const { link } = await dashboard.ask("POST", "/v1/invitations", body);
    await page.context().clearCookies();
    await page.goto(link);
    await look("an invitation");
    await press(page, "Accept with Fernhill login");
    await passPages("writer@example.com");
    await page.waitForURL(`${dashboard.app.baseUrl}/`);
    await page.getByRole("heading", { level: 1 }).waitFor();
  });

  test("somebody is unlinked, after a confirmation at the provider", async () => {
    const person = await addPerson(dashboard.app, "linked@example.com");
    say(person.email);
    await begin("/sign-in");
    await passPages(person.email);
    await page.waitForURL(`${dashboard.app.baseUrl}/`);
    await begin("/sign-in?from=/settings/single-sign-on");
    await passPages(OWNER);
    await page.getByRole("cell", { name: person.email }).waitFor();
    await dashboard.app.db.execute(sql`update sessions set confirmed_at = confirmed_at - interval '1 hour'`);
    const row = page.getByRole("row").filter({ hasText: person.email });
    await row.getByRole("button", { name: "Unlink" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Unlink" }).click();
    await page.getByText("You come back to this page").waitFor();
    await look("a confirmation");
    await press(page, "Confirm with Fernhill login");
    await passPages(OWNER);
    await page.waitForURL(`${dashboard.app.baseUrl}/settings/single-sign-on`);
    await row.getByRole("button", { name: "Unlink" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Unlink" }).click();
    await row.waitFor({ state: "detached" });
  });

  test("where passwords are off, nothing asks for one", async () => {
    const settings = await ssoSettings(provider.issuer, await freePort(), { PASSWORD_SIGN_IN: "off" });
    const apart = await startDashboard(settings);
    try {
      const { link } = await apart.ask("POST", "/v1/invitations", {
        email: "new@example.com",
        role: "writer",
      });
      for (const [path, button] of [
        ["/sign-in", "Sign in with Fernhill login"],
        [link, "Accept with Fernhill login"],
      ]) {
        const opened = await apart.open(path);
        await opened.page.getByRole("button", { name: button }).waitFor();
        assert.equal(await opened.page.locator("input").count(), 0, path);
        await assertAccessible(opened.page, path);
        await finish(opened);
      }
    } finally {
      await apart.stop();
    }
  });

  test("nothing else was asked for, and nothing is wrong", () => {
    const isProviders = (fault: string) =>
      fault.includes(`asked ${provider.issuer}/`) || fault.includes("asked https://fonts.googleapis.com/");
    return finish({ ...watched, faults: watched.faults.filter((fault) => !isProviders(fault)) });
  });
});
