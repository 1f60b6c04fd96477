/** Every plain column of `src/subscribers/columns.ts` goes the whole way, whatever columns there are. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { COLUMNS, eachPlain, PLAIN_NAMES, plainColumn } from "../../src/subscribers/columns.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { act, makeCampaign } from "../support/campaigns.ts";
import { importFile, makeList } from "../support/imports.ts";
import { addSubscriber, type Json } from "../support/subscribers.ts";

let app: TestApp;
before(async () => {
  app = await createApp();
});
after(() => app.stop());

async function onlyOneOf(listId: string): Promise<Json> {
  const { data } = (await app.api("GET", `/v1/subscribers?list_id=${listId}`)).body;
  assert.equal(data.length, 1);
  return data[0];
}

for (const name of PLAIN_NAMES) {
  const { sample } = plainColumn(name);
  describe(`the column ${name}`, () => {
    it("is given, changed and cleared by a client, who is told of it each time", async () => {
      const listId = await makeList(app);
      const { id } = await addSubscriber(app, listId, `client-${name}@example.com`);
      const path = `/v1/subscribers/${id}`;
      assert.equal((await app.api("GET", path)).body[name], null);
      const given = await app.api("PATCH", path, { body: { [name]: sample } });
      assert.equal(given.body[name], sample, given.text);
      const merged = await app.api("POST", "/v1/subscribers?on_conflict=update", {
        body: { email: `client-${name}@example.com`, list_id: listId, tags: ["other"] },
      });
      assert.equal(merged.body[name], sample, merged.text);
      const { data } = (await app.api("GET", `/v1/subscribers/${id}/activity`)).body;
      assert.ok(data.some((one: Json) => String(one["data"]["changed"]) === name));
      assert.equal((await app.api("PATCH", path, { body: { [name]: null } })).body[name], null);
      assert.equal((await app.api("PATCH", path, { body: { [name]: 7 } })).status, 422);
    });

    it("is compared by segments, which say it in words", async () => {
      const listId = await makeList(app);
      await addSubscriber(app, listId, `with-${name}@example.com`, { [name]: sample });
      await addSubscriber(app, listId, `without-${name}@example.com`);
      const preview = async (rules: Json) =>
        (await app.api("POST", "/v1/segments/preview", { body: { list_id: listId, rules } })).body;
      assert.equal((await preview({ field: name, op: "is", value: sample.toUpperCase() })).count, 1);
      const { count, sentence } = await preview({ field: name, op: "is_not_set" });
      assert.equal(count, 1);
      assert.ok(
        String(sentence)
          .toLowerCase()
          .startsWith(COLUMNS[name].segment?.words ?? "?"),
      );
    });

    it("is known to templates, with the subscriber's value or with a sample", async () => {
      const listId = await makeList(app);
      const [{ id }, { id: without }] = [
        await addSubscriber(app, listId, `mail-${name}@example.com`, { [name]: sample }),
        await addSubscriber(app, listId, `bare-${name}@example.com`),
      ];
      const campaign = await makeCampaign(app, listId, { text: `It is [{{ subscriber.${name} }}].` });
      const shown = async (body?: Json) =>
        /It is \[(.*)\]/.exec((await act(app, campaign["id"], "preview", body)).body.text)?.[1];
      assert.equal(await shown(), sample);
      assert.equal(await shown({ subscriber_id: id }), sample);
      assert.equal(await shown({ subscriber_id: without }), "");
      const { body } = await app.api("GET", `/v1/campaigns/${campaign["id"]}/preflight`);
      assert.ok(!JSON.stringify(body).includes(`subscriber.${name}`), JSON.stringify(body));
    });
  });
}

describe("all columns together", () => {
  const samples = eachPlain((_name, { sample }) => sample);
  const line = (cells: readonly string[]) => `${cells.join(",")}\r\n`;

  it("leave by an export and come back by an import", async () => {
    const [listId, otherId] = [await makeList(app), await makeList(app)];
    await addSubscriber(app, listId, "file@example.com", samples);
    const { download_url: url } = (await app.api("POST", "/v1/exports", { body: { list_id: listId } })).body;
    const done = await importFile(app, { list_id: otherId }, await (await fetch(url)).text());
    assert.equal(done.counts.created, 1, JSON.stringify(done));
    assert.deepEqual(pick(await onlyOneOf(otherId)), samples);
  });

  it("are found by their headings, and an empty cell clears none of them", async () => {
    const listId = await makeList(app);
    const headings = PLAIN_NAMES.map((name) => plainColumn(name).headings.split(",")[1]?.trim() ?? name);
    const file =
      line(["email", ...headings]) +
      line(["heading@example.com", ...PLAIN_NAMES.map((name) => samples[name])]) +
      line(["heading@example.com", ...PLAIN_NAMES.map(() => "")]);
    const options = { list_id: listId, on_conflict: "update" };
    await importFile(app, options, file);
    assert.deepEqual(pick(await onlyOneOf(listId)), samples);
    await importFile(app, { ...options, tags: ["again"] }, line(["email"]) + line(["heading@example.com"]));
    const { tags, ...after } = await onlyOneOf(listId);
    assert.deepEqual([pick(after), tags], [samples, ["again"]]);
  });

  it("are checked in a file as they are in a request", async () => {
    const listId = await makeList(app);
    const long = "x".repeat(2_001);
    const file = PLAIN_NAMES.map((_, at) =>
      line([`${at}@example.com`, ...PLAIN_NAMES.map((_, other) => (other === at ? long : ""))]),
    );
    const done = await importFile(app, { list_id: listId }, line(["email", ...PLAIN_NAMES]) + file.join(""));
    assert.equal(done.counts.failed, PLAIN_NAMES.length, JSON.stringify(done));
  });

  it("are in the etag, so that nobody overwrites what another has just given", async () => {
    const { id } = await addSubscriber(app, await makeList(app), "etag@example.com");
    const path = `/v1/subscribers/${id}`;
    for (const name of PLAIN_NAMES) {
      const etag = (await app.api("GET", path)).headers.get("etag") ?? "";
      await app.api("PATCH", path, { body: { [name]: samples[name] } });
      const late = await app.api("PATCH", path, { body: { [name]: null }, headers: { "if-match": etag } });
      assert.equal(late.status, 412, name);
    }
  });
});

function pick(subscriber: Json): Json {
  return eachPlain((name) => subscriber[name]);
}
