/** The public archive of a list: whose slug it is, what is shown, and what nobody may see. */
import assert from "node:assert/strict";
import { after, before, describe, it, test } from "node:test";
import { parseDocument } from "htmlparser2";
import { startContentWorkers } from "../../src/content/content.ts";
import { sql } from "../../src/platform/db/db.ts";
import { createDocuments } from "../../src/tracking/archive/documents.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { publish, setArchive } from "../support/archive.ts";
import { act, campaignThatIs, makeCampaign, readCampaign } from "../support/campaigns.ts";
import { cloneDatabase } from "../support/database.ts";
import { createDatabaseProxy } from "../support/database-proxy.ts";
import { HOSTILE } from "../support/public-pages.ts";
import { addSubscriber, eventsSince, type Json, makeList, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

/** What templates show of the only subscriber must never stand in an archive. */
const SECRET = "Zebedee";
/** It stays within every limit of memory, and is over at once for everybody who has a name, as who looks at a draft has. */
const ENDLESS_FOR_NOBODY =
  '{% if first_name == "" or first_name == nil %}{% for a in (1..100000) %}{% for b in (1..100000) %}' +
  "{% for c in (1..1000) %}{% endfor %}{% endfor %}{% endfor %}{% endif %}";
const SERVED = { opens: true, clicks: true, unsubscribe: true };

let app: TestApp;
let other: TestApp;
before(async () => {
  app = await createApp({ served: SERVED, settings: { ROLES: "api,public" } });
  const { key, accountId } = await app.addAccount();
  other = { ...app, key, accountId, api: (method, path, more) => app.api(method, path, { key, ...more }) };
});
after(() => app.stop());

let made = 0;
async function archiveOf(more: Json = {}): Promise<{ listId: string; slug: string; path: string }> {
  const slug = `letter-${++made}`;
  const listId = await makeList(app, { name: "The weekly letter", archive_slug: slug, ...more });
  await addSubscriber(app, listId, `person${made}@secret.example`, { first_name: SECRET });
  return { listId, slug, path: `/archive/${slug}` };
}

const get = (path: string, headers: Record<string, string> = {}) =>
  app.api("GET", path, { key: null, headers });
const patchList = (id: string, body: Json, of = app) => of.api("PATCH", `/v1/lists/${id}`, { body });
const subjectsIn = (page: string) =>
  [...page.matchAll(/<li><a href="[^"]*"><b><bdi>([^<]*)<\/bdi>/g)].map(([, text]) => text);
const linkTo = (page: string, rel: "prev" | "next") =>
  new RegExp(`<a rel="${rel}" href="([^"]*)"`).exec(page)?.[1]?.replaceAll("&amp;", "&");

describe("a slug", () => {
  it("opens an archive, and is unique in the instance", async () => {
    const { slug, path, listId } = await archiveOf();
    assert.equal((await get(path)).status, 200);
    const taken = await other.api("POST", "/v1/lists", { body: { name: "Theirs", archive_slug: slug } });
    assert.deepEqual([taken.status, taken.body.code], [409, "slug_taken"], taken.text);
    assert.deepEqual(
      taken.body.errors.map((one: Json) => one["pointer"]),
      ["/archive_slug"],
    );
    assert.doesNotMatch(taken.text, /acc_|lst_/);
    const { body: theirs } = await other.api("GET", "/v1/lists?limit=200");
    assert.ok(!theirs.data.some((list: Json) => list["name"] === "Theirs"), "nothing of it was kept");
    const mine = await makeList(app);
    assert.equal((await patchList(mine, { archive_slug: slug })).body.code, "slug_taken");
    assert.equal((await patchList(listId, { archive_slug: slug, name: "Renamed" })).status, 200);
  });

  it("that is changed, cleared or deleted with its list is free again, and its address is gone", async () => {
    const { listId, slug, path } = await archiveOf();
    const take = (name: string) =>
      other.api("POST", "/v1/lists", { body: { name: "Theirs", archive_slug: name } });
    assert.equal((await patchList(listId, { archive_slug: `${slug}-b` })).status, 200);
    assert.deepEqual([(await get(path)).status, (await get(`${path}-b`)).status], [404, 200]);
    assert.equal((await take(slug)).status, 201);
    assert.equal((await patchList(listId, { archive_slug: null })).body.archive_slug, null);
    assert.equal((await get(`${path}-b`)).status, 404);
    assert.equal((await take(`${slug}-b`)).status, 201);
    await patchList(listId, { archive_slug: `${slug}-c` });
    const id = await publish(app, listId);
    const pages = [
      `${path}-c`,
      `${path}-c/feed.xml`,
      `${path}-c/atom.xml`,
      `${path}-c/${id}`,
      `${path}-c/${id}/mail`,
    ];
    for (const page of pages) assert.equal((await get(page)).status, 200, page);
    assert.equal((await app.api("DELETE", `/v1/lists/${listId}?force=true`)).status, 204);
    for (const page of pages) assert.equal((await get(page)).status, 404, page);
    assert.equal((await take(`${slug}-c`)).status, 201);
  });

  it("goes to one of many who ask for it at once", async () => {
    const ids = await Promise.all(Array.from({ length: 6 }, () => makeList(app)));
    const replies = await Promise.all(ids.map((id) => patchList(id, { archive_slug: "wanted" })));
    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [200, 409, 409, 409, 409, 409]);
  });

  it("is refused where it can't stand in an address", async () => {
    for (const slug of [
      "",
      "-a",
      "a-",
      "A",
      "a b",
      "a/b",
      "é",
      "a.xml",
      "a_b",
      "a".repeat(64),
      "..",
      "%61",
    ]) {
      const reply = await app.api("POST", "/v1/lists", { body: { name: "L", archive_slug: slug } });
      assert.equal(reply.status, 422, slug);
      assert.equal(reply.body.errors[0].pointer, "/archive_slug");
    }
    for (const slug of ["a", "7", "a".repeat(63), "2026-letter"]) await makeList(app, { archive_slug: slug });
  });

  it("is told of by an event, and is part of what a conditional change compares", async () => {
    const listId = await makeList(app);
    const before_ = await app.api("GET", `/v1/lists/${listId}`);
    const { cursor } = await eventsSince(app);
    const changed = await patchList(listId, { archive_slug: "eventful", archive_indexed: true });
    assert.notEqual(changed.headers.get("etag"), before_.headers.get("etag"));
    const { events } = await eventsSince(app, cursor);
    assert.deepEqual(
      events.filter(({ type }) => type === "list.updated").map(({ data }) => data.changed),
      [["archive_slug", "archive_indexed"]],
    );
  });
});

describe("what is shown", () => {
  it("is what was sent and is marked, and no longer once the mark is taken back", async () => {
    const { listId, path } = await archiveOf();
    assert.match((await get(path)).text, /Nothing has been published here yet/);
    const id = await publish(app, listId, { subject: "Shown", preview_text: "A look inside" });
    const hidden = await publish(app, listId, { subject: "Hidden", archive: false });
    await makeCampaign(app, listId, { subject: "Draft", archive: true });
    const canceled = await campaignThatIs(app, listId, "canceled");
    await setArchive(app, canceled, true);
    const failed = await campaignThatIs(app, listId, "failed");
    await setArchive(app, failed, true);
    const page = (await get(path)).text;
    assert.deepEqual(subjectsIn(page), ["Shown"]);
    assert.match(page, /A look inside/);
    for (const one of [hidden, canceled, failed]) {
      for (const address of [`${path}/${one}`, `${path}/${one}/mail`])
        assert.equal((await get(address)).status, 404, address);
    }
    assert.equal((await get(`${path}/${id}`)).status, 200);
    await setArchive(app, id, false);
    for (const address of [`${path}/${id}`, `${path}/${id}/mail`])
      assert.equal((await get(address)).status, 404, address);
    assert.doesNotMatch((await get(`${path}/feed.xml`)).text, /Shown/);
    await setArchive(app, id, true);
    assert.deepEqual(subjectsIn((await get(path)).text), ["Shown"]);
  });

  it("may be changed after sending, while nothing else may, and a copy isn't published by itself", async () => {
    const { listId } = await archiveOf();
    const id = await publish(app, listId);
    const before_ = await readCampaign(app, id);
    const both = await app.api("PATCH", `/v1/campaigns/${id}`, {
      body: { archive: false, subject: "Other" },
    });
    assert.deepEqual([both.status, both.body.code], [409, "campaign_locked"]);
    assert.equal((await app.api("PATCH", `/v1/campaigns/${id}`, { body: {} })).status, 409);
    await setArchive(app, id, false);
    const now = await readCampaign(app, id);
    const { updated_at, updated_by } = before_;
    assert.deepEqual({ ...now, archive: true, updated_at, updated_by }, before_);
    await setArchive(app, id, true);
    assert.equal((await act(app, id, "duplicate")).body.archive, false);
  });

  it("is of this list and this account alone", async () => {
    const [one, two] = [await archiveOf(), await archiveOf()];
    const id = await publish(app, one.listId);
    assert.equal((await get(`${one.path}/${id}`)).status, 200);
    assert.equal((await get(`${two.path}/${id}`)).status, 404);
    assert.equal((await get(`${two.path}?before=${id}`)).status, 404);
    const theirs = await other.api("POST", "/v1/lists", {
      body: { name: "Theirs", archive_slug: "theirs" },
    });
    assert.equal(theirs.status, 201);
    assert.equal((await get(`/archive/theirs/${id}`)).status, 404);
    assert.equal((await other.api("PATCH", `/v1/campaigns/${id}`, { body: { archive: false } })).status, 404);
  });

  it("goes from page to page and back, each mail once, also past one that was taken out meanwhile", async () => {
    const { listId, path } = await archiveOf();
    const ids: string[] = [];
    for (let n = 1; n <= 45; n++) ids.push(await publish(app, listId, { subject: `Letter ${n}` }));
    const expected = Array.from({ length: 45 }, (_, n) => `Letter ${45 - n}`);
    const first = (await get(path)).text;
    assert.equal(linkTo(first, "prev"), undefined);
    const second = (await get(linkTo(first, "next") ?? "")).text;
    const third = (await get(linkTo(second, "next") ?? "")).text;
    assert.equal(linkTo(third, "next"), undefined);
    assert.deepEqual([first, second, third].flatMap(subjectsIn), expected);
    const back = (await get(linkTo(third, "prev") ?? "")).text;
    assert.deepEqual(subjectsIn(back), subjectsIn(second));
    assert.deepEqual(subjectsIn((await get(linkTo(back, "prev") ?? "")).text), subjectsIn(first));
    // The page that the cursor names a mail of: what comes after it stays where it was.
    await setArchive(app, ids[25] ?? "", false);
    const next = (await get(linkTo(first, "next") ?? "")).text;
    assert.deepEqual(subjectsIn(next).slice(0, 2), ["Letter 25", "Letter 24"]);
    const middle = (await get(`${path}/${ids[24]}`)).text;
    assert.equal(linkTo(middle, "prev"), `${path}/${ids[26]}`);
    assert.equal(linkTo(middle, "next"), `${path}/${ids[23]}`);
    for (const bad of ["x", "cmp_01k9zq4t3xe8k8y0v6d3m2n1pq", "", "%00", ids[0] ?? ""])
      assert.equal((await get(`${path}?before=${bad}`)).status, 404, bad);
    assert.equal((await get(`${path}?utm_source=x`)).status, 200);
  });

  it("is kept from search engines unless the list says otherwise", async () => {
    const { listId, path } = await archiveOf();
    const id = await publish(app, listId);
    const pages = [path, `${path}/${id}`, `${path}/${id}/mail`, `${path}/feed.xml`, `${path}/atom.xml`];
    const robots = async () =>
      Promise.all(pages.map(async (page) => (await get(page)).headers.get("x-robots-tag")));
    assert.deepEqual(await robots(), Array(5).fill("noindex"));
    await patchList(listId, { archive_indexed: true });
    assert.deepEqual(await robots(), Array(5).fill(null));
  });
});

describe("a mail in the archive", () => {
  const HTML = `<p>Hello {{ first_name | default: "reader" }} {{ email }}, <a href="https://example.com/one?a=1&amp;b=2">one</a>
    <a href='https://example.com/two#top'>two</a> <a href="mailto:us@example.com">us</a>
    <a href="https://example.com/{{ first_name }}">dynamic</a>
    <a href="{{ unsubscribe_url }}">leave</a> <a href="{{ view_url }}">view</a> <a href="{{ preferences_url }}">change</a>
    <script>parent.location = "/x"</script></p>`;

  it("is rendered for nobody: no name, no token, no pixel, and links that lead straight away", async () => {
    const { listId, path } = await archiveOf();
    const id = await publish(app, listId, { html: HTML, subject: "For {{ first_name | default: 'you' }}" });
    const document = await get(`${path}/${id}/mail`);
    assert.equal(document.status, 200);
    assert.match(document.text, /Hello reader ,/);
    assert.match(document.text, /<title>For you<\/title>/);
    assert.doesNotMatch(document.text, new RegExp(`${SECRET}|secret\\.example|/[uvpoc]/|\\.invalid`));
    const links = [...document.text.matchAll(/href=["']([^"']*)["']/g)].map(([, url]) => url);
    const url = `${app.baseUrl}${path}`;
    assert.deepEqual(links.slice(0, 7), [
      "https://example.com/one?a=1&amp;b=2",
      "https://example.com/two#top",
      "mailto:us@example.com",
      "https://example.com/",
      url,
      `${url}/${id}`,
      url,
    ]);
    const policy = document.headers.get("content-security-policy") ?? "";
    assert.match(
      policy,
      /^sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; img-src https: data: 'self';/,
    );
    assert.match(policy, /frame-ancestors 'self'$/);
    assert.equal(document.headers.get("x-frame-options"), "SAMEORIGIN");
    const page = await get(`${path}/${id}`);
    assert.match(page.text, /<h1><bdi>For you<\/bdi><\/h1>/);
    assert.match(page.text, new RegExp(`<iframe src="${path}/${id}/mail"`));
    assert.deepEqual(subjectsIn((await get(path)).text), ["For you"]);
    assert.match((await get(`${path}/feed.xml`)).text, /<title>For you<\/title>/);
  });

  it("shows its text where it has no HTML that could be shown", async () => {
    const { listId, path } = await archiveOf();
    const mjml =
      "<mjml><mj-body><mj-section><mj-column><mj-text>Made of MJML</mj-text></mj-column></mj-section></mj-body></mjml>";
    const id = await publish(app, listId, { html: null, mjml });
    assert.match((await get(`${path}/${id}/mail`)).text, /Made of MJML/);
  });

  it("that runs away for nobody is stopped, however many ask for it", async () => {
    const { listId, path } = await archiveOf();
    const id = await publish(app, listId, {
      html: `<p>Hello</p>${ENDLESS_FOR_NOBODY}`,
      subject: `News ${ENDLESS_FOR_NOBODY}`,
    });
    const page = await get(path);
    assert.deepEqual([page.status, subjectsIn(page.text)], [200, ["News"]]);
    const asked = await Promise.all(Array.from({ length: 10 }, () => get(`${path}/${id}/mail`)));
    assert.deepEqual(new Set(asked.map(({ status }) => status)), new Set([410]));
    const [around, framed] = [await get(`${path}/${id}`), await get(`${path}/${id}/mail`)];
    assert.deepEqual([around.status, framed.status], [410, 410]);
    // In a frame of ours it may say so too.
    assert.match(framed.headers.get("content-security-policy") ?? "", /frame-ancestors 'self'$/);
    assert.equal(framed.headers.get("x-frame-options"), "SAMEORIGIN");
    assert.match(around.headers.get("content-security-policy") ?? "", /frame-ancestors 'none'$/);
  });

  it("is rendered once for all who ask, and one that can't be rendered is tried once too", async () => {
    const { listId } = await archiveOf();
    const good = await publish(app, listId, { html: "<p>{{ first_name }} news</p>" });
    const bad = await publish(app, listId, {
      html: `<p>News</p>${ENDLESS_FOR_NOBODY}`,
    });
    const limits = { threads: 2, compileTimeoutMs: 10_000, renderTimeoutMs: 1_000, memoryMb: 256 };
    const workers = startContentWorkers(limits);
    let renders = 0;
    const documents = createDocuments(app.db, {
      render: (...task) => {
        renders++;
        return workers.render(...task);
      },
    });
    const read = (id: string, mail = "https://a.example/archive/x/1") =>
      documents.read(uuidOf("acc", app.accountId), uuidOf("cmp", id), { archive: "https://a.example", mail });
    try {
      for (const [id, kind] of [
        [good, "rendered"],
        [bad, "failed"],
      ] as const) {
        renders = 0;
        const at = await Promise.all(Array.from({ length: 8 }, () => read(id)));
        assert.deepEqual(new Set(at.map((one) => one.kind)), new Set([kind]));
        assert.equal((await read(id)).kind, kind);
        assert.equal(renders, 1);
      }
      await read(good, "https://a.example/archive/moved/1");
      assert.equal(renders, 2, "another address has other links in it");
    } finally {
      await workers.close();
    }
    assert.equal((await read(good)).kind, "rendered");
    assert.equal((await read(good, "https://a.example/elsewhere")).kind, "busy");
  });

  it("whose links would make gigabytes of it is refused", async () => {
    const { listId, path } = await archiveOf();
    const link = `<a href="https://example.com/${"x".repeat(300_000)}">x</a>`;
    const times = async (count: number) => {
      const loop = `{% for a in (1..${count}) %}${link}{% endfor %}`;
      const html = `<p>News</p>{% if first_name == "" or first_name == nil %}${loop}{% endif %}`;
      return (await get(`${path}/${await publish(app, listId, { html })}/mail`)).status;
    };
    assert.deepEqual([await times(2), await times(20_000)], [200, 410]);
  });

  it("can have any subject, and the list any name", async () => {
    for (const name of HOSTILE.filter((one) => /\S/.test(one) && !one.includes("\0"))) {
      // A list's name is one line, and no line turns the direction of writing.
      const listName = name.replaceAll(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, " ").slice(0, 190);
      const { listId, path } = await archiveOf({ name: listName.toWellFormed() });
      const subject = name.replaceAll(/[\u0000-\u001f\u202a-\u202e\u2066-\u2069]/g, "").toWellFormed();
      const id = await publish(app, listId, { subject, preview_text: subject });
      for (const address of [
        path,
        `${path}/${id}`,
        `${path}/${id}/mail`,
        `${path}/feed.xml`,
        `${path}/atom.xml`,
      ]) {
        const answer = await get(address);
        assert.equal(answer.status, 200, address);
        assert.doesNotMatch(answer.text, /<script|<img src=x|<svg onload|<style>\*/i, address);
      }
    }
  });
});

describe("the feeds", () => {
  type Element = { name: string; text: string; attribs: Record<string, string>; children: Element[] };
  function read(xml: string): Element {
    const shape = (node: ReturnType<typeof parseDocument>["children"][number]): Element[] => {
      if (node.type !== "tag") return [];
      const text = node.children.map((child) => (child.type === "text" ? child.data : "")).join("");
      return [{ name: node.name, text, attribs: node.attribs, children: node.children.flatMap(shape) }];
    };
    return parseDocument(xml, { xmlMode: true }).children.flatMap(shape)[0] as Element;
  }
  const all = (of: Element, name: string) => of.children.filter((child) => child.name === name);
  const textOf = (of: Element, name: string) => all(of, name)[0]?.text;

  it("name the newest mails by whole addresses that work, and keep their ids when the archive moves", async () => {
    const { listId, slug, path } = await archiveOf();
    for (let n = 1; n <= 22; n++)
      await publish(app, listId, { subject: `Letter ${n}`, preview_text: `Part ${n}` });
    const url = `${app.baseUrl}${path}`;
    const rss = await get(`${path}/feed.xml`);
    assert.equal(rss.headers.get("content-type"), "application/rss+xml; charset=utf-8");
    const channel = all(read(rss.text), "channel")[0] as Element;
    assert.deepEqual([textOf(channel, "title"), textOf(channel, "link")], ["The weekly letter", url]);
    assert.equal(all(channel, "atom:link")[0]?.attribs["href"], `${url}/feed.xml`);
    const items = all(channel, "item");
    assert.deepEqual(
      items.map((item) => textOf(item, "title")),
      Array.from({ length: 20 }, (_, n) => `Letter ${22 - n}`),
    );
    assert.equal(textOf(items[0] as Element, "description"), "Part 22");
    assert.equal((await fetch(textOf(items[19] as Element, "link") ?? "")).status, 200);
    const atom = await get(`${path}/atom.xml`);
    assert.equal(atom.headers.get("content-type"), "application/atom+xml; charset=utf-8");
    const entries = all(read(atom.text), "entry");
    assert.deepEqual(
      entries.map((entry) => textOf(entry, "id")),
      items.map((item) => textOf(item, "guid")),
    );
    assert.equal(textOf(read(atom.text), "updated"), textOf(entries[0] as Element, "updated"));
    await patchList(listId, { archive_slug: `${slug}-moved` });
    const moved = all(read((await get(`${path}-moved/atom.xml`)).text), "entry");
    assert.deepEqual(
      moved.map((entry) => textOf(entry, "id")),
      entries.map((entry) => textOf(entry, "id")),
    );
  });

  it("and pages are answered with 304 where nothing changed, and anew where something did", async () => {
    const { listId, path } = await archiveOf();
    const id = await publish(app, listId);
    for (const address of [
      path,
      `${path}/${id}`,
      `${path}/${id}/mail`,
      `${path}/feed.xml`,
      `${path}/atom.xml`,
    ]) {
      const first = await get(address);
      const etag = first.headers.get("etag") ?? "";
      assert.match(etag, /^"[\w-]{22}"$/, address);
      assert.equal(first.headers.get("cache-control"), "no-cache");
      assert.equal(first.headers.get("set-cookie"), null);
      const again = await get(address, { "if-none-match": `"x", W/${etag}` });
      assert.deepEqual([again.status, again.text, again.headers.get("etag")], [304, "", etag], address);
      const head = await app.api("HEAD", address, { key: null });
      assert.deepEqual([head.status, head.text, head.headers.get("etag")], [200, "", etag], address);
    }
    const etag = (await get(`${path}/feed.xml`)).headers.get("etag") ?? "";
    await publish(app, listId, { subject: "Another" });
    assert.equal((await get(`${path}/feed.xml`, { "if-none-match": etag })).status, 200);
  });

  it("of an empty archive are there", async () => {
    const { path } = await archiveOf();
    for (const file of ["feed.xml", "atom.xml"]) assert.equal((await get(`${path}/${file}`)).status, 200);
  });
});

test("whatever isn't an archive is 404, and nothing but GET and HEAD is taken", async () => {
  const { listId, slug, path } = await archiveOf();
  const id = await publish(app, listId);
  const bad = [
    "/archive/nowhere",
    `/archive/${slug.toUpperCase()}`,
    `/archive/${slug}%00`,
    `/archive/${"a".repeat(64)}`,
    `/archive/${"a".repeat(5_000)}`,
    "/archive/",
    "/archive/..%2f..",
    `${path}/cmp_01k9zq4t3xe8k8y0v6d3m2n1pq`,
    `${path}/${id.toUpperCase()}`,
    `${path}/${id}/mail/x`,
    `${path}/%00`,
    `${path}/feed.json`,
    "/archive/nowhere/feed.xml",
    "/archive/nowhere/atom.xml",
    `/archive/nowhere/${id}/mail`,
  ];
  for (const address of bad) assert.equal((await get(address)).status, 404, address);
  for (const method of ["POST", "PUT", "DELETE", "PATCH"])
    assert.equal((await app.api(method, path, { key: null })).status, 404, method);
  assert.ok(!app.logs.some((line) => /"level":"error"/.test(line)));
});

test("a name whose list is gone behind the service's back is 404", async () => {
  const { listId, path } = await archiveOf();
  await app.db.execute(sql`update lists set deleted_at = now() where id = ${uuidOf("lst", listId)}`);
  assert.equal((await get(path)).status, 404);
});

test("an address that asks too often is told to wait, while unsubscribing goes on", async () => {
  const crowded = await createApp({ settings: { ROLES: "api,public" } });
  try {
    const ask = () => crowded.api("GET", "/archive/nowhere", { key: null });
    for (let n = 0; n < 300; n++) assert.equal((await ask()).status, 404);
    const refused = await ask();
    assert.equal(refused.status, 429);
    assert.match(refused.headers.get("retry-after") ?? "", /^\d+$/);
    assert.equal((await crowded.api("GET", "/u/test", { key: null })).status, 200);
  } finally {
    await crowded.stop();
  }
});

test("while the database is away, a page says when to come back", async () => {
  const database = await cloneDatabase();
  const proxy = await createDatabaseProxy(database.url);
  const away = await createApp({
    databaseUrl: database.url,
    settings: { ROLES: "api,public", DATABASE_URL: proxy.url },
  });
  try {
    await makeList(away, { archive_slug: "letter" });
    const ask = (path: string) => away.api("GET", path, { key: null });
    assert.equal((await ask("/archive/letter")).status, 200);
    await proxy.cut();
    for (const path of ["/archive/letter", "/archive/letter/feed.xml", "/archive/letter?x=1"]) {
      const answer = await ask(path);
      assert.equal(answer.status, 503, path);
      assert.match(answer.headers.get("retry-after") ?? "", /^\d+$/);
      assert.equal(answer.headers.get("etag"), null);
    }
    await proxy.restore();
    await until(async () => (await ask("/archive/letter")).status === 200);
  } finally {
    await away.stop();
    await proxy.close();
    await database.drop();
  }
});
