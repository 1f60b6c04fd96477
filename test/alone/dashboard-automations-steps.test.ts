/** What can be tried and set up at the steps of an automation: what happens on the way of a simulation, and the secret of webhook steps. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { skipWithoutChromium, type WatchedPage } from "../support/browser.ts";
import { type Dashboard, finish, MOST_MS, press, startDashboard } from "../support/dashboard.ts";
import { automationsOf } from "../support/dashboard-automations.ts";

const wait = (type: object, then: string, otherwise: string) => ({
  type: "wait_for",
  on: [type],
  timeout: "P7D",
  then,
  else: otherwise,
});

/** Waits for a tag, then for a field, then for an event with a property, and posts at the end. */
const DRAFT = {
  format: 1,
  start: "tag",
  entry: { on: [{ type: "list_joined" }] },
  nodes: {
    tag: wait({ type: "tag_added", tag: "vip" }, "field", "end"),
    field: wait({ type: "field_changed", field: "fields.city" }, "event", "end"),
    event: wait({ type: "event", name: "order.placed", where: { total: 40 } }, "reached", "end"),
    reached: { type: "goal", name: "All three happened", next: "hook" },
    hook: { type: "webhook", url: "https://example.com/hook", next: "end" },
    end: { type: "end" },
  },
};

describe("the steps of an automation", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
  let dashboard: Dashboard;
  let watched: WatchedPage;
  let page: Page;
  let automations: ReturnType<typeof automationsOf>;
  let id: string;
  before(async () => {
    dashboard = await startDashboard();
    let listId = (await dashboard.ask("GET", "/v1/lists")).data[0]?.id;
    listId ??= (await dashboard.ask("POST", "/v1/lists", { name: "Letter readers" })).id;
    await dashboard.ask("POST", "/v1/fields", { key: "city", name: "City", type: "text" });
    watched = await dashboard.openAsOwner("/automations");
    page = watched.page;
    automations = automationsOf(dashboard, watched, listId);
    id = await automations.made(DRAFT);
  });
  after(async () => {
    await dashboard?.stop();
  });

  const drawer = () => page.getByRole("dialog", { name: "Try with a subscriber" });
  const part = (at: number) => drawer().locator(".draft-part:has(> .stack)").nth(at);
  const add = async (at: number, type: string) => {
    await drawer().getByRole("button", { name: "Add something that happens" }).click();
    await part(at).getByLabel("What", { exact: true }).selectOption({ label: type });
  };

  test("a tag, a field and an event with a property lead somebody on when it is tried", async () => {
    await automations.go(`/automations/${id}?view=outline&try=true`);
    await drawer().getByLabel("Enters at").fill("2026-11-20T09:00");
    await add(0, "Gets a tag");
    await press(page, "Show the way");
    await part(0).getByText("Say when.").waitFor();
    await part(0).getByLabel("At", { exact: true }).fill("2026-11-20T10:00");
    await press(page, "Show the way");
    await part(0).getByText("Must be given").waitFor();
    await part(0).getByLabel("Tag", { exact: true }).fill("VIP");
    await add(1, "A field changes");
    await part(1).getByLabel("At", { exact: true }).fill("2026-11-20T11:00");
    await part(1).getByLabel("Field", { exact: true }).selectOption({ label: "City" });
    await part(1).getByLabel("Value", { exact: true }).fill("Leeds");
    await add(2, "Your program reports an event");
    await part(2).getByLabel("At", { exact: true }).fill("2026-11-20T12:00");
    await part(2).getByLabel("Name of the event").fill("order.placed");
    await part(2).getByRole("button", { name: "Add a property" }).click();
    await part(2).getByLabel("Property", { exact: true }).fill("total");
    await part(2).getByLabel("Kind of value").selectOption({ label: "number" });
    await part(2).getByLabel("Value", { exact: true }).fill("41");
    await press(page, "Show the way");
    await drawer()
      .getByText(/^Through all steps/)
      .waitFor();
    assert.equal(await drawer().getByText("All three happened").count(), 0);
    await part(2).getByLabel("Value", { exact: true }).fill("40");
    await press(page, "Show it again");
    await drawer().getByText("All three happened").waitFor();
    await automations.looks("happenings");
    await page.keyboard.press("Escape");
  });

  test("the secret of webhook steps is made, shown once, and replaced", async () => {
    await automations.go(`/automations/${id}?view=outline&open=step:hook`);
    const step = page.locator(".step-panel");
    await step.getByText("isn't signed").waitFor();
    await automations.looks("webhook-unsigned");
    await step.getByRole("button", { name: "Make a secret" }).click();
    const shown = page.getByRole("dialog", { name: "The secret of the automation" });
    const secret = await shown.getByText(/^whsec_/).textContent();
    assert.match(String(secret), /^whsec_.{20,}/);
    await automations.looks("webhook-secret", ["dark"], [360]);
    await shown.getByLabel("I have kept it").check();
    await shown.getByRole("button", { name: "Done" }).click();
    await step.getByText("is signed with its secret").waitFor();
    await automations.looks("webhook-signed", ["light"], [1_280, 360]);
    await step.getByRole("button", { name: "New secret" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "New secret" }).click();
    await shown.getByText(/^whsec_/).waitFor();
    assert.notEqual(await shown.getByText(/^whsec_/).textContent(), secret);
    await shown.getByLabel("I have kept it").check();
    await shown.getByRole("button", { name: "Done" }).click();
    await step.getByText("The former secret works until").waitFor();
    assert.ok((await automations.read(id)).webhook_signing.previous_until);
    await finish(watched);
  });
});
