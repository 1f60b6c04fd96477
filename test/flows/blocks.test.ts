/** Mails made of blocks are stored, looked over, versioned and sent like those that are written by hand. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import PostalMime, { type Email } from "postal-mime";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type Reply, type TestApp } from "../support/app.ts";
import { makeAudience } from "../support/campaigns.ts";
import { caughtFor } from "../support/emails.ts";
import { addSubscriber, type Json, makeList, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

let app: TestApp;
before(async () => {
  app = await createApp();
  await app.api("PATCH", "/v1/account", {
    body: { from_email: "books@fernhill.dev", postal_address: "14 Bondgate, Otley" },
  });
});
after(() => app.stop());

const words = (text: string) => [{ type: "text", text }];
const heading = (id: string, text: string, more: Json = {}) => ({
  id,
  type: "heading",
  level: 1,
  content: words(text),
  ...more,
});
const blocks = (...given: Json[]) => ({ version: 1, blocks: given });
const greeting = {
  id: "greeting",
  type: "text",
  content: [
    {
      type: "paragraph",
      content: [
        ...words("Dear "),
        { type: "variable", name: "first_name", fallback: "reader" },
        ...words(","),
      ],
    },
  ],
};
const footer = { id: "footer", type: "footer", unsubscribe: "Leave" };
const post = (path: string, body: unknown): Promise<Reply> => app.api("POST", path, { body });

async function mailFor(address: string): Promise<Email> {
  let raws: string[] = [];
  await until(async () => {
    raws = await caughtFor(app, address);
    return raws.length > 0;
  });
  return PostalMime.parse(raws[0] ?? "");
}

const faultsOf = ({ body }: Reply): string[] =>
  (body.errors ?? []).map(({ pointer, code }: Json) => `${pointer} ${code}`);

async function makeCampaign(listId: string, document: Json): Promise<Json & { id: string }> {
  const made = await post("/v1/campaigns", {
    name: "Winter",
    list_id: listId,
    subject: "The winter catalogue",
    blocks: document,
  });
  assert.equal(made.status, 201, made.text);
  return made.body;
}

describe("a campaign of blocks", () => {
  test("says back what it was given, is sent, and each gets the blocks that are meant for them", async () => {
    const listId = await makeList(app);
    await addSubscriber(app, listId, "vip@fernhill.dev", { first_name: "Priya", tags: ["VIP"] });
    await addSubscriber(app, listId, "other@fernhill.dev");
    const only_for = { type: "tag", tag: "VIP", has: true };
    const document = blocks(
      heading("h", "News <of> {{ November }}"),
      greeting,
      heading("vip", "For you", { only_for }),
      footer,
    );
    const campaign = await makeCampaign(listId, document);
    assert.deepEqual([campaign["html"], campaign["mjml"], campaign["blocks"]], [null, null, document]);
    assert.deepEqual(
      (campaign["checks"] as Json[]).filter(({ severity }) => severity === "error"),
      [],
    );
    const sent = await post(`/v1/campaigns/${campaign.id}/send`, {});
    assert.equal(sent.status, 202, sent.text);
    const mine = await mailFor("vip@fernhill.dev");
    assert.match(mine.html ?? "", /Dear Priya,/);
    assert.match(mine.html ?? "", /News &lt;of&gt; \{\{ November \}\}/);
    assert.match(mine.html ?? "", /For you/);
    assert.match(mine.html ?? "", /Leave/);
    assert.match(mine.text ?? "", /News <of> \{\{ November \}\}/i);
    const theirs = (await mailFor("other@fernhill.dev")).html ?? "";
    assert.match(theirs, /Dear reader,/);
    assert.doesNotMatch(theirs, /For you/);
  });

  test("names what is wrong with it by the block", async () => {
    const listId = await makeAudience(app);
    const unknown = {
      id: "b2",
      type: "heading",
      level: 1,
      content: [{ type: "variable", name: "fields.nothing" }],
    };
    const campaign = await makeCampaign(listId, blocks(heading("b1", "x"), unknown));
    const found = (campaign["checks"] as Json[]).find(({ code }) => code === "unresolved_variable");
    assert.deepEqual(found?.["place"], { part: "blocks", line: 2, column: 1, excerpt: "fields.nothing" });
    const broken = await makeCampaign(listId, blocks({ id: "raw", type: "html", html: "<p>{% if x %}</p>" }));
    const fault = (broken["checks"] as Json[]).find(({ code }) => code === "liquid_syntax");
    assert.match(String(fault?.["message"]), /the block raw/);
  });

  test("names what is found in its HTML by the block, too, and what nobody has said yet", async () => {
    const listId = await makeAudience(app);
    const link = (id: string, address: string) => ({
      id,
      type: "button",
      label: [{ type: "text", text: "Open" }],
      link: address,
    });
    const only_for = { type: "tag", tag: "VIP", has: false };
    const columns = [{ blocks: [link("in", "https://two.example.com/")] }, { blocks: [] }];
    const document = blocks(
      heading("h", "x"),
      link("b2", "https://one.example.com/"),
      { id: "b3", type: "image", src: "https://fernhill.dev/a.png", alt: null },
      { id: "b4", type: "image", src: "https://fernhill.dev/a.png", alt: "" },
      { id: "b5", type: "product", title: [], label: "Buy" },
      { id: "b6", type: "columns", columns, only_for },
      { id: "b8", type: "html", html: '<a href="javascript{{ fields.none }}:x">x</a><a href="ftp/x">y</a>' },
      footer,
    );
    const refused = await makeCampaign(listId, document);
    const [fault] = (refused["checks"] as Json[]).filter(({ code }) => code === "unsafe_place");
    assert.deepEqual(fault?.["place"], { part: "blocks", line: 8, column: 1, excerpt: "" });
    const mended = { ...document, blocks: document.blocks.filter((_, at) => at !== 6) };
    const campaign = await makeCampaign(listId, mended);
    const placed = (campaign["checks"] as Json[])
      .filter(({ severity }) => severity !== "info")
      .map(({ code, place }) => [code, (place as Json | null)?.["part"], (place as Json | null)?.["line"]]);
    assert.deepEqual(
      placed.filter(([code]) => /placeholder_link|missing_alt|empty_link/.test(code as string)),
      [
        ["placeholder_link", "blocks", 2],
        // What is within a condition is told of the block that has it.
        ["placeholder_link", "blocks", 6],
        ["missing_alt", "blocks", 3],
        ["empty_link", "blocks", 5],
      ],
    );
    assert.ok(
      (campaign["checks"] as Json[]).every(({ place }) => (place as Json | null)?.["part"] !== "html"),
    );
  });

  test("takes another way of writing in place of the blocks, and an earlier version brings them back", async () => {
    const listId = await makeAudience(app);
    const document = blocks(heading("h", "By blocks"), footer);
    const campaign = await makeCampaign(listId, document);
    // What one person writes within five minutes is one version.
    await app.db.execute(sql`
      update campaign_versions set created_at = created_at - interval '6 minutes'
      where account_id = ${uuidOf("acc", app.accountId)} and campaign_id = ${uuidOf("cmp", campaign.id)}`);
    const { body } = await post("/v1/blocks/mjml", { blocks: document });
    assert.match(body.mjml, /^<mjml>/);
    const both = await app.api("PATCH", `/v1/campaigns/${campaign.id}`, { body: { mjml: body.mjml } });
    assert.deepEqual(faultsOf(both), ["/blocks only_one"]);
    const by = await app.api("PATCH", `/v1/campaigns/${campaign.id}`, {
      body: { mjml: body.mjml, blocks: null },
    });
    assert.deepEqual([by.body.mjml, by.body.blocks], [body.mjml, null]);
    const restored = await post(`/v1/campaigns/${campaign.id}/versions/1/restore`, {});
    assert.deepEqual([restored.body.mjml, restored.body.blocks], [null, document]);
  });

  const refused: readonly [name: string, document: Json, status: number, fault: string][] = [
    ["of an unknown version", { version: 2, blocks: [] }, 422, "/blocks/version invalid_value"],
    [
      "with a kind that there is not",
      blocks({ id: "b", type: "video" }),
      422,
      "/blocks/blocks/0/type invalid_value",
    ],
    [
      "with the same id twice",
      blocks(heading("b", "x"), heading("b", "y")),
      422,
      "/blocks/blocks/1/id duplicate",
    ],
    [
      "with a link that runs",
      blocks({ id: "b", type: "button", label: [], link: "javascript:alert(1)" }),
      422,
      "/blocks/blocks/0/link invalid_link",
    ],
    [
      "of more than 512 KB",
      blocks(...Array.from({ length: 40 }, (_, at) => heading(`b${at}`, "ö".repeat(9_000)))),
      422,
      "/blocks too_long",
    ],
  ];
  for (const [name, document, status, fault] of refused) {
    test(`is refused with a document ${name}`, async () => {
      const listId = await makeAudience(app);
      const body = { name: "x", list_id: listId, subject: "x", blocks: document };
      const reply = await post("/v1/campaigns", body);
      assert.equal(reply.status, status, reply.text);
      assert.ok(faultsOf(reply).includes(fault), faultsOf(reply).join(", "));
    });
  }
});

const TABLES = { campaigns: sql`campaigns`, templates: sql`templates`, sections: sql`sections` };

describe("blocks that a newer version stored", () => {
  const video = {
    id: "v",
    type: "video",
    src: "https://acme.example/v.mp4",
    nested: { captions: [{ lang: "en" }] },
  };
  const newer: readonly [name: string, document: Json, message: RegExp][] = [
    [
      "of a kind that isn't known",
      blocks(heading("h", "x"), video),
      /knows no block of the kind video.*the block v/,
    ],
    [
      "with a style that isn't known",
      { ...blocks(heading("h", "x")), style: { shadow: "soft" }, author: "somebody" },
      /^$/,
    ],
    ["in a version that isn't known", { version: 2, parts: [video] }, /newer version of the service/],
  ];
  for (const [name, document, message] of newer) {
    test(`${name} are returned as they are, and kept when something else is changed`, async () => {
      const listId = await makeAudience(app);
      const { id } = await makeCampaign(listId, blocks(heading("h", "x"), footer));
      const accountId = uuidOf("acc", app.accountId);
      await app.db.execute(sql`
        update campaigns set blocks = ${JSON.stringify(document)}::json
        where account_id = ${accountId} and id = ${uuidOf("cmp", id)}`);
      assert.deepEqual((await app.api("GET", `/v1/campaigns/${id}`)).body.blocks, document);
      const renamed = await app.api("PATCH", `/v1/campaigns/${id}`, { body: { subject: "Another" } });
      assert.deepEqual([renamed.status, renamed.body.blocks], [200, document], renamed.text);
      const found = (renamed.body.checks as Json[]).find(({ code }) => code === "unknown_block");
      assert.match(String(found?.["message"] ?? ""), message);
      const copy = await post(`/v1/campaigns/${id}/duplicate`, {});
      assert.deepEqual(copy.body.blocks, document, copy.text);
      const template = await post("/v1/templates", {
        name: `Newer ${name}`,
        subject: "x",
        blocks: blocks(heading("h", "x")),
      });
      await app.db.execute(sql`
        update templates set blocks = ${JSON.stringify(document)}::json
        where account_id = ${accountId} and id = ${uuidOf("tpl", template.body.id)}`);
      const changed = await app.api("PATCH", `/v1/templates/${template.body.id}`, { body: { subject: "y" } });
      assert.deepEqual([changed.status, changed.body.blocks], [200, document], changed.text);
      const section = await post("/v1/sections", {
        name: `Newer ${name}`,
        blocks: blocks(heading("h", "x")),
      });
      await app.db.execute(sql`
        update sections set blocks = ${JSON.stringify(document)}::json
        where account_id = ${accountId} and id = ${uuidOf("sec", section.body.id)}`);
      const kept = await app.api("PATCH", `/v1/sections/${section.body.id}`, {
        body: { name: `Kept ${name}` },
      });
      assert.deepEqual([kept.status, kept.body.blocks], [200, document], kept.text);
    });
  }

  const kinds: readonly [kind: keyof typeof TABLES, prefix: string, make: () => Promise<Json>][] = [
    ["campaigns", "cmp", async () => ({ name: "x", list_id: await makeAudience(app), subject: "x" })],
    ["templates", "tpl", async () => ({ name: "Beside newer", subject: "x" })],
    ["sections", "sec", async () => ({ name: "Beside newer" })],
  ];
  for (const [kind, prefix, make] of kinds) {
    test(`are taken back by ${kind} while what stands beside them is edited, and no others like them`, async () => {
      const { body: made } = await post(`/v1/${kind}`, {
        ...(await make()),
        blocks: blocks(heading("h", "x")),
      });
      const shadowed = heading("s", "Shadowed", { shadow: "soft" });
      const columns = (leaf: Json) => ({
        id: "c",
        type: "columns",
        columns: [{ blocks: [{ ...video, id: "inner" }] }, { blocks: [leaf] }],
      });
      const stored = {
        ...blocks(heading("h", "x"), video, shadowed, columns(heading("l", "x"))),
        author: "somebody",
      };
      const change = async (document: unknown) => {
        await app.db.execute(sql`
          update ${TABLES[kind]} set blocks = ${JSON.stringify(stored)}::json
          where account_id = ${uuidOf("acc", app.accountId)} and id = ${uuidOf(prefix, made.id)}`);
        return app.api("PATCH", `/v1/${kind}/${made.id}`, { body: { blocks: document } });
      };
      // The order of members means nothing, and a copy has another id.
      const { id: _id, nested, ...rest } = video;
      const edited = {
        ...stored,
        blocks: [
          columns(heading("l", "Edited too")),
          shadowed,
          heading("h", "Edited"),
          video,
          { nested, ...rest, id: "copy" },
        ],
      };
      const saved = await change(edited);
      assert.deepEqual([saved.status, saved.body.blocks], [200, edited], saved.text);
      const refused: readonly [document: unknown, fault: string][] = [
        [
          { ...stored, blocks: [{ ...video, src: "https://x.example/" }] },
          "/blocks/blocks/0/type invalid_value",
        ],
        [{ ...stored, blocks: [{ ...video, id: "<b>" }] }, "/blocks/blocks/0/id invalid_format"],
        [{ ...stored, blocks: [{ ...video, type: "map" }] }, "/blocks/blocks/0/type invalid_value"],
        [{ ...stored, blocks: [{ ...shadowed, shadow: "hard" }] }, "/blocks/blocks/0/shadow unknown_field"],
        [{ ...stored, blocks: [heading("h", "x")], author: "another" }, "/blocks/author unknown_field"],
        [
          { ...stored, blocks: [columns({ ...columns(heading("l", "x")), id: "d" })] },
          "/blocks/blocks/0/columns/1/blocks/0/type invalid_value",
        ],
        [{ version: 2, blocks: [] }, "/blocks/version invalid_value"],
        [{ version: 1, blocks: "none" }, "/blocks/blocks invalid_type"],
        [[], "/blocks invalid_type"],
      ];
      for (const [document, fault] of refused) {
        const reply = await change(document);
        assert.deepEqual([reply.status, faultsOf(reply)], [422, [fault]], reply.text);
      }
    });
  }
});

describe("a template of blocks", () => {
  test("is published, fills mails with a block for each item, and begins campaigns", async () => {
    const row = {
      id: "row",
      type: "product",
      title: [{ type: "variable", name: "item.name" }],
      repeat: { over: "items", most: 5 },
    };
    const made = await post("/v1/templates", {
      name: "Receipt of blocks",
      subject: "Your order",
      blocks: blocks(heading("h", "Thank you"), row),
      variables: [{ name: "items", type: "list", sample: [{ name: "Tea" }] }],
    });
    assert.equal(made.status, 201, made.text);
    const published = await post(`/v1/templates/${made.body.id}/publish`, {});
    assert.equal(published.status, 200, published.text);
    assert.equal(published.body.has_unpublished_changes, false);
    const mail = await post("/v1/emails", {
      from: "shop@acme.example",
      to: ["ada@example.com"],
      template_id: made.body.id,
      variables: { items: [{ name: "Salt <1>" }, { name: "Roofs" }] },
    });
    assert.equal(mail.status, 202, mail.text);
    const { html } = await mailFor("ada@example.com");
    assert.match(html ?? "", /Salt &lt;1&gt;.*Roofs/s);
    const listId = await makeAudience(app);
    const begun = await post("/v1/campaigns", {
      name: "From it",
      list_id: listId,
      subject: "x",
      template_id: made.body.id,
    });
    assert.equal(begun.status, 201, begun.text);
    assert.deepEqual(begun.body.blocks, made.body.blocks);
  });
});
