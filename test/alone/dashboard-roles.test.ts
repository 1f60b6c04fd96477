/** What each role sees of the dashboard, and how somebody of two accounts goes from one to the other. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import type { Role } from "../../src/accounts/accounts.ts";
import { skipWithoutChromium, type WatchedPage } from "../support/browser.ts";
import { type Dashboard, finish, MOST_MS, press, startDashboard } from "../support/dashboard.ts";
import { addPerson, joinAs, PASSWORD } from "../support/people.ts";

describe("roles and accounts in the dashboard, in a browser", {
  skip: skipWithoutChromium,
  timeout: MOST_MS,
}, () => {
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await startDashboard();
    const { id: list } = await dashboard.ask("POST", "/v1/lists", { name: "News" });
    const campaign = { name: "Spring", list_id: list, subject: "Spring", html: "<p>Spring</p>" };
    await dashboard.ask("POST", "/v1/campaigns", campaign);
    await dashboard.ask("POST", "/v1/templates", { name: "Receipt", subject: "Paid", html: "<p>Paid</p>" });
  });
  after(() => dashboard?.stop());

  /** Signs in, and notes every request that is refused for want of a scope. */
  async function openAs(email: string): Promise<{ watched: WatchedPage; refused: string[] }> {
    const watched = await dashboard.open("/sign-in");
    const refused: string[] = [];
    watched.page.on("response", (response) => {
      if (response.status() === 403) refused.push(`${response.request().method()} ${response.url()}`);
    });
    await watched.page.getByLabel("E-mail address").fill(email);
    await watched.page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await press(watched.page, "Sign in");
    await watched.page.waitForURL(`${dashboard.app.baseUrl}/`);
    return { watched, refused };
  }

  const placesOf = (page: Page) => page.getByRole("complementary").getByRole("link").allInnerTexts();

  const SEES: Readonly<Record<Exclude<Role, "owner" | "admin">, { places: string[]; not: string[] }>> = {
    marketer: { places: ["Subscribers", "Suppressions", "Webhooks"], not: ["API keys", "E-mails"] },
    writer: { places: ["Campaigns", "Templates", "Lists"], not: ["Subscribers", "Suppressions", "Forms"] },
    viewer: { places: ["Campaigns", "Templates", "Lists"], not: ["Subscribers", "Webhooks", "API keys"] },
  };
  const PAGES = [
    "/",
    "/campaigns",
    "/templates",
    "/lists",
    "/segments",
    "/topics",
    "/fields",
    "/inbox",
    "/events",
  ];

  for (const [role, { places, not }] of Object.entries(SEES)) {
    test(`a ${role} is shown what they may open, and nothing is asked for that is refused`, async () => {
      const { email } = await addPerson(dashboard.app, `${role}@example.com`, role as Role);
      const { watched, refused } = await openAs(email);
      const { page } = watched;
      for (const path of PAGES) {
        await page.goto(dashboard.app.baseUrl + path);
        await page.getByRole("heading", { level: 1 }).waitFor();
        await page.waitForLoadState("load");
      }
      const shown = (await placesOf(page)).map((text) => text.trim());
      for (const name of places) assert.ok(shown.includes(name), `${name} of ${shown.join()}`);
      for (const name of not) assert.ok(!shown.includes(name), `${name} of ${shown.join()}`);
      await page.goto(`${dashboard.app.baseUrl}/campaigns`);
      await page.getByText("Spring").first().waitFor();
      const create = page.getByRole("button", { name: "New campaign" });
      assert.equal(await create.count(), role === "viewer" ? 0 : 1);
      await page.goto(`${dashboard.app.baseUrl}/settings/people`);
      await page.waitForURL("**/settings/profile");
      assert.deepEqual(refused, []);
      await finish(watched);
    });
  }

  test("an admin invites up to admins, and has no owner to choose", async () => {
    const { email } = await addPerson(dashboard.app, "admin@example.com", "admin");
    const { watched } = await openAs(email);
    const { page } = watched;
    await page.goto(`${dashboard.app.baseUrl}/settings/people`);
    await press(page, "Invite somebody");
    const options = await page.getByLabel("Role").locator("option").allInnerTexts();
    assert.deepEqual(
      options.map((text) => text.split(":")[0]),
      ["Admin", "Marketer", "Writer", "Viewer"],
    );
    await page.getByLabel("E-mail address").fill("viewer2@example.com");
    await page.getByLabel("Role").selectOption("viewer");
    await page.getByRole("dialog").getByRole("button", { name: "Invite" }).click();
    await page.getByRole("heading", { name: "A link for viewer2@example.com" }).waitFor();
    await finish(watched);
  });

  test("an admin makes a key with no more than they may do, and rotates it", async () => {
    const { email } = await addPerson(dashboard.app, "keys@example.com", "admin");
    const { watched } = await openAs(email);
    const { page } = watched;
    await page.goto(`${dashboard.app.baseUrl}/api-keys`);
    await press(page, "New key");
    const dialog = page.getByRole("dialog");
    assert.equal(await dialog.getByLabel("everything").count(), 0);
    assert.equal(await dialog.getByLabel("instance:read").count(), 0);
    await dialog.getByLabel("Name").fill("Shop");
    await dialog.getByLabel("Only from these networks (optional)").fill("127.0.0.0/8");
    await dialog.getByLabel("account:read").check();
    await dialog.getByRole("button", { name: "Make the key" }).click();
    const readKey = async () => /pr_[0-9A-Za-z]{54}/.exec(await dialog.innerText())?.[0] ?? "";
    const keep = async () => {
      await dialog.getByLabel("I have put it in a safe place").check();
      await dialog.getByRole("button", { name: "Done" }).click();
    };
    await page.getByRole("heading", { name: "“Shop” is ready" }).waitFor();
    const first = await readKey();
    await keep();
    await page.getByText("127.0.0.0/8").waitFor();
    await press(page, "More for Shop");
    await page.getByRole("menuitem", { name: "Rotate" }).click();
    await dialog.getByLabel("The present secret works for").selectOption("no longer");
    await dialog.getByRole("button", { name: "Rotate" }).click();
    await page.getByRole("heading", { name: "“Shop” is ready" }).waitFor();
    const second = await readKey();
    await keep();
    const statusOf = async (key: string) => (await dashboard.app.api("GET", "/v1/account", { key })).status;
    assert.deepEqual([await statusOf(first), await statusOf(second)], [401, 200]);
    await finish(watched);
  });

  test("somebody sees where they are signed in, and ends all others", async () => {
    const person = await addPerson(dashboard.app, "sessions@example.com", "viewer");
    const { watched } = await openAs(person.email);
    const { page } = watched;
    await page.goto(`${dashboard.app.baseUrl}/settings/security`);
    await page.getByText("This one").waitFor();
    await press(page, "End all others");
    await page.getByRole("dialog").getByRole("button", { name: "End all others" }).click();
    await page.getByRole("button", { name: "End all others" }).waitFor({ state: "detached" });
    assert.equal((await person.browser.send("GET", "/v1/session")).status, 401);
    await finish(watched);
  });

  test("whoever belongs to one account has no choice, and of two goes from one to the other", async () => {
    const person = await addPerson(dashboard.app, "both@example.com", "owner");
    const { watched } = await openAs(person.email);
    const { page } = watched;
    await page.getByRole("complementary").getByText("My account").waitFor();
    assert.equal(await page.getByRole("button", { name: /^Account:/ }).count(), 0);
    const other = await dashboard.app.addAccount();
    await joinAs(dashboard.app, person, other.key, "viewer");
    await page.reload();
    await press(page, "Account: My account");
    await page.getByRole("menuitem", { name: "Another" }).click();
    await page.getByRole("button", { name: "Account: Another" }).waitFor();
    assert.equal(await page.getByRole("link", { name: "API keys" }).count(), 0);
    await page.goto(`${dashboard.app.baseUrl}/campaigns`);
    await page.getByRole("button", { name: "Account: Another" }).waitFor();
    assert.equal(await page.getByText("Spring").count(), 0, "the other account's campaign isn't here");
    const second = await page.context().newPage();
    await second.goto(dashboard.app.baseUrl);
    await second.getByRole("button", { name: "Account: Another" }).waitFor();
    await press(second, "Account: Another");
    await second.getByRole("menuitem", { name: "My account" }).click();
    await second.getByRole("button", { name: "Account: My account" }).waitFor();
    await page.reload();
    await page.getByRole("button", { name: "Account: Another" }).waitFor();
    await second.close();
    await finish(watched);
  });
});
