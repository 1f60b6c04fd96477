import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseDocument } from "htmlparser2";
import { allPages, HOSTILE } from "../../../test/support/public-pages.ts";
import { plainName } from "../document/names.ts";
import { english as words } from "../locales/locales.ts";
import { atomFeed, rssFeed } from "../public-pages.ts";

type Element = { name: string; attribs: Record<string, string>; children: Element[]; text: string };

/** Names with their prefixes, and texts; test/alone/public-pages.test.ts asks a strict parser whether it is XML at all. */
function read(body: string): Element {
  assert.match(body, /^<\?xml version="1\.0" encoding="utf-8"\?>\n</);
  const shape = (node: ReturnType<typeof parseDocument>["children"][number]): Element[] => {
    if (node.type !== "tag") return [];
    const text = node.children.map((child) => (child.type === "text" ? child.data : "")).join("");
    return [{ name: node.name, attribs: node.attribs, children: node.children.flatMap(shape), text }];
  };
  const [root, ...others] = parseDocument(body, { xmlMode: true }).children.flatMap(shape);
  assert.deepEqual(others, []);
  assert.ok(root);
  return root;
}
const all = (of: Element | undefined, name: string) =>
  of?.children.filter((child) => child.name === name) ?? [];
const one = (of: Element | undefined, name: string) => {
  const [found, ...others] = all(of, name);
  assert.ok(found && others.length === 0, `one ${name}`);
  return found;
};

const RFC822 =
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT$/;
const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const URN = /^urn:uuid:[0-9a-f-]{36}$/;
const SELF = "https://news.example.com/archive/letter";

for (const name of [undefined, ...HOSTILE]) {
  const pages = allPages(name);
  describe(`the feeds of ${name === undefined ? "a usual list" : JSON.stringify(name).slice(0, 30)}`, () => {
    test("RSS has what the specification and the RSS Advisory Board's profile require", () => {
      const page = pages.get("/feed.xml");
      assert.equal(page?.headers["content-type"], "application/rss+xml; charset=utf-8");
      const rss = read(page.body);
      assert.deepEqual([rss.name, rss.attribs["version"]], ["rss", "2.0"]);
      const channel = one(rss, "channel");
      for (const required of ["title", "description"])
        assert.notEqual(one(channel, required).text.trim(), "");
      assert.equal(one(channel, "link").text, SELF);
      assert.deepEqual(one(channel, "atom:link").attribs, {
        href: `${SELF}/feed.xml`,
        rel: "self",
        type: "application/rss+xml",
      });
      assert.match(one(channel, "lastBuildDate").text, RFC822);
      const items = all(channel, "item");
      assert.equal(items.length, 3);
      for (const item of items) {
        assert.notEqual(one(item, "title").text.trim(), "");
        assert.match(one(item, "guid").text, URN);
        assert.equal(one(item, "guid").attribs["isPermaLink"], "false");
        assert.match(one(item, "link").text, /^https:/);
        assert.match(one(item, "pubDate").text, RFC822);
      }
      assert.equal(new Set(items.map((item) => one(item, "guid").text)).size, 3);
      assert.deepEqual(
        items.map((item) => all(item, "description").length),
        name !== undefined && plainName(name, "") === "" ? [0, 0, 0] : [1, 0, 1],
      );
    });

    test("Atom has what RFC 4287, section 4.1, requires", () => {
      const page = pages.get("/atom.xml");
      assert.equal(page?.headers["content-type"], "application/atom+xml; charset=utf-8");
      const feed = read(page.body);
      assert.deepEqual([feed.name, feed.attribs["xmlns"]], ["feed", "http://www.w3.org/2005/Atom"]);
      assert.notEqual(one(one(feed, "author"), "name").text.trim(), "");
      assert.deepEqual(
        all(feed, "link").map(({ attribs }) => [attribs["rel"], attribs["href"]]),
        [
          ["self", `${SELF}/atom.xml`],
          ["alternate", SELF],
        ],
      );
      const entries = all(feed, "entry");
      assert.equal(entries.length, 3);
      for (const element of [feed, ...entries]) {
        assert.notEqual(one(element, "title").text.trim(), "");
        assert.match(one(element, "id").text, URN);
        assert.match(one(element, "updated").text, RFC3339);
      }
      for (const entry of entries) assert.equal(one(entry, "link").attribs["rel"], "alternate");
      assert.equal(one(feed, "updated").text, "2026-11-13T09:00:00.000Z");
    });

    test("neither has a character that XML 1.0 forbids", () => {
      for (const path of ["/feed.xml", "/atom.xml"]) {
        assert.doesNotMatch(
          pages.get(path)?.body ?? "",
          /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u,
        );
      }
    });
  });
}

test("an empty archive has feeds that say when it was made", () => {
  const feed = {
    words,
    id: "urn:uuid:01890a5d-ac96-774b-bcce-b302099a8057",
    senderName: "Fernhill Books",
    listName: "The weekly letter",
    archiveUrl: SELF,
    feedUrl: `${SELF}/feed.xml`,
    mails: [],
    createdAt: new Date("2026-01-01T00:00:00Z"),
    isIndexable: true,
  };
  assert.equal(one(read(atomFeed(feed).body), "updated").text, "2026-01-01T00:00:00.000Z");
  assert.equal(
    one(one(read(rssFeed(feed).body), "channel"), "lastBuildDate").text,
    "Thu, 01 Jan 2026 00:00:00 GMT",
  );
  assert.equal(rssFeed(feed).headers["x-robots-tag"], undefined);
});
