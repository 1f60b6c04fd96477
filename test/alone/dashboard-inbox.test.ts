import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { skipWithoutChromium, type WatchedPage } from "../support/browser.ts";
import { type Dashboard, MOST_MS, press, startDashboard } from "../support/dashboard.ts";
import { until } from "../support/until.ts";

/** What an author, or whoever writes in an author's name, may put into a mail. Each would change the title if it ran. */
const HOSTILE = `
  <script>parent.document.title = document.title = "ran"</script>
  <img src="x" onerror="top.document.title='ran'">
  <svg onload="top.document.title='ran'"></svg>
  <iframe srcdoc="<script>top.document.title='ran'</script>"></iframe>
  <form action="/v1/session" method="post"><button>Send</button></form>
  <meta http-equiv="refresh" content="0;url=javascript:top.document.title='ran'">`;

describe("the sandbox's inbox, in a browser", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
  let dashboard: Dashboard;
  let watched: WatchedPage;
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
  const heading = (name: string) => page.getByRole("heading", { name, exact: true }).waitFor();
  const mail = () => page.frameLocator('iframe[title="The mail as its reader sees it"]');

  test("an empty inbox teaches what comes there, and a mail that is sent appears by itself", async () => {
    await page.goto(`${dashboard.app.baseUrl}/inbox`);
    await heading("Nothing is here yet");
    const [list] = (await api("GET", "/v1/lists")).data;
    for (const email of ["ada@example.com", "bob@example.com"])
      await api("POST", "/v1/subscribers", { email, list_id: list.id, first_name: "Ada" });
    const campaign = await api("POST", "/v1/campaigns", {
      name: "Winter <b>catalogue</b>",
      list_id: list.id,
      subject: "Hello {{ first_name }}",
      html: `<html><head><style>@media (prefers-color-scheme: dark) { h1 { color: rgb(1, 2, 3) } }</style></head>
        <body><h1>Hello {{ first_name }}</h1><a href="https://books.example/winter">The catalogue</a>
        <img src="https://pictures.example/cover.png" alt="Cover">${HOSTILE}</body></html>`,
    });
    await dashboard.app.api("POST", `/v1/campaigns/${campaign.id}/send`);
    await page.getByRole("link", { name: /ada@example.com/ }).waitFor();
    await page.getByText("2 mails that would have left. The newest 5,000 are kept.").waitFor();
    await page.getByText("Winter <b>catalogue</b>").first().waitFor();
  });

  test("a mail is shown as its reader sees it, and nothing in it runs", async () => {
    const asked: string[] = [];
    // The frame's colours follow from what stands around it, unless a test says otherwise for all of a page.
    await page.emulateMedia({ colorScheme: null });
    await page.context().route(/^https:/, (route) => {
      asked.push(route.request().url());
      return route.abort();
    });
    await page.getByRole("link", { name: /ada@example.com/ }).click();
    await heading("Hello Ada");
    await mail().getByRole("heading", { name: "Hello Ada" }).waitFor();
    const color = () =>
      mail()
        .getByRole("heading", { name: "Hello Ada" })
        .evaluate((one): string => Reflect.get(globalThis, "getComputedStyle")(one).color);
    assert.notEqual(await color(), "rgb(1, 2, 3)");
    assert.equal(asked.length, 0, "no other server learns that somebody looks");
    await press(page, "As with dark colours");
    await until(async () => (await color().catch(() => "")) === "rgb(1, 2, 3)");
    await press(page, "As on a phone");
    await until(async () => ((await page.locator("iframe").boundingBox())?.width ?? 999) <= 375);
    await press(page, "Show pictures from elsewhere");
    await until(() => asked.length > 0);
    assert.deepEqual([...new Set<string>(asked)], ["https://pictures.example/cover.png"]);
    await page.context().unroute(/^https:/);
    assert.equal(await page.title(), "Sandbox inbox · Postrider", "nothing ran");
    assert.equal((await dashboard.app.api("GET", "/v1/account")).status, 200);
  });

  test("its links work, in a window of their own", async () => {
    await page.context().route("https://books.example/**", (route) => route.fulfill({ body: "The shop" }));
    const opened = page.waitForEvent("popup");
    await mail().getByRole("link", { name: "The catalogue" }).click();
    const shop = await opened;
    await shop.waitForURL(/books\.example\/winter/);
    await shop.close();
  });

  test("text, headers and source are shown; a reload shows the same; the file is the message", async () => {
    await press(page, "Text");
    await page.locator("pre", { hasText: "The catalogue" }).waitFor();
    await press(page, "Headers");
    await page.getByText("List-Unsubscribe-Post").waitFor();
    await press(page, "Raw");
    await page.getByText("Content-Type: multipart/alternative").waitFor();
    await page.reload();
    await page.getByText("Content-Type: multipart/alternative").waitFor();
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download the mail" }).click();
    assert.match((await download).suggestedFilename(), /^msg_\w+\.eml$/);
  });

  test("the page that a frame shows has a policy of its own, whoever opens it", async () => {
    const [message] = (await api("GET", "/v1/sandbox/messages?to=ada@example.com")).data;
    const shown = await dashboard.app.api("GET", `/v1/sandbox/messages/${message.id}/html`);
    assert.equal(shown.status, 200);
    const policy = shown.headers.get("content-security-policy") ?? "";
    assert.match(policy, /^sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none';/);
    assert.ok(!/allow-scripts|allow-same-origin|script-src/.test(policy));
    await page.goto(`${dashboard.app.baseUrl}/v1/sandbox/messages/${message.id}/html`);
    await page.getByRole("heading", { name: "Hello Ada" }).waitFor();
    assert.notEqual(await page.title(), "ran");
    const neighbour = await dashboard.app.addAccount();
    for (const path of ["", "/html", "/raw"]) {
      const refused = await dashboard.app.api("GET", `/v1/sandbox/messages/${message.id}${path}`, {
        key: neighbour.key,
      });
      assert.equal(refused.status, 404);
    }
  });

  test("an address is searched for, and the inbox empties itself on request", async () => {
    await page.goto(`${dashboard.app.baseUrl}/inbox`);
    await page.getByRole("link", { name: /bob@example.com/ }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("nobody@example.com");
    await page.keyboard.press("Enter");
    await heading("Nothing to this address");
    await press(page, "Clear the filter");
    await page.getByRole("link", { name: /bob@example.com/ }).waitFor();
    const other = await page.context().newPage();
    await other.goto(`${dashboard.app.baseUrl}/inbox`);
    await other.getByRole("link", { name: /bob@example.com/ }).click();
    await other.waitForURL(/message=/);
    await press(page, "Empty it");
    await page.getByRole("dialog").getByRole("button", { name: "Empty it" }).click();
    await heading("Nothing is here yet");
    assert.equal((await api("GET", "/v1/sandbox/messages?include_total=true")).total, 0);
    // The mail that is open elsewhere is gone there too.
    await other.waitForURL((url) => !url.search.includes("message"));
    await other.close();
  });
});
