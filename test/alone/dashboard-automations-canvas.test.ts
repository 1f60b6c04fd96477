/** The canvas of an automation: drawn by itself, edited by pointer and keys, and with lines as wide as the people who took them. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { skipWithoutChromium, type WatchedPage } from "../support/browser.ts";
import { type Dashboard, finish, MOST_MS, press, startDashboard } from "../support/dashboard.ts";
import { automationsOf, WELCOME } from "../support/dashboard-automations.ts";

describe("the canvas of an automation", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
  let dashboard: Dashboard;
  let watched: WatchedPage;
  let page: Page;
  let automations: ReturnType<typeof automationsOf>;
  let listId: string;
  before(async () => {
    dashboard = await startDashboard();
    listId = (await dashboard.ask("GET", "/v1/lists")).data[0]?.id;
    listId ??= (await dashboard.ask("POST", "/v1/lists", { name: "Letter readers" })).id;
    watched = await dashboard.openAsOwner("/automations");
    page = watched.page;
    automations = automationsOf(dashboard, watched, listId);
    await dashboard.ask("PATCH", "/v1/account", { from_email: "news@example.com" });
  });
  after(async () => {
    await dashboard?.stop();
  });

  const card = (name: string | RegExp) => page.locator(".canvas-card .step-head").filter({ hasText: name });
  const focused = () => page.evaluate("document.activeElement.textContent").then(String);

  test("a wide window shows it drawn, a narrow one as an outline, and what is chosen is remembered", async () => {
    const id = await automations.made(WELCOME);
    await automations.go(`/automations/${id}`);
    await card("Welcome, reader").waitFor();
    await page.setViewportSize({ width: 800, height: 900 });
    await page.getByRole("button", { name: /^Who enters/ }).waitFor();
    assert.equal(await page.locator(".canvas-card").count(), 0);
    await page.setViewportSize({ width: 1_280, height: 900 });
    await card("Welcome, reader").waitFor();
    await press(page, "Outline");
    await page.getByRole("heading", { name: "Steps", exact: true }).waitFor();
    await automations.go(`/automations/${id}`);
    await page.getByRole("heading", { name: "Steps", exact: true }).waitFor();
    await press(page, "Canvas");
    await card("Welcome, reader").waitFor();
  });

  test("a step is selected, edited at the side, and another is put in on a line", async () => {
    const id = await automations.made(WELCOME, "Edited");
    await automations.go(`/automations/${id}`);
    await card("Was it something").click();
    const panel = page.getByRole("complementary", { name: "What is selected" });
    await panel.getByLabel("Subject").fill("Did we say too much?");
    await automations.isSaved(id, ({ draft }) => draft.nodes.why.subject === "Did we say too much?");
    await card("Did we say too much?").waitFor();
    await press(page, "Add a step after “Did we say too much?”");
    await page.getByRole("menuitem", { name: "Tags" }).click();
    await automations.isSaved(
      id,
      ({ draft }) => draft.nodes.why.next === "tag_1" && draft.nodes.tag_1.next === "end",
    );
    await panel.getByLabel("Add a value").first().fill("asked");
    await page.keyboard.press("Enter");
    await automations.isSaved(id, ({ faults }) => faults.length === 0);
    await press(page, /^Fit$/);
    await press(page, /^Add a step where the ways of .* meet/);
    await page.getByRole("menuitem", { name: "Wait", exact: true }).click();
    await automations.isSaved(
      id,
      ({ draft: { nodes } }) =>
        nodes.tag_1.next === "wait_1" && nodes.order.next === "wait_1" && nodes.wait_1.next === "end",
    );
    await automations.looks("canvas-edited");
  });

  test("keys alone go from card to card, open one, come back, and delete it", async () => {
    const id = await automations.made(WELCOME, "Keys");
    await automations.go(`/automations/${id}`);
    await card("Starts when somebody").focus();
    await page.keyboard.press("ArrowDown");
    assert.match(await focused(), /Welcome, reader/);
    for (const _ of [1, 2, 3]) await page.keyboard.press("ArrowDown");
    assert.match(await focused(), /Three we would lend you/);
    await page.keyboard.press("ArrowRight");
    assert.match(await focused(), /Was it something we wrote/);
    await page.keyboard.press("Enter");
    await page.waitForFunction("document.activeElement.tagName === 'H2'");
    await page.keyboard.press("Escape");
    await page.waitForFunction("document.activeElement.dataset.card === 'why'");
    await page.keyboard.press("Alt+Shift+Delete");
    await automations.isSaved(id, ({ draft }) => !draft.nodes.why && draft.nodes.ask.else === "end");
    await page.keyboard.press("u");
    await automations.isSaved(id, ({ draft }) => draft.nodes.why !== undefined);
    await page.keyboard.press("0");
    await page.keyboard.press("-");
  });

  test("lines are as wide as the people who took them, and cards say how many came, stand there and left", async () => {
    const id = await automations.made(WELCOME, "Peopled");
    await dashboard.ask("POST", `/v1/automations/${id}/start`);
    await automations.count(id, [
      ["", "entered", 12_440],
      ["", "completed", 11_000],
      ["", "exited:unsubscribed", 1_128],
      ["hello", "entered", 12_440],
      ["hello", "left:next", 12_402],
      ["hello", "exited:unsubscribed", 38],
      ["pause", "entered", 12_402],
      ["pause", "left:next", 12_050],
      ["pause", "exited:unsubscribed", 138],
      ["ask", "entered", 12_050],
      ["ask", "left:0", 7_961],
      ["ask", "left:else", 4_089],
      ["lend", "entered", 7_961],
      ["lend", "left:next", 7_930],
      ["order", "entered", 7_930],
      ["order", "left:next", 7_930],
      ["why", "entered", 4_089],
      ["why", "left:next", 4_068],
      ["end", "entered", 11_998],
      ["end", "completed", 11_998],
    ]);
    await automations.go(`/automations/${id}`);
    await page.locator(".canvas-card").filter({ hasText: "12,440 came" }).first().waitFor();
    await page.locator(".canvas-card").filter({ hasText: "214 here now" }).waitFor();
    await page.locator(".canvas-way").filter({ hasText: "7,961 · 66.1%" }).waitFor();
    const widths = await page
      .locator(".canvas-lines > path")
      .evaluateAll((paths) => paths.map((path) => Number(path.getAttribute("stroke-width"))));
    assert.equal(Math.max(...widths), 12);
    assert.ok(widths.some((one) => Math.abs(one - (12 * 7_961) / 12_440) < 0.01));
    assert.ok(widths.some((one) => Math.abs(one - (12 * 4_089) / 12_440) < 0.01));
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await automations.count(id, [
      ["", "entered", 60],
      ["hello", "entered", 60],
    ]);
    await page.locator(".canvas-card").filter({ hasText: "12,500 came" }).first().waitFor();
    assert.ok(!asked.some((url) => url.includes(`${id}/stats`)), "the stream said so, nobody asked");
    await card("Welcome, reader").click();
    await automations.looks("canvas-full", ["light", "dark"], [1_280, 1_000, 1_800, 360]);
  });

  test("a step says what became of its mails, a goal how many reached it, and a split how its ways compare", async () => {
    const id = await automations.made(
      {
        ...WELCOME,
        nodes: {
          ...WELCOME.nodes,
          pause: { type: "wait", for: "P3D", at: "09:00", next: "halves" },
          halves: {
            type: "split",
            ways: [
              { percent: 90, next: "lend" },
              { percent: 10, next: "order" },
            ],
          },
          ask: undefined,
          why: undefined,
        },
      },
      "Compared",
    );
    await dashboard.ask("POST", `/v1/automations/${id}/start`);
    await dashboard.ask("POST", "/v1/subscribers", { email: "compared@example.com", list_id: listId });
    await automations.mailed(id, "hello", { sent: 12_402, opened: 8_843, clicked: 2_828, left: 112 });
    await automations.count(id, [
      ["", "entered", 12_401],
      ["hello", "entered", 12_401],
      ["hello", "left:next", 12_401],
      ["pause", "entered", 12_401],
      ["pause", "left:next", 12_000],
      ["halves", "entered", 12_000],
      ["halves", "left:0", 10_800],
      ["halves", "left:1", 1_200],
      ["halves", "goal:0", 2_030],
      ["halves", "goal:1", 84],
      ["order", "entered", 2_114],
      ["order", "left:next", 2_114],
      ["order", "goal", 2_114],
      ["", "goal", 2_114],
    ]);
    await automations.go(`/automations/${id}?open=step:hello`);
    const panel = page.getByRole("complementary", { name: "What is selected" });
    await panel.getByText("71.3%").waitFor();
    const numbers = await panel.locator(".step-numbers").innerText();
    assert.match(numbers.replaceAll("\n", " "), /Sent 12,402 Delivered 12,402 Opened 8,843/);
    assert.match(numbers.replaceAll("\n", " "), /Bounced 0 Complained 0 Unsubscribed 112/);
    await automations.looks("stats-mail");
    await automations.go(`/automations/${id}?open=step:order`);
    await panel.getByText("2,114 of 12,402 who entered reached this goal: 17.0%.").waitFor();
    await page.locator(".canvas-card").filter({ hasText: "2,114 reached it" }).waitFor();
    await automations.go(`/automations/${id}?open=step:halves`);
    await panel.getByRole("row", { name: "90% of people 10,800 2,030 18.8%" }).waitFor();
    await panel.getByRole("row", { name: "10% of people 1,200 84 7.0%" }).waitFor();
    await automations.looks("stats-split");
    await press(page, "Outline");
    await page.getByText("10,800 · 90.0% · 18.8% of them reached a goal").waitFor();
    await press(page, "Canvas");
  });

  test("a draft with faults and circles is drawn, too, and an empty one can be begun", async () => {
    const id = await automations.made(
      {
        ...WELCOME,
        nodes: {
          hello: { type: "email", next: "pause" },
          pause: {
            type: "wait_for",
            on: [{ type: "event", name: "seen" }],
            timeout: "P1D",
            // biome-ignore lint/suspicious/noThenProperty: it is a way of the graph, and no promise
            then: "hello",
            else: "gone",
          },
          alone: { type: "goal", name: "Never", next: "alone" },
        },
      },
      "Failing",
    );
    await automations.go(`/automations/${id}`);
    await page.getByText("Steps that nobody reaches").waitFor();
    await page.getByText("Leads nowhere yet").first().waitFor();
    await automations.looks("canvas-failing");
    const empty = await automations.made({ format: 1, start: "", nodes: {} }, "Empty");
    await automations.go(`/automations/${empty}`);
    await press(page, "Add a step at the beginning");
    await page.getByRole("menuitem", { name: "End" }).click();
    await automations.isSaved(empty, ({ draft }) => draft.nodes[draft.start]?.type === "end");
    await automations.looks("canvas-empty", ["light"]);
    await finish(watched);
  });
});
