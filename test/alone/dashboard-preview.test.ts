/** What the composer shows of a mail while it is typed. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { skipWithoutChromium, type WatchedPage } from "../support/browser.ts";
import { type Dashboard, MOST_MS, press, startDashboard } from "../support/dashboard.ts";
import { until } from "../support/until.ts";

/** Each of these would change the title, or lead the frame away, if anything ran. */
const HOSTILE = `
  <script>parent.document.title = document.title = "ran"</script>
  <img src="x" onerror="top.document.title='ran'">
  <svg onload="top.document.title='ran'"></svg>
  <iframe srcdoc="<script>top.document.title='ran'</script>"></iframe>
  <a href="javascript:top.document.title='ran'">Run</a>
  <form action="/v1/session" method="post"><button>Send</button></form>
  <meta http-equiv="refresh" content="0;url=/inbox">
  <base href="https://evil.example/">`;

const story = (number: number) => `<p style="height: 300px">Story ${number}</p>`;
const HTML = `<html>
<head><style>@media (prefers-color-scheme: dark) { h1 { color: rgb(1, 2, 3) } }</style></head>
<body>
<h1>Dear {{ first_name | default: "reader" }}</h1>
<img src="https://pictures.example/cover.png">
${[1, 2, 3, 4, 5, 6, 7, 8].map(story).join("\n")}
<a href="https://books.example/winter">The catalogue</a>
${HOSTILE}
</body>
</html>`;

describe("the preview of a mail, in a browser", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
  let dashboard: Dashboard;
  let watched: WatchedPage;
  let page: Page;
  let path: string;
  before(async () => {
    dashboard = await startDashboard();
    watched = await dashboard.openAsOwner();
    page = watched.page;
    // The frame's colours follow from what stands around it, unless a test says otherwise for all of a page.
    await page.emulateMedia({ colorScheme: null });
    const [list] = (await api("GET", "/v1/lists")).data;
    for (const [email, first_name, last_name] of [
      ["priya@posteo.example", "Priya", "Nair"],
      ["bob@example.com", "Bob", "Marsh"],
    ])
      await api("POST", "/v1/subscribers", { email, list_id: list.id, first_name, last_name });
    const campaign = await api("POST", "/v1/campaigns", {
      name: "Winter",
      list_id: list.id,
      subject: "{{ first_name }}, before the doors open",
      preview_text: "212 books for {{ first_name }}",
      from_name: "Fernhill Books",
      from_email: "letters@fernhill.example",
      html: HTML,
    });
    path = `/campaigns/${campaign.id}/edit`;
  });
  after(async () => {
    await dashboard?.stop();
  });

  const api: Dashboard["ask"] = (...asked) => dashboard.ask(...asked);
  const mail = () => page.frameLocator(".mail-frames iframe.front");
  const shows = (text: string) => mail().getByText(text, { exact: true }).waitFor();
  const preview = () => page.getByRole("region", { name: "Preview", exact: true });
  const search = () => new URL(page.url()).searchParams;
  const type = async (before: string, text: string) => {
    await page.locator(".cm-line", { hasText: before }).click();
    await page.keyboard.press("Home");
    await page.keyboard.insertText(text);
  };

  test("a mail is shown as somebody made up gets it, and nothing in it runs", async () => {
    const asked: string[] = [];
    await page.context().route(/^https:/, (route) => {
      asked.push(route.request().url());
      return route.abort();
    });
    await page.goto(dashboard.app.baseUrl + path);
    await shows("Dear Ada");
    await preview().getByText("Ada, before the doors open").waitFor();
    await preview().getByText("Fernhill Books · to me").waitFor();
    await page.getByText("212 books for Ada").waitFor();
    const title = await page.title();
    await mail().getByText("Send", { exact: true }).click();
    await mail().getByText("Run", { exact: true }).click();
    await mail().getByText("The catalogue", { exact: true }).click();
    await shows("Dear Ada");
    assert.equal(await page.title(), title);
    assert.equal(page.context().pages().length, 1, "its links lead nowhere");
    assert.equal(asked.length, 0, "no server hears that it is looked at");
    const frames = page.locator(".mail-frames iframe");
    for (const frame of await frames.all()) assert.equal(await frame.getAttribute("sandbox"), "");
    await press(page, "Show pictures from other servers");
    await until(() => asked.includes("https://pictures.example/cover.png"));
    await page.context().unroute(/^https:/);
  });

  test("what is typed is shown before it is saved, at the place that changed", async () => {
    await page.goto(dashboard.app.baseUrl + path);
    await shows("Dear Ada");
    // The save waits until the preview has been seen.
    const seen = Promise.withResolvers<void>();
    await page.route("**/v1/campaigns/*", async (route) => {
      if (route.request().method() === "PATCH") await seen.promise;
      await route.continue();
    });
    const isSaved = page.waitForResponse((answer) => answer.request().method() === "PATCH");
    await type("Story 7", "<p>Typed for {{ first_name }}</p>");
    await shows("Typed for Ada");
    const [inside, outside] = await Promise.all([
      mail().getByText("Typed for Ada").boundingBox(),
      page.locator(".mail-frames").boundingBox(),
    ]);
    assert.ok(inside && outside, "both are on the page");
    assert.ok(inside.y >= outside.y && inside.y < outside.y + outside.height, "it is in sight");
    const { html } = await api("GET", `/v1${path.replace("/edit", "")}`);
    assert.doesNotMatch(html, /Typed for/);
    seen.resolve();
    await isSaved;
    await page.unroute("**/v1/campaigns/*");
  });

  test("a fault is told in its place, and what could be shown last stays", async () => {
    await page.goto(dashboard.app.baseUrl + path);
    await shows("Dear Ada");
    await type("Story 2", "{{ first_name | nonsense }}");
    const fault = preview().getByRole("status").filter({ hasText: "There is no filter named nonsense" });
    await fault.waitFor();
    await shows("Dear Ada");
    await fault.getByRole("button", { name: "Show" }).click();
    await page.keyboard.press("Shift+End");
    await page.keyboard.insertText("<p>Mended</p>");
    await shows("Mended");
    await fault.waitFor({ state: "detached" });
  });

  test("it is seen as somebody on the list, found by a part of the name", async () => {
    await press(page, /Seen as Somebody made up/);
    await page.getByRole("combobox", { name: "Address or name" }).fill("nair pri");
    await page.getByRole("option", { name: /Priya Nair/ }).waitFor();
    await until(async () => (await page.locator(".as-whom-pop").getByRole("option").count()) === 2);
    await page.keyboard.press("Enter");
    await shows("Dear Priya");
    await preview().getByText("Priya, before the doors open").waitFor();
    assert.match(search().get("as") ?? "", /sub_/);
    await press(page, /Seen as Priya Nair/);
    await page.getByRole("option", { name: "Somebody made up" }).click();
    await shows("Dear Ada");
  });

  test("phone, desktop, text and dark are in the address, and a key hides it", async () => {
    const colour = () =>
      mail()
        .locator("h1")
        .evaluate((one): string => Reflect.get(globalThis, "getComputedStyle")(one).color);
    const width = () => page.locator(".mail-frames iframe.front").evaluate((one) => one.clientWidth);
    assert.ok((await width()) <= 320);
    await press(page, "Desktop");
    await shows("Dear Ada");
    assert.equal(search().get("preview"), "desktop");
    assert.equal(await width(), 720);
    await press(page, "Dark");
    await until(async () => (await colour()) === "rgb(1, 2, 3)");
    await page.reload();
    await shows("Dear Ada");
    assert.equal(await width(), 720);
    await until(async () => (await colour()) === "rgb(1, 2, 3)");
    await preview().getByRole("button", { name: "Text" }).click();
    await preview().locator("pre").getByText("Story 8").waitFor();
    await page.keyboard.press("Control+\\");
    await preview().locator("pre").waitFor({ state: "detached" });
    await page.keyboard.press("Control+\\");
    await shows("Dear Ada");
  });

  test("the checks say what stands in the way, and lead to the place", async () => {
    const checks = page.getByRole("region", { name: "Checks" });
    await checks.getByText(/stops? a send$/).waitFor();
    await checks
      .getByText(/to (look at|mend)$/)
      .first()
      .waitFor();
    const picture = checks
      .getByRole("listitem")
      .filter({ hasText: /picture|image/i })
      .first();
    await picture.getByRole("button", { name: /^Show/ }).click();
    await page.keyboard.press("End");
    await page.keyboard.insertText("<p>Beside the picture</p>");
    await shows("Beside the picture");
    const typed = page.locator(".cm-line", { hasText: "Beside the picture" });
    assert.match((await typed.textContent()) ?? "", /<img src="https:\/\/pictures/);
    await watched.close();
  });
});
