/** Automations in the dashboard: begun, written as an outline by keys alone, mended, tried, and edited by two at once. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { systemClock } from "../../src/platform/clock.ts";
import { sql } from "../../src/platform/db/db.ts";
import { newId } from "../../src/platform/ids.ts";
import { skipWithoutChromium, type WatchedPage } from "../support/browser.ts";
import {
  assertAccessible,
  type Dashboard,
  finish,
  MOST_MS,
  press,
  startDashboard,
} from "../support/dashboard.ts";
import { uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const DAY_MS = 24 * 3_600_000;

const HOSTILE = `"><img src=x onerror="globalThis.wasRun=1"><script>globalThis.wasRun=1</script>`;
const STARTS = ["Welcome", "Birthday", "Anniversary", "Abandoned cart", "After a purchase", "Trial ending"];

describe("the automations", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
  let dashboard: Dashboard;
  let watched: WatchedPage;
  let page: Page;
  let listId: string;
  before(async () => {
    dashboard = await startDashboard();
    listId = (await dashboard.ask("GET", "/v1/lists")).data[0]?.id;
    listId ??= (await dashboard.ask("POST", "/v1/lists", { name: "Letter readers" })).id;
    watched = await dashboard.openAsOwner("/automations");
    page = watched.page;
    await page.addInitScript(
      'localStorage.setItem("postrider.preferences", JSON.stringify({ automationView: "outline" }))',
    );
  });
  after(async () => {
    await dashboard?.stop();
  });

  const automation = (id: string) => dashboard.ask("GET", `/v1/automations/${id}`);
  const idNow = () => /aut_[a-z0-9]+/.exec(page.url())?.[0] as string;
  const made = async (draft: object, name = "Steps"): Promise<string> =>
    (await dashboard.ask("POST", "/v1/automations", { name, list_id: listId, draft })).id;
  const open = async (id: string, search = "") => {
    await page.goto(`${dashboard.app.baseUrl}/automations/${id}${search}`);
    await page.getByRole("button", { name: /^Who enters/ }).waitFor();
  };
  const step = (name: string | RegExp) => page.locator(".step-head").filter({ hasText: name });
  const isSaved = (id: string, wanted: (found: Awaited<ReturnType<typeof automation>>) => boolean) =>
    until(async () => wanted(await automation(id)));
  const mail = (next: string) => ({ type: "email", subject: "Hello", html: "<p>Hello</p>", next });
  const SMALL = {
    format: 1,
    start: "hello",
    entry: { on: [{ type: "list_joined" }] },
    nodes: {
      hello: mail("pause"),
      pause: { type: "wait", for: "P2D", next: "end" },
      end: { type: "end" },
    },
  };
  const looks = async (
    name: string,
    schemes: readonly ("light" | "dark")[] = ["light", "dark"],
    widths: readonly number[] = [1_280, 360],
  ) => {
    for (const colorScheme of schemes) {
      for (const width of widths) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 900 });
        await picture(`${name}-${colorScheme}-${width}`);
        await assertAccessible(page, `${name}, ${colorScheme}, ${width}`);
      }
    }
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize({ width: 1_280, height: 900 });
  };
  const picture = async (name: string) => {
    const folder = process.env["PICTURES"];
    if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
  };

  test("an account without one is offered some to begin with, each of them without a fault", async () => {
    await page.getByRole("heading", { name: "No automation yet" }).waitFor();
    await looks("empty");
    for (const name of STARTS) {
      await page.goto(`${dashboard.app.baseUrl}/automations`);
      await press(page, "New automation");
      await page.getByLabel("Begin with").selectOption({ label: name });
      if (name === "Birthday") await looks("new", ["light"], [360]);
      await press(page, "Make the draft");
      await page.getByRole("heading", { level: 1, name }).waitFor();
      await page.getByText("Nothing is wrong with the draft.").waitFor();
      assert.deepEqual((await automation(idNow())).faults, [], name);
      await page.waitForTimeout(100);
      await picture(`start-${name}`);
    }
    const keys = (await dashboard.ask("GET", "/v1/fields")).data.map((one: { key: string }) => one.key);
    assert.deepEqual(keys.toSorted(), ["birthday", "customer_since", "trial_ends_on"]);
    await page.goto(`${dashboard.app.baseUrl}/automations`);
    await page.getByRole("link", { name: "Trial ending" }).waitFor();
    await looks("list", ["light"], [360]);
  });

  test("steps are added, edited, moved and deleted by keys alone", async () => {
    const id = await made(SMALL);
    await open(id);
    await step("Hello").focus();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    assert.equal(
      await page.evaluate("document.activeElement.getAttribute('aria-label')"),
      "Add a step after “Hello”",
    );
    await page.keyboard.press("Enter");
    await page.getByRole("menu").waitFor();
    await page.keyboard.type("Goal");
    await page.keyboard.press("Enter");
    await page.getByLabel("Name of the goal").waitFor();
    await until(async () => (await page.evaluate("document.activeElement.className")) === "step-head");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.type("Came so far");
    await isSaved(id, ({ draft }) => draft.nodes.goal_1?.name === "Came so far");
    assert.equal((await automation(id)).draft.nodes.goal_1.next, "pause");
    await step("Came so far").focus();
    await page.keyboard.press("Alt+Shift+ArrowDown");
    await isSaved(id, ({ draft }) => draft.nodes.goal_1.next === "end");
    assert.match(String(await page.evaluate("document.activeElement.textContent")), /Came so far/);
    await page.keyboard.press("k");
    assert.match(String(await page.evaluate("document.activeElement.textContent")), /2 days/);
    await page.keyboard.press("j");
    await page.keyboard.press("Alt+Shift+Delete");
    await isSaved(id, ({ draft }) => !draft.nodes.goal_1);
    await page.keyboard.press("u");
    await isSaved(id, ({ draft }) => draft.nodes.goal_1?.name === "Came so far");
    const found = await automation(id);
    assert.deepEqual(
      [found.draft.nodes.hello.next, found.draft.nodes.pause.next, found.faults],
      ["pause", "goal_1", []],
    );
  });

  test("a branch has its ways under it, and what all come to below; a fault is said where it is, and mended", async () => {
    const id = await made(SMALL, "Ways");
    await open(id);
    await page.getByRole("button", { name: "Add a step after “2 days”" }).click();
    await page.getByRole("menuitem", { name: "Branch" }).click();
    await isSaved(id, ({ faults }) => faults.length > 0);
    await page.locator(".step-panel").getByText("Must be a rule.").waitFor();
    await step("1 rule").click();
    await page.locator(".step-faults").getByText("Must be a rule.").waitFor();
    await page
      .getByRole("region", { name: "To mend before it can start" })
      .getByRole("button", { name: /Must be a rule/ })
      .click();
    await looks("failing");
    await press(page, "Add a rule");
    await page
      .locator(".rule")
      .getByRole("combobox", { name: "Tag" })
      .or(page.locator(".rule input[data-control]"))
      .first()
      .fill("vip");
    await page.getByText("Nothing is wrong with the draft.").waitFor();
    await page.getByRole("button", { name: /Add a step under “Who has the tag .*vip/ }).click();
    await page.getByRole("menuitem", { name: "Tags" }).click();
    await page.getByLabel("Add a value").first().fill("greeted");
    await page.keyboard.press("Enter");
    await isSaved(
      id,
      ({ draft, faults }) => draft.nodes.tag_1?.add?.[0] === "greeted" && faults.length === 0,
    );
    const { nodes } = (await automation(id)).draft;
    assert.deepEqual(
      [nodes.pause.next, nodes.branch_1.ways[0].next, nodes.branch_1.else, nodes.tag_1.next],
      ["branch_1", "tag_1", "end", "end"],
    );
    await looks("branch");
    await page.getByRole("button", { name: /^Who enters/ }).click();
    await looks("entry", ["light"], [360]);
    await page.getByRole("button", { name: /^Who leaves early/ }).click();
    await press(page, "Add a reason to leave");
    await page.getByLabel("Name of the event").fill("order.placed");
    await isSaved(
      id,
      ({ draft, faults }) => draft.exit?.[0]?.event === "order.placed" && faults.length === 0,
    );
    await page.getByLabel("Leaves when").selectOption({ label: "they click in a mail" });
    await isSaved(
      id,
      ({ draft, faults }) =>
        draft.exit?.[0]?.on?.type === "email_clicked" &&
        draft.exit[0].event === undefined &&
        faults.length === 0,
    );
    await page.getByText(/^Goal: Clicks in/).waitFor();
    await page.getByRole("button", { name: /^When mail may leave/ }).click();
    await page.getByLabel("Only between two hours").check();
    await isSaved(id, ({ draft }) => draft.send?.window?.from === "08:00");
    await looks("send", ["light"], [360]);
  });

  test("the mail of a step is written in the composer's panes", async () => {
    const id = await made(SMALL, "Mail");
    await open(id, "?open=step:hello");
    await page.getByRole("link", { name: "Write the mail" }).click();
    // The panel that it leads away from has a subject, too.
    await page.getByRole("link", { name: "Back to the steps" }).waitFor();
    const subject = page.getByRole("textbox", { name: "Subject", exact: true });
    await subject.click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type(" again");
    const code = page.getByRole("textbox", { name: "Content, as HTML" });
    await code.click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("<p>More</p>");
    await isSaved(
      id,
      ({ draft: { nodes } }) => nodes.hello.subject === "Hello again" && nodes.hello.html.includes("More"),
    );
    await looks("mail");
    await page.getByRole("link", { name: "Back to the steps" }).click();
    await step("Hello again").waitFor();
    assert.deepEqual((await automation(id)).faults, []);
  });

  test("a made-up person's way is shown with times and reasons, and nothing is changed", async () => {
    const id = await made(
      {
        ...SMALL,
        exit: [{ event: "order.placed", as: "goal" }],
        nodes: {
          ...SMALL.nodes,
          pause: { type: "wait", for: "P2D", next: "ask" },
          ask: {
            type: "branch",
            ways: [{ if: { field: "tag", op: "has", value: "vip" }, next: "gift" }],
            else: "end",
          },
          gift: { type: "tag", add: ["gift"], next: "end" },
        },
      },
      "Try",
    );
    await open(id);
    await press(page, "Try with a subscriber");
    const drawer = page.getByRole("dialog", { name: "Try with a subscriber" });
    await drawer.getByLabel("Add a value").fill("vip");
    await page.keyboard.press("Enter");
    await drawer.getByLabel("Enters at").fill("2026-11-20T09:00");
    await drawer.getByRole("button", { name: "Show the way" }).click();
    await drawer.getByText(/Goes on: Who has the tag .*vip/).waitFor();
    await drawer.getByText("Add gift").waitFor();
    await drawer.getByText(/^Through all steps at/).waitFor();
    await looks("simulated");
    await drawer.getByRole("button", { name: "Add something that happens" }).click();
    await drawer.getByLabel("Name of the event").fill("order.placed");
    await drawer.getByLabel("At", { exact: true }).fill("2026-11-21T09:00");
    await drawer.getByRole("button", { name: "Show it again" }).click();
    await drawer.getByText(/^Reached a goal at/).waitFor();
    await page.keyboard.press("Escape");
    assert.equal((await dashboard.ask("GET", "/v1/subscribers")).data.length, 0);
  });

  test("a draft with faults isn't tried, and says why", async () => {
    const id = await made({ ...SMALL, nodes: { ...SMALL.nodes, hello: { type: "email", next: "pause" } } });
    await open(id, "?try=true");
    await press(page, "Show the way");
    await page
      .getByText("The draft has faults. Mend them first; they are listed beside the steps.")
      .waitFor();
    await page.keyboard.press("Escape");
  });

  test("what two people changed is a choice, and a deleted one says so", async () => {
    const id = await made(SMALL, "Shared");
    await open(id, "?open=step:hello");
    await dashboard.app.api("PATCH", `/v1/automations/${id}`, {
      body: {
        draft: { ...SMALL, nodes: { ...SMALL.nodes, hello: { ...mail("pause"), subject: "Theirs" } } },
      },
    });
    await page.getByLabel("Subject").fill("Mine");
    await page.getByRole("button", { name: "Keep mine" }).click();
    await isSaved(id, ({ draft }) => draft.nodes.hello.subject === "Mine");
    await press(page, /^More for/);
    await page.getByRole("menuitem", { name: "Delete" }).first().click();
    await press(page, "Delete the automation");
    await page.getByText("“Shared” is deleted").waitFor();
    assert.equal((await dashboard.app.api("GET", `/v1/automations/${id}`)).status, 404);
  });

  /** Puts somebody onto a step, as if they had come to it yesterday. */
  const put = async (id: string, node: string, dueInMs: number) => {
    const { app } = dashboard;
    const person = { email: `${node}-${Math.abs(dueInMs)}@example.com`, list_id: listId };
    const subscriber = uuidOf("sub", (await dashboard.ask("POST", "/v1/subscribers", person)).id);
    const [account, automationId] = [uuidOf("acc", app.accountId), uuidOf("aut", id)];
    const yesterday = new Date(Date.now() - DAY_MS);
    await app.db.execute(sql`
      insert into automation_runs (account_id, automation_id, id, subscriber_id, version, node, entered_at, arrived_at, due_at)
      values (${account}, ${automationId}, ${newId(systemClock)}, ${subscriber}, 1, ${node}, ${yesterday}, ${yesterday},
        ${new Date(Date.now() + dueInMs)})`);
    for (const place of ["", node])
      await app.db.execute(sql`
        insert into automation_counts as known (account_id, automation_id, node, what, shard, count)
        values (${account}, ${automationId}, ${place}, 'entered', 0, 1)
        on conflict (account_id, automation_id, node, what, shard) do update set count = known.count + 1`);
  };

  test("it is started, changed while people are in it, paused, resumed with what is overdue, and ended", async () => {
    await dashboard.ask("PATCH", "/v1/account", { from_email: "news@example.com" });
    const id = await made(SMALL, "Life");
    await open(id, "?open=step:pause");
    await press(page, /^Start$/);
    await looks("start", ["light"], [360]);
    await press(page, "Start the automation");
    await page.locator(".head").getByText("Running").waitFor();
    assert.equal((await automation(id)).status, "live");
    await put(id, "pause", DAY_MS);
    await open(id, "?open=step:pause");
    await step(/2 days.*1 came · 1 here now/).waitFor();
    await page.locator(".head").getByText("1 person in it now").waitFor();
    await page.getByLabel("Unit").selectOption("hours");
    await page.getByText("your changes since aren't published").waitFor();
    await press(page, "Publish changes");
    await page.getByText("1 person is in it now.").waitFor();
    await page.getByText("1 becomes due now.").waitFor();
    await looks("publish");
    await press(page, "Publish version 2");
    await page.getByText("Version 2 is published").waitFor();
    await page.locator(".head").getByText("Version 2", { exact: true }).waitFor();
    await press(page, /^Pause$/);
    await page.locator(".head").getByText("Paused").waitFor();
    await put(id, "hello", -1_000);
    await press(page, /^Resume$/);
    await page.getByRole("dialog").getByText("1 person waits on “Hello”.").waitFor();
    await looks("resume", ["light"], [360]);
    await page.getByLabel("Leave those mails out").check();
    await page.getByRole("dialog").getByRole("button", { name: "Resume" }).click();
    await page.locator(".head").getByText("Running").waitFor();
    await press(page, /^More for Life/);
    await page.getByRole("menuitem", { name: "Cancel" }).click();
    await press(page, "Cancel the automation");
    await page.getByText("This automation is over.").waitFor();
    await looks("archived", ["light"], [360]);
    await page.goto(`${dashboard.app.baseUrl}/automations`);
    await page.getByRole("row", { name: /Life.*Archived/ }).waitFor();
  });

  test("names of strangers run nothing", async () => {
    await dashboard.ask("POST", "/v1/segments", {
      name: HOSTILE,
      rules: { field: "tag", op: "has", value: "x" },
    });
    const id = await made(
      {
        ...SMALL,
        entry: { on: [{ type: "tag_added", tag: HOSTILE.slice(0, 60) }] },
        nodes: {
          hello: { ...mail("pause"), title: HOSTILE.slice(0, 100), subject: HOSTILE },
          pause: {
            type: "branch",
            ways: [{ if: { field: "tag", op: "has", value: HOSTILE.slice(0, 60) }, next: "end" }],
            else: "end",
          },
          end: { type: HOSTILE },
          [HOSTILE]: { type: "goal", name: HOSTILE, next: HOSTILE },
        },
      },
      HOSTILE,
    );
    await open(id, "?open=step:hello");
    await page.getByRole("heading", { name: "Steps that nobody reaches" }).waitFor();
    await looks("hostile");
    await page.goto(`${dashboard.app.baseUrl}/automations`);
    await page.getByRole("link", { name: HOSTILE }).waitFor();
    assert.equal(await page.evaluate("globalThis.wasRun"), undefined);
    await finish(watched);
  });
});
