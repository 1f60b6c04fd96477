import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { skipWithoutChromium } from "../support/browser.ts";
import { type Dashboard, finish, MOST_MS, press, startDashboard } from "../support/dashboard.ts";
import { until } from "../support/until.ts";

describe("topics, in a browser", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
  let dashboard: Dashboard;
  let watched: Awaited<ReturnType<Dashboard["openAsOwner"]>>;
  let page: Page;
  before(async () => {
    dashboard = await startDashboard();
    watched = await dashboard.openAsOwner();
    page = watched.page;
  });
  after(async () => {
    await dashboard?.stop();
  });

  const api: Dashboard["ask"] = (...asked) => dashboard.ask(...asked);
  const go = (path: string) => page.goto(dashboard.app.baseUrl + path);
  const heading = (name: string) => page.getByRole("heading", { name, exact: true }).waitFor();
  const inDialog = (name: string) =>
    page.getByRole("dialog").getByRole("button", { name, exact: true }).click();
  const topics = async () => (await api("GET", "/v1/topics")).data;

  test("an empty page teaches what topics are; one is made, changed and, once asked, deleted", async () => {
    await go("/topics");
    await heading("No topics yet");
    await press(page, "New topic");
    await inDialog("New topic");
    await page.locator('[aria-invalid="true"]').first().waitFor();
    await page.getByLabel("Name", { exact: true }).fill("New books");
    await page.getByLabel("Description").fill("What came in, every Friday.");
    await page.getByLabel("Only those who said yes").check();
    await inDialog("New topic");
    await page.getByText("The topic “New books” was saved").waitFor();
    const [made] = await topics();
    assert.deepEqual(
      [made.name, made.description, made.default],
      ["New books", "What came in, every Friday.", false],
    );
    await press(page, "More for New books");
    await page.getByRole("menuitem", { name: "Edit" }).click();
    await page.getByLabel("Everybody who hasn't left it").check();
    await page.getByLabel("Description").fill("");
    await inDialog("Save");
    await until(async () => (await topics())[0].default === true);
    assert.deepEqual([(await topics())[0].description, (await topics())[0].name], [null, "New books"]);
    await api("POST", "/v1/topics", { name: "Evenings" });
    await go("/topics");
    await press(page, "More for Evenings");
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await inDialog("Delete the topic");
    await page.getByText("The topic “Evenings” was deleted").waitFor();
    assert.deepEqual(
      (await topics()).map(({ name }: { name: string }) => name),
      ["New books"],
    );
  });

  test("a campaign gets its topic where its audience is chosen, and says so", async () => {
    const [{ id: listId }] = (await api("GET", "/v1/lists")).data;
    const people = ["gets", "left"].map((name) => ({ email: `${name}@example.com`, list_id: listId }));
    await api("POST", "/v1/subscribers/batch", { subscribers: people });
    const [{ id: topicId }] = await topics();
    const { data } = await api("GET", "/v1/subscribers/search?email=left@example.com");
    await api("PATCH", `/v1/subscribers/${data[0].id}/topics`, { topics: { [topicId]: false } });
    const campaign = { name: "Friday", list_id: listId, subject: "In this week", html: "<p>Books</p>" };
    const { id } = await api("POST", "/v1/campaigns", campaign);
    await go(`/campaigns/${id}/edit`);
    await page.getByText("Nobody is left out.").waitFor();
    await page.getByRole("button", { name: /^Topic/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: "New books" }).click();
    await page.getByText("1 without the topic").waitFor();
    assert.equal((await api("GET", `/v1/campaigns/${id}`)).topic_id, topicId);
    await press(page, /Review and send/);
    const review = page.getByRole("dialog");
    await review.getByText("New books").waitFor();
    await review.getByText("without the topic").waitFor();
    await api("POST", `/v1/campaigns/${id}/send`);
    await until(async () => (await api("GET", `/v1/campaigns/${id}`)).status === "sent");
    await go(`/campaigns/${id}`);
    await page.getByText("about New books").waitFor();
    await finish(watched);
  });
});
