/** A stranger opens an account in a browser: from the sign-in page, by the link of the mail, into the dashboard. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
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
import { PASSWORD } from "../support/people.ts";
import { type Relay, startRelay } from "../support/smtp/relay.ts";
import { until } from "../support/until.ts";

const EMAIL = "ada@example.com";

describe("signing up, in a browser", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
  let dashboard: Dashboard;
  let relay: Relay;
  let watched: WatchedPage;
  let page: Page;
  before(async () => {
    relay = await startRelay({ disabledCommands: ["STARTTLS", "AUTH"] });
    dashboard = await startDashboard({
      SIGN_UP: "open",
      SMTP_URL: `smtp://127.0.0.1:${relay.port}`,
      SYSTEM_FROM: "Mailer <mailer@host.example>",
      INTERNAL_HOSTS: "127.0.0.1",
    });
    watched = await dashboard.openAsOwner("/settings/profile");
    page = watched.page;
    await page.context().clearCookies();
  });
  after(async () => {
    await dashboard?.stop();
    await relay?.close();
  });

  /** Looks at what is there, wide and narrow, light and dark. */
  async function look(name: string): Promise<void> {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      for (const width of [1_440, 360]) {
        await page.setViewportSize({ width, height: 900 });
        await assertAccessible(page, `${name}, ${colorScheme}, ${width}`);
      }
    }
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize({ width: 1_440, height: 900 });
  }

  const bodiesTo = (email: string) =>
    relay.received.filter(({ to }) => to.includes(email)).map(({ body }) => body.replaceAll("=\r\n", ""));
  const links = () => bodiesTo(EMAIL).map((body) => /\S+\/sign-up\/confirm#pru_\w+/.exec(body)?.[0] ?? "");
  async function askFor(email: string): Promise<void> {
    await page.getByLabel("What is it called?").fill("Fernhill Gardens");
    await page.getByLabel("Your e-mail address").fill(email);
    await press(page, "Mail me the link");
    await page.getByText(`A mail is on its way to ${email}.`).waitFor();
  }

  test("is asked for from the sign-in page, and says the same to whoever is known", async () => {
    await page.goto(`${dashboard.app.baseUrl}/sign-in`);
    const create = page.getByRole("link", { name: "Create an account" });
    await create.waitFor();
    await look("the sign-in page");
    await create.click();
    await page.getByRole("heading", { name: "Create an account" }).waitFor();
    await look("the form");
    await page.getByLabel("What is it called?").fill("Fernhill Gardens");
    await page.getByLabel("Your e-mail address").fill("ada@nowhere");
    await press(page, "Mail me the link");
    await page.getByText("Must be an e-mail address").waitFor();
    await askFor(OWNER);
    await press(page, "Take another address");
    await askFor(EMAIL);
    await look("what was asked for");
    await until(() => links().length === 1 && bodiesTo(OWNER).length === 1);
    assert.ok(!bodiesTo(OWNER)[0]?.includes("pru_"));
  });

  test("is finished by the link of the mail, on a button", async () => {
    await page.goto(links()[0] as string);
    await page.getByRole("heading", { name: "Open your account" }).waitFor();
    await page.getByText("Fernhill Gardens is yours").waitFor();
    assert.equal(await page.getByLabel("E-mail address").inputValue(), EMAIL);
    await look("the link");
    await page.getByLabel("Password", { exact: true }).fill("short");
    await press(page, "Open the account");
    await page
      .getByText(/at least 10 characters|fewer than 10/i)
      .first()
      .waitFor();
    await page.getByLabel("Your name").fill("Ada Byron");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await press(page, "Open the account");
    await page.waitForURL(`${dashboard.app.baseUrl}/`);
    await page
      .getByRole("button", { name: /Ada Byron/ })
      .first()
      .waitFor();
  });

  test("isn't finished twice, nor by a link that is cut off", async () => {
    await page.context().clearCookies();
    await page.goto("about:blank");
    await page.goto(links()[0] as string);
    await page.getByRole("heading", { name: "This link can't be used" }).waitFor();
    await page.getByText(/was used already/).waitFor();
    await look("a link that was used");
    await page.getByRole("link", { name: "Ask for a new link" }).click();
    await page.getByRole("heading", { name: "Create an account" }).waitFor();
    await page.goto(`${dashboard.app.baseUrl}/sign-up/confirm`);
    await page.getByText("The address is not complete").waitFor();
    await finish(watched);
  });
});
