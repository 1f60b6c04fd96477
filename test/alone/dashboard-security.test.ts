/** Second factors in a browser, with a device that holds passkeys in its place. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import decodeQR from "qr/decode.js";
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
import { addPerson, PASSWORD } from "../support/people.ts";
import { freePort } from "../support/ports.ts";
import { appWith } from "../support/second-factors.ts";
import { until } from "../support/until.ts";

const WIDTHS = [1_440, 360];

describe("second factors, in a browser", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
  let dashboard: Dashboard;
  let watched: WatchedPage;
  let page: Page;
  let code: ReturnType<typeof appWith>;
  before(async () => {
    // Passkeys need a host name.
    const port = String(await freePort());
    dashboard = await startDashboard({ PORT: port, BASE_URL: `http://localhost:${port}` });
    watched = await dashboard.openAsOwner("/settings/security");
    page = watched.page;
  });
  after(() => dashboard?.stop());

  const dialog = () => page.getByRole("dialog").last();
  /** A toast has the role of a dialog too, and stays for longer. */
  const noDialog = () => until(async () => (await page.locator(".dialog").count()) === 0);
  const go = (path: string) => page.goto(dashboard.app.baseUrl + path);

  /** Looks at what is there, wide and narrow, light and dark. */
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

  async function signOut(): Promise<void> {
    await page.context().clearCookies();
    await go("/sign-in");
    await page.getByLabel("E-mail address").waitFor();
  }

  async function givePassword(): Promise<void> {
    await page.getByLabel("E-mail address").fill(OWNER);
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("heading", { name: "One more step" }).waitFor();
  }

  test("an app is set up by its QR code, and the recovery codes are shown once", async () => {
    await page.getByText("You have none yet").waitFor();
    await press(page, "Add an app");
    await page.getByRole("img", { name: "A QR code with the secret" }).waitFor();
    await look("adding an app");
    const secret = (await dialog().locator(".secret .mono").innerText()).trim();
    code = appWith(secret);
    assert.match(await readQr(page), new RegExp(`^otpauth://totp/.*secret=${secret}`));
    await dialog().getByLabel("Code", { exact: true }).fill("000000");
    await dialog().getByRole("button", { name: "Activate" }).click();
    await dialog().getByText("Isn't what the app shows now").waitFor();
    const [one, two] = [code(new Date()).slice(0, 3), code(new Date()).slice(3)];
    await dialog().getByLabel("Code", { exact: true }).fill(`${one} ${two}`);
    await dialog().getByRole("button", { name: "Activate" }).click();
    await page.getByRole("heading", { name: "Keep your recovery codes" }).waitFor();
    assert.equal(await page.locator(".recovery-codes li").count(), 10);
    await look("recovery codes");
    const download = page.waitForEvent("download");
    await dialog().getByRole("button", { name: "Download" }).click();
    assert.equal((await download).suggestedFilename(), "postrider-recovery-codes.txt");
    assert.ok(await dialog().getByRole("button", { name: "Done" }).isDisabled());
    await dialog().getByLabel("I have kept them").check();
    await dialog().getByRole("button", { name: "Done" }).click();
    await page.getByText("10 of 10 are left.").waitFor();
    await look("security");
  });

  test("a passkey is added, and signs in alone", async () => {
    await addDevice(page);
    await press(page, "Add a passkey");
    await page.getByRole("cell", { name: "Passkey", exact: true }).waitFor();
    await signOut();
    await press(page, "Sign in with a passkey");
    await page.waitForURL(`${dashboard.app.baseUrl}/`);
    const sessions = await dashboard.app.db.one<{ count: number }>(
      sql`select count(*) as count from sessions`,
    );
    assert.ok(sessions.count >= 2);
  });

  test("a password wants a second step: a passkey, or a code", async () => {
    await signOut();
    await givePassword();
    await look("the second step");
    await press(page, "Use a passkey");
    await page.waitForURL(`${dashboard.app.baseUrl}/`);
    await signOut();
    await givePassword();
    await page.getByLabel("Code", { exact: true }).fill("000000");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByText("The code is wrong, or was used already.").waitFor();
    await page.getByLabel("Code", { exact: true }).fill(code(new Date(), 1));
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.waitForURL(`${dashboard.app.baseUrl}/`);
  });

  test("what matters asks once more, in a dialog over the one that wants it, and then goes on", async () => {
    await dashboard.app.db.execute(sql`update sessions set confirmed_at = null`);
    await go("/api-keys");
    await press(page, "New key");
    await dialog().getByLabel("Name").fill("Shop");
    await dialog().getByLabel("account:read").check();
    await dialog().getByRole("button", { name: "Make the key" }).click();
    const asked = page.getByRole("dialog", { name: "Confirm that it is you" });
    await asked.waitFor();
    await look("confirming");
    await page.keyboard.press("Escape");
    await asked.waitFor();
    const asksForPassword = await asked.getByLabel("Password", { exact: true }).count();
    assert.equal(asksForPassword, 0, "somebody who has a factor isn't asked for the password");
    await asked.getByLabel("Code", { exact: true }).fill("000000");
    await asked.getByRole("button", { name: "Confirm" }).click();
    await asked.getByText("The code is wrong, or was used already.").waitFor();
    await dashboard.app.db.execute(sql`update factors set last_step = 0 where kind = 'totp'`);
    await asked.getByLabel("Code", { exact: true }).fill(code(new Date()));
    await asked.getByRole("button", { name: "Confirm" }).click();
    await page.getByRole("heading", { name: "“Shop” is ready" }).waitFor();
    await dialog().getByRole("checkbox").check();
    await dialog().getByRole("button", { name: "Done" }).click();
  });

  test("an account that wants a second factor leads whoever has none to this page, and says why", async () => {
    await go("/settings/security");
    await page.getByLabel("Everybody here needs a second factor").check();
    await page.getByRole("button", { name: "Save" }).click();
    await until(async () => {
      const { count } = await dashboard.app.db.one<{ count: number }>(
        sql`select count(*) as count from accounts where require_two_factor`,
      );
      return count === 1;
    });
    const { email } = await addPerson(dashboard.app, "member@example.com", "admin");
    const member = (await dashboard.open("/sign-in")).page;
    await member.getByLabel("E-mail address").fill(email);
    await member.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await member.getByRole("button", { name: "Sign in", exact: true }).click();
    await member.waitForURL("**/settings/security");
    await member.getByText("wants its people to have a second factor, and you have none yet").waitFor();
    await press(member, "Add an app");
    const secret = (await member.locator(".secret .mono").innerText()).trim();
    const adding = member.getByRole("dialog").last();
    await adding.getByLabel("Code", { exact: true }).fill(appWith(secret)(new Date()));
    await adding.getByRole("button", { name: "Activate" }).click();
    await member.getByRole("heading", { name: "Keep your recovery codes" }).waitFor();
    await member.getByText("and you have none yet").waitFor({ state: "detached" });
    await member.goto(`${dashboard.app.baseUrl}/subscribers`);
    await member.getByRole("heading", { level: 1, name: "Subscribers" }).waitFor();
    await member.close();
  });

  test("a factor is removed after a question, by a confirmation with a passkey", async () => {
    await dashboard.app.db.execute(sql`update sessions set confirmed_at = null`);
    await go("/settings/security");
    await press(page, "More for Authenticator app");
    await page.getByRole("menuitem", { name: "Remove" }).click();
    await dialog().getByRole("button", { name: "Remove" }).click();
    const asked = page.getByRole("dialog", { name: "Confirm that it is you" });
    await asked.getByRole("button", { name: "Use a passkey" }).click();
    await noDialog();
    await page.getByRole("cell", { name: "Authenticator app" }).first().waitFor({ state: "detached" });
    const left = await dashboard.app.db.many<{ kind: string }>(sql`
      select kind from factors join people on people.id = person_id where email_key = ${OWNER}`);
    assert.deepEqual(
      left.map(({ kind }) => kind),
      ["passkey"],
    );
    await finish(watched);
  });
});

/** Gives the browser a device that holds passkeys and says of everybody that it is them. */
async function addDevice(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    },
  });
}

/** Reads the QR code as a camera would, from what is on the screen. */
async function readQr(page: Page): Promise<string> {
  const { default: sharp } = await import("sharp");
  const shot = await page.locator(".qr-code").screenshot();
  const { data, info } = await sharp(shot)
    .resize(600)
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return decodeQR({ width: info.width, height: info.height, data: new Uint8ClampedArray(data) });
}
