import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { skipWithoutChromium } from "../support/browser.ts";
import { type Dashboard, finish, MOST_MS, OWNER, press, startDashboard } from "../support/dashboard.ts";
import { addPerson, PASSWORD } from "../support/people.ts";
import { until } from "../support/until.ts";

const TELEPHONE = { width: 360, height: 760 };

describe("setting up and signing in, in a browser", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await startDashboard();
  });
  after(() => dashboard?.stop());

  const sessionOf = (page: Page) =>
    page.evaluate<{ status: number; body: { user: { email: string; role: string } } }>(
      `fetch("/v1/session").then(async (answer) => ({ status: answer.status, body: await answer.json() }))`,
    );
  const password = (page: Page) => page.getByLabel("Password", { exact: true });

  test("/ leads a stranger to the sign-in", async () => {
    const watched = await dashboard.open("/");
    await watched.page.getByRole("heading", { name: "Sign in" }).waitFor();
    assert.equal(watched.page.url(), `${dashboard.app.baseUrl}/sign-in`);
    await finish(watched);
  });

  test("the owner sets a password by the link of the first start and is in the dashboard", async () => {
    const { app } = dashboard;
    const watched = await dashboard.open(app.setupLink);
    const { page } = watched;
    await page.getByRole("heading", { name: "Make this yours" }).waitFor();
    await page.getByLabel("What is it called?").fill("Fernhill <b>Books</b>");
    await password(page).fill("short");
    await press(page, "Open the dashboard");
    await page.getByText("Must have at least 10 characters.").waitFor();
    await page.getByText("Must not be empty.").waitFor();
    assert.equal(await page.getByLabel("E-mail address").getAttribute("aria-invalid"), "true");
    await page.getByLabel("E-mail address").fill("nobody");
    await password(page).fill(PASSWORD);
    await press(page, "Open the dashboard");
    await page.getByText("Must be an e-mail address.").waitFor();
    await page.getByLabel("E-mail address").fill(OWNER);
    await page.getByLabel("Your name").fill("Jane <b>Doe</b>");
    await page.getByLabel("Time zone").selectOption("Europe/London");
    await press(page, "Open the dashboard");
    await page.getByRole("heading", { name: /^Good \w+, Jane <b>Doe<\/b>$/, level: 1 }).waitFor();
    assert.equal(page.url(), `${app.baseUrl}/`, "the token is gone from the address");

    const session = await sessionOf(page);
    assert.deepEqual([session.body.user.email, session.body.user.role], [OWNER, "owner"]);
    const account = await app.api("GET", "/v1/account");
    assert.deepEqual([account.body.name, account.body.time_zone], ["Fernhill <b>Books</b>", "Europe/London"]);
    const [cookie, ...others] = await page.context().cookies();
    assert.deepEqual(others, []);
    assert.equal(cookie?.name, "__Host-postrider_session");
    assert.deepEqual([cookie?.httpOnly, cookie?.secure, cookie?.sameSite], [true, true, "Lax"]);
    assert.equal(await page.evaluate("document.cookie"), "", "no script can read it");
    await finish(watched);
  });

  test("a used link, a mistyped one and none at all say so", async () => {
    const { app } = dashboard;
    for (const [url, says] of [
      [app.setupLink, "used already"],
      [`${app.setupLink}x`, "mistyped"],
      [`${app.baseUrl}/setup`, "not complete"],
    ] as const) {
      const watched = await dashboard.open(url);
      await watched.page.getByRole("heading", { name: "This link can't be used" }).waitFor();
      assert.match(await watched.page.getByRole("main").innerText(), new RegExp(says));
      await finish(watched);
    }
  });

  test("whoever is signed in as somebody else signs out first, and then accepts", async () => {
    const { app } = dashboard;
    const { body } = await app.api("POST", "/v1/invitations", { body: { email: "amy@example.com" } });
    const other = await addPerson(app, "zoe@example.com");
    const watched = await dashboard.open(`${app.baseUrl}/sign-in`);
    const { page } = watched;
    await page.getByLabel("E-mail address").fill(other.email);
    await password(page).fill(PASSWORD);
    await press(page, "Sign in");
    await page.getByRole("heading", { name: "Recent campaigns" }).waitFor();
    await page.goto(body.link);
    await password(page).fill(PASSWORD);
    await press(page, "Open the dashboard");
    await page.getByText(/you are signed in as somebody else/i).waitFor();
    await press(page, "Sign out here");
    await page.getByText("Signed out; accept now").waitFor();
    await press(page, "Open the dashboard");
    await page.getByRole("heading", { name: "Recent campaigns" }).waitFor();
    assert.equal((await sessionOf(page)).body.user.email, "amy@example.com");
    await finish(watched);
  });

  test("an invited user sets a password, signs out, and is led back to where they were", async () => {
    const { app } = dashboard;
    const { body } = await app.api("POST", "/v1/invitations", { body: { email: "joe@example.com" } });
    const watched = await dashboard.open(body.link, "dark");
    const { page } = watched;
    await page.setViewportSize(TELEPHONE);
    await page.getByRole("heading", { name: "You are invited" }).waitFor();
    assert.equal(await page.getByLabel("E-mail address").inputValue(), "joe@example.com");
    assert.equal(await page.getByLabel("E-mail address").getAttribute("readonly"), "");
    await password(page).fill(PASSWORD);
    await press(page, "Show");
    await page.locator('input[type="text"][autocomplete="new-password"]').waitFor();
    await password(page).press("Enter");
    await page.getByRole("heading", { name: "Recent campaigns" }).waitFor();
    await press(page, "Menu");
    await page.getByRole("link", { name: "Events" }).waitFor();
    assert.equal(await page.getByRole("link", { name: "API keys" }).count(), 0, "a member isn't led there");
    await press(page, /joe@example.com/);
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.waitForURL(`${app.baseUrl}/sign-in`);
    assert.equal((await sessionOf(page)).status, 401);

    await page.goto(`${app.baseUrl}/lists?cursor=`);
    await page.getByLabel("E-mail address").fill("joe@example.com");
    await password(page).fill("a wrong password");
    await press(page, "Sign in");
    await page.getByText("The e-mail address or the password is wrong.").waitFor();
    assert.equal(await page.getByLabel("E-mail address").inputValue(), "joe@example.com", "nothing is lost");
    await password(page).fill(PASSWORD);
    await press(page, "Sign in");
    await page.getByRole("heading", { name: "Lists", level: 1 }).waitFor();
    assert.ok(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"));
    await finish(watched);
  });

  test("signing in leads to no other site", async () => {
    const { app } = dashboard;
    for (const from of ["//evil.example", "https://evil.example", "/\\evil.example"]) {
      const watched = await dashboard.open(`/sign-in?from=${encodeURIComponent(from)}`);
      const { page } = watched;
      await page.getByLabel("E-mail address").fill("joe@example.com");
      await password(page).fill(PASSWORD);
      await press(page, "Sign in");
      await page.getByRole("heading", { name: "Recent campaigns" }).waitFor();
      assert.equal(page.url(), `${app.baseUrl}/`);
      await finish(watched);
    }
  });

  test("one's own password is changed in the settings, and the old one no longer opens", async () => {
    const watched = await dashboard.open("/sign-in?from=/settings/profile");
    const { page } = watched;
    await page.getByLabel("E-mail address").fill("joe@example.com");
    await password(page).fill(PASSWORD);
    await press(page, "Sign in");
    await page.getByLabel("Present password").fill("a wrong password");
    await page.getByLabel("New password").fill("another good password");
    await press(page, "Change the password");
    await page.getByText("Is not the present password.").waitFor();
    await page.getByLabel("Present password").fill(PASSWORD);
    await press(page, "Change the password");
    await page.getByText("The password was changed").waitFor();
    const signIn = (given: string) =>
      dashboard.app.api("POST", "/v1/session", {
        key: null,
        body: { email: "joe@example.com", password: given },
      });
    assert.equal((await signIn(PASSWORD)).status, 401);
    assert.equal((await signIn("another good password")).status, 201);
    await finish(watched);
  });

  test("who has forgotten the password asks for a link by mail, and is told the same as a stranger", async () => {
    const { app } = dashboard;
    const watched = await dashboard.open("/sign-in");
    const { page } = watched;
    const askFor = async (email: string) => {
      await page.goto(`${app.baseUrl}/sign-in`);
      await page.getByRole("link", { name: "Forgotten your password?" }).click();
      await page.getByRole("heading", { name: "Choose a new password" }).waitFor();
      await page.getByLabel("E-mail address").fill(email);
      await press(page, "Mail me a link");
      await page.getByRole("heading", { name: "Look into your mail" }).waitFor();
      return (await page.getByRole("main").innerText()).replace(email, "…");
    };
    assert.equal(await askFor("stranger@example.com"), await askFor("joe@example.com"));
    let link = "";
    await until(async () => {
      const { body } = await app.api("GET", "/v1/sandbox/messages?to=joe@example.com");
      const mail = body.data.find(({ subject }: { subject: string }) => subject === "Choose a new password");
      const { text = "" } = mail ? (await app.api("GET", `/v1/sandbox/messages/${mail.id}`)).body : {};
      link = /http\S+\/setup#prl_\S+/.exec(text)?.[0] ?? "";
      return link !== "";
    });
    await page.goto(link);
    await page.getByText("Your sessions elsewhere will end.").waitFor();
    await password(page).fill("a third good password");
    await press(page, "Open the dashboard");
    await page.getByRole("heading", { name: "Recent campaigns" }).waitFor();
    await page.goto(`${app.baseUrl}/setup${new URL(link).hash}x`);
    await page.reload();
    await page.getByRole("heading", { name: "This link can't be used" }).waitFor();
    await page.getByRole("link", { name: "Mail me a link" }).click();
    await page.waitForURL(`${app.baseUrl}/forgotten-password`);
    await finish(watched);
  });

  test("neither a password nor a link has reached a log", () => {
    assert.ok(!/prl_|prs_|correct horse|example\.com/.test(dashboard.app.logs.join("")));
  });
});
