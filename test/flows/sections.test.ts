/** Sections are blocks that are saved under a name; the account's style is how all mails of blocks look. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type Reply, type TestApp } from "../support/app.ts";
import { makeAudience } from "../support/campaigns.ts";
import { picture, uploadFile } from "../support/images.ts";
import { eventsSince, type Json } from "../support/subscribers.ts";

let app: TestApp;
before(async () => {
  app = await createApp();
});
after(() => app.stop());

const heading = (id: string, text: string): Json => ({
  id,
  type: "heading",
  level: 2,
  content: [{ type: "text", text }],
});
const blocks = (...given: Json[]) => ({ version: 1, blocks: given });
const hours = blocks(heading("b1", "Opening hours"));
const post = (path: string, body: unknown): Promise<Reply> => app.api("POST", path, { body });
const faultsOf = ({ body }: Reply): string[] =>
  (body.errors ?? []).map(({ pointer, code }: Json) => `${pointer} ${code}`);

describe("a saved section", () => {
  test("is made, read, listed without its blocks, changed and deleted, each with its event", async () => {
    const { cursor } = await eventsSince(app);
    const made = await post("/v1/sections", { name: "Opening hours", blocks: hours });
    assert.equal(made.status, 201, made.text);
    const { id } = made.body;
    assert.match(id, /^sec_/);
    assert.deepEqual(
      [made.body.object, made.body.name, made.body.blocks],
      ["section", "Opening hours", hours],
    );
    assert.match(String(made.headers.get("location")), new RegExp(`/v1/sections/${id}$`));
    const read = await app.api("GET", `/v1/sections/${id}`);
    assert.deepEqual(read.body, made.body);
    assert.equal(read.headers.get("etag"), made.headers.get("etag"));
    const { body: page } = await app.api("GET", "/v1/sections?q=OPENING&include_total=true");
    assert.deepEqual(
      [page.total, page.data.map((one: Json) => [one["id"], one["blocks"]])],
      [1, [[id, undefined]]],
    );
    assert.deepEqual((await app.api("GET", "/v1/sections?q=closing")).body.data, []);
    const other = blocks(heading("b1", "Closed"));
    const changed = await app.api("PATCH", `/v1/sections/${id}`, {
      body: { blocks: other },
      headers: { "if-match": String(read.headers.get("etag")) },
    });
    assert.deepEqual([changed.status, changed.body.name, changed.body.blocks], [200, "Opening hours", other]);
    const stale = await app.api("PATCH", `/v1/sections/${id}`, {
      body: { name: "Lost" },
      headers: { "if-match": String(read.headers.get("etag")) },
    });
    assert.deepEqual([stale.status, stale.body.code], [412, "precondition_failed"]);
    const same = await app.api("PATCH", `/v1/sections/${id}`, { body: { blocks: other } });
    assert.equal(same.body.updated_at, changed.body.updated_at);
    assert.equal((await app.api("DELETE", `/v1/sections/${id}`)).status, 204);
    assert.equal((await app.api("GET", `/v1/sections/${id}`)).status, 404);
    const { events } = await eventsSince(app, cursor);
    assert.deepEqual(
      events.filter(({ type }) => type.startsWith("section.")).map(({ type, data }) => [type, data]),
      [
        ["section.created", { section_id: id }],
        ["section.updated", { section_id: id, changed: ["blocks"] }],
        ["section.deleted", { section_id: id }],
      ],
    );
  });

  test("has a name of its own, whatever its case", async () => {
    const first = await post("/v1/sections", { name: "Straße", blocks: hours });
    assert.equal(first.status, 201, first.text);
    const second = await post("/v1/sections", { name: " STRASSE", blocks: hours });
    assert.equal(second.status, 201, second.text);
    for (const name of ["straße", " Straße "]) {
      const taken = await post("/v1/sections", { name, blocks: hours });
      assert.deepEqual([taken.status, taken.body.code], [409, "section_exists"], taken.text);
    }
    const renamed = await app.api("PATCH", `/v1/sections/${second.body.id}`, { body: { name: "STRAßE" } });
    assert.deepEqual([renamed.status, renamed.body.code], [409, "section_exists"]);
  });

  const refused: readonly [name: string, body: Json, fault: string][] = [
    ["without a block", { name: "x", blocks: blocks() }, "/blocks/blocks required"],
    ["without a name", { name: " ", blocks: hours }, "/name required"],
    ["with a name of two lines", { name: "a\nb", blocks: hours }, "/name invalid_name"],
    [
      "with the same id twice",
      { name: "x", blocks: blocks(heading("b", "x"), heading("b", "y")) },
      "/blocks/blocks/1/id duplicate",
    ],
    [
      "with a link that runs",
      { name: "x", blocks: blocks({ id: "b", type: "button", label: [], link: "javascript:alert(1)" }) },
      "/blocks/blocks/0/link invalid_link",
    ],
    [
      "of more than 512 KB",
      {
        name: "x",
        blocks: blocks(...Array.from({ length: 40 }, (_, at) => heading(`b${at}`, "ö".repeat(9_000)))),
      },
      "/blocks too_long",
    ],
  ];
  for (const [name, body, fault] of refused) {
    test(`is refused ${name}`, async () => {
      const reply = await post("/v1/sections", body);
      assert.equal(reply.status, 422, reply.text);
      assert.ok(faultsOf(reply).includes(fault), faultsOf(reply).join(", "));
    });
  }

  test("is one of at most two hundred, however many are saved at once", async () => {
    const other = { ...app, ...(await app.addAccount()) };
    const save = (name: string) =>
      app.api("POST", "/v1/sections", { key: other.key, body: { name, blocks: hours } });
    assert.equal((await save("first")).status, 201);
    await app.db.execute(sql`
      insert into sections (account_id, id, name, name_key, blocks, created_at, updated_at)
      select account_id, gen_random_uuid(), n::text, n::text, blocks, created_at, updated_at
      from sections, generate_series(1, 197) n where account_id = ${other.accountId}`);
    const answers = await Promise.all(["a", "b", "c", "d", "e"].map(save));
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 201, 409, 409, 409]);
    assert.ok(answers.some(({ body }) => body.code === "too_many_sections"));
  });

  test("keeps a picture of the account from being deleted", async () => {
    const { id, url } = (await uploadFile(app, await picture("png"))).body;
    const image = { id: "b", type: "image", src: url, alt: "" };
    const made = await post("/v1/sections", { name: "With a picture", blocks: blocks(image) });
    assert.equal(made.status, 201, made.text);
    const kept = await app.api("DELETE", `/v1/files/${id}`);
    assert.deepEqual([kept.status, kept.body.code, kept.body.used_by], [409, "file_in_use", [made.body.id]]);
    await app.api("DELETE", `/v1/sections/${made.body.id}`);
    assert.equal((await app.api("DELETE", `/v1/files/${id}`)).status, 204);
  });
});

describe("the account's style", () => {
  const style = (blocks_style: unknown) => app.api("PATCH", "/v1/account", { body: { blocks_style } });
  const mjmlOf = async (document: unknown) => (await post("/v1/blocks/mjml", { blocks: document })).body.mjml;

  test("is set, replaced as a whole and cleared, each with an event", async () => {
    assert.equal((await app.api("GET", "/v1/account")).body.blocks_style, null);
    const { cursor } = await eventsSince(app);
    const first = await style({ width: 640, heading_font: "serif" });
    assert.deepEqual([first.status, first.body.blocks_style], [200, { width: 640, heading_font: "serif" }]);
    const second = await style({ font: "georgia" });
    assert.deepEqual(second.body.blocks_style, { font: "georgia" });
    assert.notEqual(first.headers.get("etag"), second.headers.get("etag"));
    assert.equal((await style(null)).body.blocks_style, null);
    const { events } = await eventsSince(app, cursor);
    assert.deepEqual(
      events.filter(({ type }) => type === "account.updated").map(({ data }) => data.changed),
      [["blocks_style"], ["blocks_style"], ["blocks_style"]],
    );
  });

  test("is refused with what no mail can have", async () => {
    const reply = await style({ width: 100, font: "comic", link_colour: "red", shadow: 1 });
    assert.equal(reply.status, 422, reply.text);
    assert.deepEqual(faultsOf(reply).toSorted(), [
      "/blocks_style/font invalid_value",
      "/blocks_style/link_colour invalid_colour",
      "/blocks_style/shadow unknown_field",
      "/blocks_style/width out_of_range",
    ]);
  });

  test("is what a mail has where its own style says nothing, whichever way it is looked at", async () => {
    await style({ width: 640, background: "#123456" });
    const own = { ...blocks(heading("h", "x")), style: { width: 480 } };
    const mjml = await mjmlOf(own);
    assert.match(mjml, /<mj-body background-color="#123456" width="480px"/);
    const listId = await makeAudience(app);
    const campaign = await post("/v1/campaigns", { name: "x", list_id: listId, subject: "x", blocks: own });
    const preview = await post(`/v1/campaigns/${campaign.body.id}/preview`, {});
    assert.match(preview.body.html, /#123456/);
    const template = await post("/v1/templates", { name: "styled", subject: "x", blocks: own });
    const rendering = await post(`/v1/templates/${template.body.id}/render`, {});
    assert.match(rendering.body.html, /#123456/);
    assert.deepEqual(rendering.body.undeclared, []);
    await style(null);
    assert.doesNotMatch(await mjmlOf(own), /#123456/);
  });

  test("in which a template was published stays until it is published again", async () => {
    await style({ background: "#123456" });
    const made = await post("/v1/templates", {
      name: "kept",
      subject: "x",
      blocks: blocks(heading("h", "x")),
    });
    const publish = async () =>
      (await post(`/v1/templates/${made.body.id}/publish`, {})).body.published_version;
    assert.equal(await publish(), 1);
    assert.equal(await publish(), 1);
    await style({ background: "#654321" });
    const version = (number: number) => post(`/v1/templates/${made.body.id}/render`, { version: number });
    assert.match((await version(1)).body.html, /#123456/);
    assert.equal(await publish(), 2);
    assert.match((await version(2)).body.html, /#654321/);
    assert.equal(await publish(), 2);
    await style(null);
  });
});
