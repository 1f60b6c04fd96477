import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { sql } from "../../src/platform/db/db.ts";
import { skipWithoutChromium, type WatchedPage } from "../support/browser.ts";
import { type Dashboard, finish, MOST_MS, OWNER, press, startDashboard } from "../support/dashboard.ts";
import { picture } from "../support/images.ts";
import { lookAt } from "../support/page-pictures.ts";
import { PASSWORD } from "../support/people.ts";
import { type Relay, relayUser, startRelay } from "../support/smtp/relay.ts";
import type { Json } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const MEMBER = "ben@example.com";

describe("the settings of the dashboard, in a browser", {
  skip: skipWithoutChromium,
  timeout: MOST_MS,
}, () => {
  let dashboard: Dashboard;
  let relay: Relay;
  let watched: WatchedPage;
  let page: Page;
  before(async () => {
    relay = await startRelay();
    dashboard = await startDashboard({ INTERNAL_HOSTS: "127.0.0.1" });
    watched = await dashboard.openAsOwner();
    page = watched.page;
  });
  after(async () => {
    await dashboard?.stop();
    await relay?.close();
  });

  const api: Dashboard["ask"] = (...asked) => dashboard.ask(...asked);
  const account = () => api("GET", "/v1/account");
  const go = (path: string) => page.goto(dashboard.app.baseUrl + path);
  const heading = (name: string) => page.getByRole("heading", { name, exact: true }).waitFor();
  const inDialog = (name: string) =>
    page.getByRole("dialog").getByRole("button", { name, exact: true }).click();
  /** A toast has the role of a dialog too, and stays for longer. */
  const closed = () => until(async () => (await page.locator(".dialog").count()) === 0);
  /** A toast goes by itself, and what it tells is asked of the API. */
  const saved = (isSo: (now: Json) => boolean) => until(async () => isSo(await account()));

  test("a logo is dropped, a colour is chosen and told in words, and both are on the public pages", async () => {
    await go("/settings/branding");
    await page.getByText("Without a colour, buttons are dark").waitFor();
    await page.getByLabel("Colour (optional)").fill("#1F3A5F");
    await page.getByText(/In light it stays as it is: words on it have a contrast of 1\d\.\d to 1/).waitFor();
    const bytes = (await picture("png", 120, 40)).toString("base64");
    const dropped = await page.evaluateHandle(`(() => {
      const bytes = Uint8Array.from(atob("${bytes}"), (one) => one.charCodeAt(0));
      const data = new DataTransfer();
      data.items.add(new File([bytes], "logo.png", { type: "image/png" }));
      return data;
    })()`);
    await page.getByRole("group", { name: "Logo" }).last().dispatchEvent("drop", { dataTransfer: dropped });
    await page.getByRole("button", { name: "Remove the logo" }).waitFor();
    await page.getByText("Unsaved changes").waitFor();
    assert.equal((await account())["branding"].logo_file_id, null, "nothing is shown before it is saved");
    await press(page, "Save");
    await saved(({ branding }) => branding.colour === "#1f3a5f" && branding.logo_file_id !== null);
    const { branding } = await account();
    const shown = await dashboard.app.api("GET", `/files/${branding.logo_file_id}`, { key: null });
    assert.equal(shown.headers.get("content-type"), "image/png");

    await page.locator('input[type="file"]').setInputFiles({
      name: "no-image.png",
      mimeType: "image/png",
      buffer: Buffer.from("words"),
    });
    await page.getByText("The file is no PNG, JPEG, GIF or WebP.").waitFor();
    await press(page, "Remove the logo");
    await press(page, "Save");
    await saved((now) => now["branding"].logo_file_id === null);
    assert.equal((await account())["branding"].colour, "#1f3a5f");
  });

  test("tracking is chosen, and what others changed elsewhere meanwhile stays", async () => {
    await go("/settings/tracking");
    await page.getByText("Nobody has chosen yet.").waitFor();
    await page.getByLabel(/^Only of those who agreed/).check();
    await api("PATCH", "/v1/account", { from_name: "Somebody else" });
    await press(page, "Save");
    await saved(({ tracking }) => tracking === "consented");
    assert.equal((await account())["from_name"], "Somebody else");
  });

  test("two who change the same setting are shown both versions, and choose", async () => {
    await go("/settings/guardrails");
    await page.getByText("With 10,000 mails out, the campaign pauses when 500 have bounced hard.").waitFor();
    await page.getByLabel("Pause at, percent").first().fill("8");
    await page.getByText("the campaign pauses when 800 have bounced hard").waitFor();
    await api("PATCH", "/v1/account", { guardrails: { hard_bounce_pause_rate: 0.07 } });
    await press(page, "Save");
    await heading("This was changed meanwhile");
    await page.getByRole("cell", { name: "0.08", exact: true }).waitFor();
    await page.getByRole("cell", { name: "0.07", exact: true }).waitFor();
    assert.equal((await account())["guardrails"].hard_bounce_pause_rate, 0.07);
    await inDialog("Keep mine");
    await saved(({ guardrails }) => guardrails.hard_bounce_pause_rate === 0.08);
    await closed();

    await page.getByLabel("Pause at, percent").first().fill("90");
    await press(page, "Save");
    await page.locator('[aria-invalid="true"]').first().waitFor();
    await press(page, "Restore the defaults");
    await inDialog("Restore the defaults");
    await saved(({ guardrails }) => guardrails.hard_bounce_pause_rate === 0.05);
    await press(page, "Release what holds now");
    await inDialog("Release what holds now");
    await saved(({ guardrails }) => guardrails.released_at !== null);
  });

  test("a server is added, its test says what is wrong, and after a new password it works", async () => {
    await go("/settings/transports");
    await page.getByText("Nothing leaves this machine: campaigns go into the sandbox").waitFor();
    await press(page, "Add a server");
    await heading("Add a server");
    await page.getByLabel("Name", { exact: true }).fill("Our relay");
    await page.getByLabel("Host").fill("127.0.0.1");
    await page.getByLabel("Port").fill(String(relay.port));
    await page.getByLabel("Check its certificate").uncheck();
    await page.getByLabel("User name").fill(relayUser.username);
    await press(page, "Add a server");
    await page.getByText(/^User name and password go together/).waitFor();
    await page.getByLabel(/^Password/).fill("a wrong one");
    await press(page, "Add a server");
    await heading("Our relay");
    const { data } = await api("GET", "/v1/transports");
    assert.deepEqual([data.length, data[0].has_password, data[0].streams], [1, true, []]);

    const panel = page.getByRole("region", { name: "Test" });
    await panel.getByRole("button", { name: "Test", exact: true }).click();
    await panel.getByText("Failed", { exact: true }).waitFor();
    await panel.getByText(/^535 /).waitFor();
    await panel.getByText(/refuses user name and password: enter them again/).waitFor();
    assert.equal((await api("GET", `/v1/transports/${data[0].id}`))["last_test"].phase, "auth");

    await page.getByLabel(/^Password/).fill(relayUser.password);
    await page.getByLabel("Campaigns").check();
    await page.getByLabel("Campaigns").press("Enter");
    await until(async () => (await api("GET", "/v1/sending"))["leaves_by"] === "transport");
    await page.getByText("Unsaved changes").waitFor({ state: "detached" });
    assert.equal(await page.getByLabel(/^Password/).inputValue(), "", "a saved password is shown no more");
    await panel.getByLabel("Send a mail to").fill("ada@example.com");
    await panel.getByRole("button", { name: /^Test/ }).click();
    await panel.getByText("Works", { exact: true }).waitFor();
    await panel.getByText("Mail taken", { exact: true }).waitFor();
    await panel.getByText(/took a mail to ada@example.com/).waitFor();
    assert.deepEqual(
      relay.received.map(({ to, secure }) => [to, secure]),
      [[["ada@example.com"], true]],
    );

    const warmUp = page.getByRole("region", { name: "Warm-up" });
    await warmUp.getByLabel("Growth a day").fill("2.5");
    await warmUp.getByRole("button", { name: "Begin the warm-up" }).click();
    await warmUp.getByLabel("Growth a day").fill("1.5");
    await warmUp.getByRole("button", { name: "Begin the warm-up" }).click();
    await warmUp.getByText("Nothing was sent by this plan yet.").waitFor();
    await warmUp.getByRole("button", { name: "Pause" }).click();
    await warmUp.getByText("Paused", { exact: true }).waitFor();
    await warmUp.getByRole("button", { name: "Resume" }).click();
    await warmUp.getByText("Running", { exact: true }).waitFor();
    const plan = await api("GET", `/v1/transports/${data[0].id}/warmup`);
    assert.deepEqual([plan["start_per_day"], plan["growth"], plan["target_per_day"]], [200, 1.5, 50_000]);
    await dashboard.app.db.execute(sql`
      insert into transport_days (account_id, transport_id, day, provider, allowed, reserved, drawn, hard, deferred, complained, plan_began_at)
      select p.account_id, p.transport_id, (p.began_at at time zone 'UTC')::date + nth, 'google', allowed, 0, drawn, hard, deferred, complained, p.began_at
      from warmup_plans p
      cross join (values (0, 200, 200, 1, 4, 0), (1, 300, 290, 9, 12, 0), (2, 300, 120, 0, 3, null))
        as d (nth, allowed, drawn, hard, deferred, complained)`);
    await page.reload();
    await warmUp
      .getByText("120 sent · 0 bounced hard (0%) · 3 put off (2.4%) · complaints not counted yet")
      .waitFor();
    await warmUp
      .getByText("It allowed 300: no step up, for 3.1% bounced hard; it has to be less than 2%.")
      .waitFor();
    await warmUp
      .getByText("The next day allows 300: no step up, for 120 were sent, and it takes 210 to judge by.")
      .waitFor();
    await lookAt(page, "warm-up");
    await warmUp.getByRole("button", { name: "End the warm-up" }).click();
    await inDialog("End the warm-up");
    await warmUp.getByRole("button", { name: "Begin the warm-up" }).waitFor();

    await press(page, "Delete the server");
    await inDialog("Delete the server");
    await heading("No server of your own");
    assert.equal((await api("GET", "/v1/sending"))["leaves_by"], "sandbox");
  });

  test("somebody is invited by a link that is shown once; the last owner stays one", async () => {
    await go("/settings/people");
    await page.getByText("You", { exact: true }).waitFor();
    await press(page, `More for ${OWNER}`);
    await page.getByRole("menuitem", { name: "Edit" }).click();
    await page.getByLabel("Role").selectOption("marketer");
    await inDialog("Save");
    await page.getByText(/This is the account's only owner/).waitFor();
    await inDialog("Cancel");

    const takeLink = async () => {
      await heading(`A link for ${MEMBER}`);
      const shown = page.getByRole("dialog", { name: `A link for ${MEMBER}` });
      const link = /http\S+#\S+/.exec(await shown.innerText())?.[0] ?? "";
      await page.getByLabel("I have passed it on").check();
      await inDialog("Done");
      await gone(`A link for ${MEMBER}`);
      assert.ok(!(await page.content()).includes(link), "it is nowhere on the page any more");
      return link;
    };
    const onInvitation = async (what: string) => {
      await press(page, `More for ${MEMBER}`);
      await page.getByRole("menuitem", { name: what }).click();
      await inDialog(what);
    };
    await press(page, "Invite somebody");
    await page.getByLabel("E-mail address").fill(MEMBER);
    await inDialog("Invite");
    const first = await takeLink();
    await heading("Invited");
    await onInvitation("Revoke");
    await page.getByText(`The invitation of ${MEMBER} was revoked`).waitFor();
    await page.getByRole("heading", { name: "Invited" }).waitFor({ state: "detached" });
    const revoked = await dashboard.open(first);
    await revoked.page.getByRole("heading", { name: "This link can't be used" }).waitFor();
    await finish(revoked);

    await press(page, "Invite somebody");
    await page.getByLabel("E-mail address").fill(MEMBER);
    await inDialog("Invite");
    await takeLink();
    await onInvitation("Send again");
    const link = await takeLink();

    const invited = await dashboard.open(link);
    await invited.page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await press(invited.page, "Open the dashboard");
    await invited.page.getByRole("link", { name: "Settings" }).click();
    await invited.page.getByRole("heading", { name: "Your profile" }).waitFor();
    for (const name of ["Account", "People", "Instance health"]) {
      assert.equal(await invited.page.getByRole("link", { name, exact: true }).count(), 0, name);
    }
    await invited.page.goto(`${dashboard.app.baseUrl}/settings/transports/new`);
    await invited.page.waitForURL("**/settings/profile");
    await invited.page.goto(`${dashboard.app.baseUrl}/api-keys`);
    await invited.page.waitForURL("**/settings/profile");
    await finish(invited);

    await page.reload();
    await press(page, `More for ${MEMBER}`);
    await page.getByRole("menuitem", { name: "Edit" }).click();
    await page.getByLabel("Role").selectOption("owner");
    await inDialog("Save");
    const users = async () => (await api("GET", "/v1/users"))["data"] as Json[];
    const roleOf = async (email: string) => (await users()).find((user) => user["email"] === email)?.["role"];
    await until(async () => (await roleOf(MEMBER)) === "owner");
    await closed();
    await press(page, `More for ${MEMBER}`);
    await page.getByRole("menuitem", { name: "Remove" }).click();
    await inDialog("Remove");
    await until(async () => (await users()).length === 1);
  });

  test("the health of the instance is what doctor says, and can be copied", async () => {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await go("/settings/health");
    await page.getByText(/^Checked \d\d:\d\d$/).waitFor();
    const { checks, report } = await api("GET", "/v1/instance/health");
    for (const { name } of checks) await page.getByText(name, { exact: true }).first().waitFor();
    // The database of the tests is one without fsync.
    const wrong = checks.find((one: Json) => one["name"] === "durability");
    await page.getByText(/things? (is|are) wrong/i).waitFor();
    await page.getByRole("listitem").filter({ hasText: wrong.finding }).getByText("Wrong").waitFor();
    await page.getByText(wrong.remedy, { exact: true }).waitFor();
    await press(page, "Copy as text");
    await page.getByText("Copied").waitFor();
    const copied = String(await page.evaluate("navigator.clipboard.readText()"));
    assert.match(copied, /^Postrider \d+\.\d+\.\d+, checked /);
    assert.match(copied, /^✗ durability /m);
    assert.match(report, /^✗ durability /m);
  });

  const name = () => page.getByLabel("Name", { exact: true });
  const gone = (title: string) => page.getByRole("heading", { name: title }).waitFor({ state: "detached" });

  test("settings that aren't saved are left only by saying so, and each part has a title of its own", async () => {
    await go("/settings/sender");
    await heading("Sender");
    assert.equal(await page.title(), "Sender · Settings · Postrider");
    await go("/settings/transports/new");
    await name().fill("Typed");
    await page.getByRole("link", { name: "Branding" }).click();
    await heading("Leave without saving?");
    await inDialog("Leave");
    await heading("Branding");
    await page.getByRole("link", { name: "Account", exact: true }).click();
    await name().fill("Typed");
    await page.getByRole("link", { name: "Lists", exact: true }).click();
    await heading("Leave without saving?");
    await inDialog("Stay here");
    assert.equal(await name().inputValue(), "Typed");
    const asked = page.waitForEvent("dialog");
    await page.evaluate("void setTimeout(() => location.reload())");
    const question = await asked;
    assert.equal(question.type(), "beforeunload");
    await question.dismiss();
    assert.equal(await name().inputValue(), "Typed");
    await press(page, "Discard");
    await page.getByRole("link", { name: "Lists", exact: true }).click();
    await heading("Lists");
  });

  test("what was typed in a dialog outlives Escape, a click beside it, the end of a session and a conflict", async () => {
    await go("/lists");
    await press(page, "New list");
    await page.keyboard.press("Escape");
    await closed();
    await press(page, "New list");
    await name().fill("Kept");
    await page.keyboard.press("Escape");
    await heading("Discard what you typed?");
    await inDialog("Keep typing");
    await gone("Discard what you typed?");
    await page.mouse.click(5, 5);
    await heading("Discard what you typed?");
    await page.keyboard.press("Escape");
    await gone("Discard what you typed?");
    assert.equal(await name().inputValue(), "Kept");

    await page.context().clearCookies();
    await inDialog("New list");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    assert.equal(await page.getByText(/Authorization: Bearer/).count(), 0, "the dialog says it");
    await inDialog("Sign in");
    await page.getByLabel("Password", { exact: true }).waitFor({ state: "detached" });
    await inDialog("New list");
    await closed();
    const lists = async () => (await api("GET", "/v1/lists"))["data"] as Json[];
    const made = (await lists()).find((list) => list["name"] === "Kept");
    assert.ok(made);

    await press(page, "More for Kept");
    await page.getByRole("menuitem", { name: "Edit" }).click();
    await name().fill("Mine");
    await api("PATCH", `/v1/lists/${made["id"]}`, { name: "Theirs" });
    await inDialog("Save");
    await heading("This was changed meanwhile");
    await page.keyboard.press("Escape");
    await gone("This was changed meanwhile");
    assert.equal(await name().inputValue(), "Mine");
    await inDialog("Save");
    await inDialog("Keep mine");
    await closed();
    assert.ok((await lists()).some((list) => list["name"] === "Mine"));
  });

  test("a key without a scope is told so at the scopes, and how to try a key is shown whole", async () => {
    await go("/api-keys");
    await press(page, "New key");
    await name().fill("Website");
    await inDialog("Make the key");
    await page.getByText("Tick what it may do.").waitFor();
    await page.getByLabel("subscribers:read").check();
    await inDialog("Make the key");
    await heading("“Website” is ready");
    const isCut = `(() => {
      const shown = document.querySelector(".dialog pre").getBoundingClientRect();
      return shown.right > document.querySelector(".dialog").getBoundingClientRect().right;
    })()`;
    assert.equal(await page.evaluate(isCut), false);
    await page.getByLabel("I have put it in a safe place").check();
    await inDialog("Done");
  });

  test("a list chooses its own tracking and its welcome, opens its archive, and nothing was amiss on the way", async () => {
    await go("/lists");
    const [list] = (await api("GET", "/v1/lists"))["data"];
    const welcome = { name: "Hello", subject: "Hello", html: "<p>Hello</p>" };
    const { id: templateId } = await api("POST", "/v1/templates", welcome);
    await api("POST", `/v1/templates/${templateId}/publish`);
    await press(page, `More for ${list.name}`);
    await page.getByRole("menuitem", { name: "Edit" }).click();
    await page.getByLabel("Opens and clicks").selectOption("off");
    await page.getByLabel("Welcome mail").selectOption({ label: "Hello" });
    await page.getByLabel(/^Address/).fill("Not A Slug");
    await inDialog("Save");
    await page.locator('[aria-invalid="true"]').first().waitFor();
    await page.getByLabel(/^Address/).fill("weekly");
    await inDialog("Save");
    await until(async () => (await api("GET", `/v1/lists/${list.id}`))["archive_slug"] === "weekly");
    const saved = await api("GET", `/v1/lists/${list.id}`);
    assert.deepEqual([saved["tracking"], saved["welcome_template_id"]], ["off", templateId]);
    await closed();
    await press(page, `More for ${list.name}`);
    await page.getByRole("menuitem", { name: "Edit" }).click();
    assert.equal(await page.getByLabel("Welcome mail").inputValue(), templateId);
    const address = await page.getByRole("link", { name: "Open the archive" }).getAttribute("href");
    const archive = await fetch(dashboard.app.baseUrl + address);
    assert.equal(archive.status, 200);
    await finish(watched);
  });
});
