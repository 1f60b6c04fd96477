/** The change of one's own address in a browser: asked for in the profile, proven by the link of the mail. */
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

const NEXT = "next@example.com";

describe("one's own address, in a browser", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
  let dashboard: Dashboard;
  let relay: Relay;
  let watched: WatchedPage;
  let page: Page;
  before(async () => {
    relay = await startRelay({ disabledCommands: ["STARTTLS", "AUTH"] });
    dashboard = await startDashboard({
      SMTP_URL: `smtp://127.0.0.1:${relay.port}`,
      SYSTEM_FROM: "Mailer <mailer@host.example>",
      INTERNAL_HOSTS: "127.0.0.1",
    });
    watched = await dashboard.openAsOwner("/settings/profile");
    page = watched.page;
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

  const links = () =>
    relay.received
      .filter(({ to }) => to.includes(NEXT))
      .map(({ body }) => /\S+\/confirm-address#pre_\w+/.exec(body.replaceAll("=\r\n", ""))?.[0] ?? "");
  async function askFor(email: string): Promise<void> {
    await page.getByLabel("New e-mail address").fill(email);
    await press(page, "Mail the link");
  }

  test("is asked for, waits, and is taken back", async () => {
    await page.getByText(`Your address is ${OWNER}.`).waitFor();
    await askFor(OWNER);
    await page.getByText("Is your address already").waitFor();
    await askFor(NEXT);
    await page.getByText(`Waiting for ${NEXT} to be confirmed.`).waitFor();
    assert.equal(await page.getByLabel("New e-mail address").inputValue(), "");
    await look("a pending change");
    await press(page, "Take it back");
    await page.getByText("Your address stays as it is").waitFor();
    await until(async () => (await page.getByText(`Waiting for ${NEXT}`).count()) === 0);
  });

  test("is changed by the link, for whoever signs in first", async () => {
    await until(() => links().length === 1);
    await askFor(NEXT);
    await until(() => links().length === 2);
    await page.context().clearCookies();
    await page.goto(links()[1] as string);
    await page.getByText("Sign in as whoever asked for it").waitFor();
    await look("a link, signed out");
    await page.getByRole("link", { name: "Sign in" }).click();
    await page.getByLabel("E-mail address").fill(OWNER);
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("heading", { name: "Confirm your new address" }).waitFor();
    assert.ok(!page.url().includes("pre_"), "the token stands in no address that is asked for");
    await page.getByText(`you sign in with ${NEXT}`).waitFor();
    await look("a link");
    await press(page, "Confirm the address");
    await page.getByText(`Your address is ${NEXT}.`).waitFor();
    await page.getByText(`You now sign in with ${NEXT}`).first().waitFor();
  });

  test("isn't changed by a link that was replaced or is cut off", async () => {
    await page.goto(links()[0] as string);
    await page.getByText("has asked for no other address").waitFor();
    await look("a link, and nothing asked for");
    await page.goto(`${dashboard.app.baseUrl}/settings/profile`);
    await askFor("another@example.com");
    // The link has confirmed the address, and not who uses the session since.
    const asked = page.getByRole("dialog", { name: "Confirm that it is you" });
    await asked.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await asked.getByRole("button", { name: "Confirm" }).click();
    await page.getByText("Waiting for another@example.com to be confirmed.").waitFor();
    await page.goto(links()[0] as string);
    await press(page, "Confirm the address");
    await page.getByText("This link is mistyped, has expired or was replaced").waitFor();
    await page.evaluate("sessionStorage.clear()");
    await page.goto("about:blank");
    await page.goto(`${dashboard.app.baseUrl}/confirm-address`);
    await page.getByRole("heading", { name: "This link is of no use" }).waitFor();
    await look("no link");
    await finish(watched);
  });
});
