/** What recipients and the world do, in a real browser, on the running service and with mail that was really sent. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import PostalMime from "postal-mime";
import sharp from "sharp";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { setArchive } from "../support/archive.ts";
import { fits, launchChromium, PATIENCE_MS, skipWithoutChromium, violations } from "../support/browser.ts";
import { act, makeCampaign, readCampaign } from "../support/campaigns.ts";
import { MOST_MS } from "../support/dashboard.ts";
import { uploadFile } from "../support/images.ts";
import { HOSTILE } from "../support/public-pages.ts";
import { addSubscriber, makeList, readSubscriber, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const SERVED = { opens: true, clicks: true, unsubscribe: true };
const PHONE = { width: 360, height: 720 };
const LOOKS = [
  { name: "light-360", colorScheme: "light", viewport: PHONE },
  { name: "dark-360", colorScheme: "dark", viewport: PHONE },
  { name: "light-wide", colorScheme: "light", viewport: { width: 1_280, height: 800 } },
  { name: "dark-wide", colorScheme: "dark", viewport: { width: 1_280, height: 800 } },
] as const;
const PEOPLE = [...LOOKS.map(({ name }) => name), "no-script"];

const REFUSED_FOR_SECONDS = 20;

const addressOf = (name: string) => `${name}@fernhill.example`;

describe("what recipients do, in a browser", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
  let app: TestApp;
  let browser: Browser;
  let listId: string;
  let campaignId: string;
  /** Of each recipient, by name: the addresses that their own mail carries. */
  const mails = new Map<string, { unsubscribe: string; view: string }>();

  before(async () => {
    app = await createApp({ served: SERVED });
    browser = await launchChromium();
    const drawn = `<svg xmlns="http://www.w3.org/2000/svg" width="360" height="96"><rect width="360" height="96" rx="14" fill="#1f3a5f"/><circle cx="56" cy="48" r="24" fill="#ffd9a0"/><rect x="100" y="36" width="210" height="24" rx="6" fill="#ffffff"/></svg>`;
    const logo = (await uploadFile(app, await sharp(Buffer.from(drawn)).png().toBuffer())).body;
    const account = await app.api("PATCH", "/v1/account", {
      body: {
        name: "Fernhill Books",
        postal_address: "14 Bondgate, Otley LS21 3AB",
        time_zone: "Europe/London",
        branding: { colour: "#1f3a5f", logo_file_id: logo.id },
      },
    });
    assert.equal(account.status, 200, account.text);
    await makeList(app, { name: "Poetry club", archive_slug: "poetry-club" });
    listId = await makeList(app, { name: "The weekly letter", archive_slug: "weekly-letter" });
    const events = await makeList(app, { name: "Events near you", public: true });
    for (const name of PEOPLE) {
      await addSubscriber(app, listId, addressOf(name), { first_name: "Priya" });
      await addSubscriber(app, events, addressOf(name));
    }
    campaignId = await send({
      subject: '{{ first_name | default: "Dear reader" }}, what we read in October',
      preview_text: "Novels for long evenings, and one about a lighthouse",
      html: `<!doctype html><html lang="en"><head><title>x</title><style>body{font:16px/1.5 Georgia,serif;color:#222;max-width:560px;margin:24px auto;padding:0 16px}</style></head>
<body><h1>Hello {{ first_name | default: "dear reader" }}</h1><img src="${logo.url}" alt="Fernhill Books" width="180" height="48">
<p>It rained, and we read. <a href="https://books.example/lighthouse?a=1&amp;b=2">The lighthouse</a> was best.</p>
<p><a href="{{ view_url }}">View in a browser</a> · <a href="{{ unsubscribe_url }}">Unsubscribe</a></p></body></html>`,
    });
    const rows = await app.db.many<{ envelope_to: string; raw: Buffer }>(
      sql`select envelope_to, raw from sandbox_messages where owner_id = ${uuidOf("cmp", campaignId)}`,
    );
    for (const { envelope_to, raw } of rows) {
      const { html = "" } = await PostalMime.parse(raw);
      const linkTo = (kind: string) => new RegExp(`href="([^"]*/${kind}/[^"]*)"`).exec(html)?.[1] ?? "";
      mails.set(envelope_to, { unsubscribe: linkTo("u"), view: linkTo("v") });
    }
    assert.equal(mails.size, PEOPLE.length);
  });
  after(async () => {
    await browser?.close();
    await app?.stop();
  });

  /** Sends a campaign to the list, publishes it, and waits until it has ended. */
  async function send(content: Record<string, unknown>): Promise<string> {
    const { id } = await makeCampaign(app, listId, content);
    assert.equal((await act(app, id, "send")).status, 202);
    await until(async () => (await readCampaign(app, id))["status"] === "sent");
    await setArchive(app, id, true);
    return id;
  }

  const mailTo = (name: string) => mails.get(addressOf(name)) ?? { unsubscribe: "", view: "" };
  const statusOf = async (name: string) => {
    const row = await app.db.one<{ status: string; status_reason: string }>(sql`
      select status, status_reason from subscribers
      where list_id = ${uuidOf("lst", listId)} and email = ${addressOf(name)}`);
    return row.status;
  };
  /** The page before stays until the answer is there. */
  const heading = async (page: Page, name: string) => {
    await page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
    await page.waitForLoadState();
  };
  const press = async (page: Page, button: string, leadsTo: string) => {
    await page.getByRole("button", { name: button, exact: true }).click();
    await heading(page, leadsTo);
  };

  for (const look of LOOKS) {
    describe(`in ${look.colorScheme} colours at ${look.viewport.width} px`, () => {
      test("somebody leaves, comes back, leaves everything, and each page can be read by all", async () => {
        const watched = await watch(look);
        const { page } = watched;
        await open(watched, mailTo(look.name).unsubscribe);
        await heading(page, "Unsubscribe from The weekly letter?");
        assert.ok(
          await page.evaluate("document.querySelector('.logo').naturalWidth > 0"),
          "the logo is shown",
        );
        assert.match(await page.locator("main").innerText(), new RegExp(`${look.name.charAt(0)}…@fernhill`));
        await page.getByText("Say why").first().click();
        await page.getByLabel("Too many mails").check();
        await page.getByText("Nothing from Fernhill Books at all").click();
        await examine(watched, "everything opened");
        await press(page, "Unsubscribe", "You are unsubscribed");
        await examine(watched, "done");
        assert.equal(await statusOf(look.name), "unsubscribed");
        await press(page, "Undo", "You are subscribed again");
        await examine(watched, "undone");
        assert.equal(await statusOf(look.name), "active");
        await press(page, "Unsubscribe again", "You are unsubscribed");
        await open(watched, mailTo(look.name).unsubscribe);
        await heading(page, "You are unsubscribed already");
        await press(page, "Unsubscribe from everything", "You are unsubscribed from everything");
        await examine(watched, "everything");
        await finish(watched);
      });

      test("a test mail's link and one that is mistyped say so", async () => {
        const watched = await watch(look);
        await open(watched, `${app.baseUrl}/u/test`);
        await heading(watched.page, "This was a test mail");
        await open(watched, `${mailTo(look.name).unsubscribe}x`, 404);
        await heading(watched.page, "Nothing is here");
        await open(watched, `${app.baseUrl}/archive/nowhere`, 404);
        await finish(watched);
      });

      test("the mail is shown in the browser, with its images and its links", async () => {
        const watched = await watch(look);
        const { page } = watched;
        const answer = await page.goto(mailTo(look.name).view);
        assert.equal(answer?.status(), 200);
        assert.equal(await page.title(), "Priya, what we read in October");
        await heading(page, "Hello Priya");
        assert.equal(await widthOf(page), 360, "the image is loaded");
        assert.match(
          (await page.getByRole("link", { name: "The lighthouse" }).getAttribute("href")) ?? "",
          /\/c\//,
        );
        assert.ok(await fits(page));
        await finish(watched);
      });

      test("the archive leads to a mail that names nobody, and back", async () => {
        const watched = await watch(look);
        const { page } = watched;
        await open(watched, `${app.baseUrl}/archive/weekly-letter`);
        await heading(page, "The weekly letter: past mails");
        await page.getByRole("link", { name: "Dear reader, what we read in October" }).click();
        await heading(page, "Dear reader, what we read in October");
        await examine(watched, "a mail");
        const mail = page.frameLocator("iframe");
        assert.equal(await mail.getByRole("heading", { level: 1 }).innerText(), "Hello dear reader");
        const image = mail.getByRole("img", { name: "Fernhill Books" });
        assert.equal(
          await image.evaluate(({ naturalWidth }: { naturalWidth?: number }) => naturalWidth),
          360,
        );
        const link = mail.getByRole("link", { name: "The lighthouse" });
        assert.equal(await link.getAttribute("href"), "https://books.example/lighthouse?a=1&b=2");
        await page.getByRole("link", { name: "All mails" }).click();
        await page.waitForURL(`${app.baseUrl}/archive/weekly-letter`);
        await open(watched, `${app.baseUrl}/archive/poetry-club`);
        assert.match(await page.locator("main").innerText(), /Nothing has been published here yet/);
        await finish(watched);
      });
    });
  }

  for (const look of [...LOOKS.slice(1, 3), { name: "plain", viewport: PHONE, javaScriptEnabled: false }]) {
    test(`somebody confirms by the link of a mail (${look.name})`, async () => {
      const asking = await makeList(app, { name: "Slow letters", double_opt_in: true });
      const email = addressOf(`confirms-${look.name}`);
      const { id } = await addSubscriber(app, asking, email);
      const link = await confirmLinkOf(email);
      const watched = await watch(look);
      const { page } = watched;
      const examined = async (what: string) => {
        if (!("javaScriptEnabled" in look)) await examine(watched, what);
      };
      const status = async () => (await readSubscriber(app, id))["status"];
      await page.goto(link);
      await heading(page, "Subscribe to Slow letters?");
      await examined("asked");
      assert.equal(await status(), "pending");
      await press(page, "Yes, subscribe me", "You are subscribed");
      await examined("confirmed");
      assert.equal(await status(), "active");
      await finish(watched);
    });
  }

  test("whoever confirms is led on to another host, where a form says so", async () => {
    const asking = await makeList(app, { name: "Slow letters", double_opt_in: true });
    const { id } = await addSubscriber(app, asking, addressOf("led-on"));
    const onward = `${app.baseUrl.replace("127.0.0.1", "localhost")}/archive/weekly-letter`;
    await app.db.execute(sql`
      update confirmations set after_url = ${onward} where subscriber_id = ${uuidOf("sub", id)}`);
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    await page.goto(await confirmLinkOf(addressOf("led-on")));
    await page.getByRole("button", { name: "Yes, subscribe me" }).click();
    await page.waitForURL(onward);
    await context.close();
  });

  async function confirmLinkOf(email: string): Promise<string> {
    let link = "";
    await until(async () => {
      const row = await app.db.maybeOne<{ raw: Buffer }>(
        sql`select raw from sandbox_messages where envelope_to = ${email}`,
      );
      const { text = "" } = row ? await PostalMime.parse(row.raw) : {};
      link = /\S+\/confirm\/\S+/.exec(text)?.[0] ?? "";
      return link !== "";
    });
    return link;
  }

  test("without JavaScript somebody leaves for a reason, comes back, and reads the archive", async () => {
    const watched = await watch({ viewport: PHONE, javaScriptEnabled: false });
    const { page } = watched;
    await page.goto(mailTo("no-script").unsubscribe);
    await page.getByText("Say why").first().click();
    await page.getByLabel("Something else").check();
    await page.getByLabel("In your own words").fill("I moved away");
    await press(page, "Unsubscribe", "You are unsubscribed");
    const { reason } = await app.db.one<{ reason: string }>(sql`
      select reason from opt_outs where list_id = ${uuidOf("lst", listId)} and reason like '%moved%'`);
    assert.match(reason, /I moved away/);
    await press(page, "Undo", "You are subscribed again");
    assert.equal(await statusOf("no-script"), "active");
    await page.goto(mailTo("no-script").unsubscribe);
    await page.getByText("Nothing from Fernhill Books at all").click();
    await press(page, "Unsubscribe from everything", "You are unsubscribed from everything");
    assert.equal(await statusOf("no-script"), "unsubscribed");
    await page.goto(`${app.baseUrl}/archive/weekly-letter`);
    await page.getByRole("link", { name: "Dear reader" }).click();
    const mail = page.frameLocator("iframe");
    await mail.getByRole("heading", { level: 1, name: "Hello dear reader", exact: true }).waitFor();
    await finish(watched);
  });

  test("somebody leaves what a mail is about, comes back, leaves it again, and then its list", async () => {
    const letters = await makeList(app, { name: "Letters" });
    const reader = await addSubscriber(app, letters, "topic@fernhill.example");
    const { body: topic } = await app.api("POST", "/v1/topics", { body: { name: "Small presses" } });
    const { id } = await makeCampaign(app, letters, { topic_id: topic.id });
    await act(app, id, "send");
    await until(async () => (await readCampaign(app, id))["status"] === "sent");
    const { raw } = await app.db.one<{ raw: Buffer }>(
      sql`select raw from sandbox_messages where owner_id = ${uuidOf("cmp", id)}`,
    );
    const { headers } = await PostalMime.parse(raw);
    const link = headers.find(({ key }) => key === "list-unsubscribe")?.value.slice(1, -1) ?? "";
    const watched = await watch({ viewport: PHONE, colorScheme: "light" });
    const { page } = watched;
    await open(watched, link);
    await heading(page, "Unsubscribe from Small presses?");
    await page.getByText("Nothing more of Letters").click();
    await examine(watched, "the list opened");
    await press(page, "Unsubscribe", "You are unsubscribed");
    await page.getByText("Small presses won’t come to").waitFor();
    await examine(watched, "the topic left");
    await press(page, "Undo", "You are subscribed again");
    await press(page, "Unsubscribe again", "You are unsubscribed");
    await press(page, "Unsubscribe from the whole list", "You are unsubscribed");
    await page.getByText("Letters won’t come to").waitFor();
    const left = await app.api("GET", `/v1/subscribers/${reader["id"]}`);
    assert.equal(left.body.status, "unsubscribed");
    await finish(watched);
  });

  test("an archive of many mails is paged, and its feeds are XML, whatever their subjects", async () => {
    const some = await addSubscriber(app, listId, "stays@fernhill.example");
    assert.equal(some["status"], "active");
    const subjects = HOSTILE.filter((one) => /\S/.test(one))
      .map((one) => one.replaceAll(/[\u0000-\u001f\u202a-\u202e\u2066-\u2069]/g, "").toWellFormed())
      .concat(Array.from({ length: 14 }, (_, n) => `Letter ${n}`));
    await Promise.all(subjects.map((subject) => send({ subject, preview_text: subject })));
    for (const look of LOOKS) {
      const watched = await watch(look);
      const { page } = watched;
      await open(watched, `${app.baseUrl}/archive/weekly-letter`);
      assert.equal(await page.locator(".mails li").count(), 20);
      await page.getByRole("link", { name: "Older" }).click();
      await page.waitForURL(/\?before=/);
      await examine(watched, "the second page");
      await page.getByRole("link", { name: "Newer" }).click();
      await page.waitForURL(/\?after=/);
      assert.equal(await page.locator(".mails li").count(), 20);
      for (const file of ["feed.xml", "atom.xml"]) {
        const xml = JSON.stringify(
          await (await fetch(`${app.baseUrl}/archive/weekly-letter/${file}`)).text(),
        );
        const read = `(() => { const root = new DOMParser().parseFromString(${xml}, "application/xml").documentElement;
          return [root.nodeName, root.querySelectorAll("item, entry").length]; })()`;
        assert.deepEqual(await page.evaluate(read), [file === "feed.xml" ? "rss" : "feed", 20]);
      }
      await finish(watched);
    }
  });

  test("who asks too often is told when to come back", async () => {
    const url = `${app.baseUrl}/u/test`;
    // The count begins anew each minute, which must not end while a page is being looked at.
    const isRefusedForLong = async () =>
      Number((await fetch(url)).headers.get("retry-after") ?? 0) > REFUSED_FOR_SECONDS;
    for (const look of LOOKS) {
      const watched = await watch(look);
      await until(isRefusedForLong);
      await open(watched, url, 429);
      await heading(watched.page, "Too many requests");
      await finish(watched);
    }
  });

  type Watched = { context: BrowserContext; page: Page; faults: string[] };
  type Look = NonNullable<Parameters<Browser["newContext"]>[0]>;

  async function watch({ colorScheme, viewport, javaScriptEnabled }: Look): Promise<Watched> {
    const look = { colorScheme, viewport, javaScriptEnabled };
    const given = Object.fromEntries(Object.entries(look).filter(([, value]) => value !== undefined));
    const context = await browser.newContext(given);
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    const faults: string[] = [];
    page.on("dialog", (dialog) => faults.push(`opened a dialog: ${dialog.message()}`));
    page.on("pageerror", (error) => faults.push(`threw ${error.message}`));
    page.on("request", (request) => {
      const { origin, protocol } = new URL(request.url());
      if (origin !== app.baseUrl && protocol !== "data:") faults.push(`asked ${request.url()}`);
    });
    page.on("console", (message) => {
      const isStatus = /Failed to load resource.* (404|429) /.test(message.text());
      if (["error", "warning"].includes(message.type()) && !isStatus) faults.push(message.text());
    });
    return { context, page, faults };
  }

  async function open(watched: Watched, url: string, status = 200): Promise<void> {
    const answer = await watched.page.goto(url);
    assert.equal(answer?.status(), status, url);
    assert.equal(answer?.headers()["set-cookie"], undefined);
    await examine(watched, url);
  }

  async function examine({ page }: Watched, what: string): Promise<void> {
    assert.ok(await fits(page), `${what} doesn't scroll sideways`);
    assert.deepEqual(await violations(page), [], what);
  }

  function widthOf(page: Page): Promise<number> {
    return page.evaluate("document.querySelector('img').naturalWidth");
  }

  async function finish({ context, faults }: Watched): Promise<void> {
    await context.close();
    assert.deepEqual(faults, []);
  }
});
