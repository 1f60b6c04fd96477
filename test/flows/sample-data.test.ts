/** Sample data: made once, sent into the sandbox alone, and removed without a trace of what is somebody's own. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp, WITH_UNSUBSCRIBE } from "../support/app.ts";
import { untilBlocking } from "../support/blocked.ts";
import { act, inAnHour, makeCampaign, readCampaign } from "../support/campaigns.ts";
import { addPerson, setUpOwner } from "../support/people.ts";
import { type Relay, relayUser, startRelay } from "../support/smtp/relay.ts";
import { addSubscriber, type Json, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const NONE = {
  object: "sample_data",
  list_id: null,
  campaign_id: null,
  subscribers: 0,
  own_subscribers: 0,
  drafts: 0,
  campaigns: 0,
};

let app: TestApp;
let relay: Relay;
before(async () => {
  relay = await startRelay();
  app = await createApp({ settings: { INTERNAL_HOSTS: "127.0.0.1" }, served: WITH_UNSUBSCRIBE });
});
after(async () => {
  await app.stop();
  await relay.close();
});

const call = async (method: string, path: string, body?: Json): Promise<Json> => {
  const reply = await app.api(method, path, body && { body });
  assert.ok(reply.status < 300, reply.text);
  return reply.body;
};
const add = () => call("POST", "/v1/sample_data");
const read = () => call("GET", "/v1/sample_data");
const remove = () => call("DELETE", "/v1/sample_data");
const wait = (id: string) => until(async () => (await readCampaign(app, id))["status"] === "sent");

describe("sample data", () => {
  it("is made once, by whoever asks twice or at once", async () => {
    assert.deepEqual(await read(), NONE);
    const [one, other] = await Promise.all([add(), add()]);
    assert.deepEqual(one, other);
    assert.deepEqual(await add(), one);
    assert.deepEqual(
      [one["subscribers"], one["own_subscribers"], one["drafts"], one["campaigns"]],
      [200, 0, 1, 0],
    );
    const lists: Json[] = (await call("GET", "/v1/lists"))["data"];
    assert.deepEqual(
      lists.filter(({ sample }) => sample).map(({ id, counts }) => [id, counts.active]),
      [[one["list_id"], 200]],
    );
    const { data } = await call("GET", `/v1/subscribers?list_id=${one["list_id"]}&limit=100`);
    for (const { email, source } of data) {
      assert.match(email, /@example\.(com|net|org)$/);
      assert.equal(source, "sample");
    }
    await remove();
  });

  it("goes into the sandbox though the account has a server, and so does a test and a copy of it", async () => {
    const reached = { host: "127.0.0.1", port: relay.port, verify_certificate: false, ...relayUser };
    const { id: transport } = await call("POST", "/v1/transports", {
      name: "Ours",
      ...reached,
      streams: ["campaign"],
    });
    assert.equal((await call("GET", "/v1/sending"))["leaves_by"], "transport");
    const sample = await add();
    const id: string = sample["campaign_id"];
    const copy = await call("POST", `/v1/campaigns/${id}/duplicate`);
    await call("POST", `/v1/campaigns/${id}/test`, { to: ["somebody@posteo.example"] });
    const [{ to }] = (await call("GET", "/v1/sandbox/messages?limit=1"))["data"];
    assert.equal(to, "somebody@posteo.example");
    for (const one of [id, copy["id"]]) {
      const sent = await act(app, one, "send");
      assert.equal(sent.status, 202, sent.text);
      await wait(one);
    }
    const stats = await call("GET", `/v1/campaigns/${id}/stats`);
    assert.equal(stats["recipients"], 200);
    assert.ok(stats["sent"] > 190 && stats["failed"] > 0, "some mailboxes are full");
    assert.equal(stats["sent"] + stats["failed"], 200);
    assert.equal(relay.received.length, 0, "nothing has left");
    const suppressed = await call("GET", "/v1/suppressions");
    assert.deepEqual(suppressed["data"], [], "nothing is left behind in the suppressions");
    const sums = await call("GET", "/v1/stats/sending?sandbox=true");
    assert.deepEqual([sums["recipients"], sums["sent"]], [400, stats["sent"] * 2]);
    assert.equal((await call("GET", "/v1/stats/sending"))["recipients"], 0);
    await remove();
    await call("DELETE", `/v1/transports/${transport}`);
    const shown: Json[] = (await call("GET", "/v1/campaigns"))["data"];
    assert.deepEqual(shown, []);
    const archived: Json[] = (await call("GET", "/v1/campaigns?archived=true"))["data"];
    assert.deepEqual(archived.map((one) => one["id"]).sort(), [id, copy["id"]].sort());
    for (const one of archived) assert.ok(one["archived_at"]);
    assert.deepEqual(await read(), NONE);
  });

  it("leaves no list, people, drafts, tags or field behind, and what waits for its time doesn't begin", async () => {
    const { list_id: listId, campaign_id: id } = await add();
    await act(app, id, "schedule", { send_at: inAnHour() });
    await makeCampaign(app, listId);
    const there = await read();
    assert.deepEqual([there["drafts"], there["campaigns"]], [2, 0], "what waits is a draft yet");
    await remove();
    await remove();
    assert.equal((await app.api("GET", `/v1/lists/${listId}`)).status, 404);
    assert.equal((await app.api("GET", `/v1/campaigns/${id}`)).status, 404);
    const left = async (what: string) =>
      (await call("GET", `/v1/${what}?limit=100`))["data"].filter((one: Json) =>
        /sample/i.test(JSON.stringify([one["name"], one["key"], one["source"]])),
      );
    for (const what of ["tags", "fields", "subscribers", "lists", "campaigns"]) {
      assert.deepEqual(await left(what), [], what);
    }
  });

  it("keeps people whom somebody added to its list, the list and their campaigns", async () => {
    const { list_id: listId, campaign_id: id } = await add();
    const own = await addSubscriber(app, listId, "reader@posteo.example", { source: "sample" });
    const [changed] = (await call("GET", `/v1/subscribers?list_id=${listId}&sort=email&limit=1`))["data"];
    await call("PATCH", `/v1/subscribers/${changed.id}`, { email: "real@posteo.example" });
    const draft = await makeCampaign(app, listId);
    const there = await read();
    assert.deepEqual([there["subscribers"], there["own_subscribers"], there["drafts"]], [199, 2, 2]);
    await remove();
    const kept: Json[] = (await call("GET", `/v1/subscribers?list_id=${listId}`))["data"];
    assert.deepEqual(kept.map((one) => one["id"]).sort(), [own["id"], changed.id].sort());
    assert.equal((await call("GET", `/v1/lists/${listId}`))["sample"], false);
    assert.equal((await readCampaign(app, draft["id"]))["status"], "draft");
    assert.equal((await app.api("GET", `/v1/campaigns/${id}`)).status, 404);
    assert.deepEqual(await read(), NONE);
    const again = await add();
    assert.notEqual(again["list_id"], listId);
    await remove();
  });

  it("keeps somebody who joins its list, or gets an address of their own, while it is being removed", async () => {
    for (const how of ["joins", "is given an address"]) {
      const { list_id: listId } = await add();
      const list = uuidOf("lst", listId);
      const removal = await app.db.transaction(async (tx) => {
        await (how === "joins"
          ? tx.execute(sql`select from lists where id = ${list} for key share`)
          : tx.execute(sql`
              update subscribers set email = 'late@posteo.example', email_key = 'late@posteo.example'
              where id = (select id from subscribers where list_id = ${list} limit 1)`));
        const removing = remove();
        await untilBlocking(tx);
        if (how === "joins")
          await tx.execute(sql`
            insert into subscribers select (jsonb_populate_record(s, jsonb_build_object('id', gen_random_uuid(), 'source', 'page',
              'contact_id', gen_random_uuid(), 'email', 'late@posteo.example', 'email_key', 'late@posteo.example'))).*
            from subscribers s where list_id = ${list} limit 1`);
        return { removing };
      });
      await removal.removing;
      const { data } = await call("GET", `/v1/subscribers?list_id=${listId}`);
      assert.deepEqual(
        data.map((one: Json) => one["email"]),
        ["late@posteo.example"],
        how,
      );
      assert.equal((await call("GET", `/v1/lists/${listId}`))["sample"], false);
      await call("DELETE", `/v1/lists/${listId}?force=true`);
    }
  });

  it("leaves a field that somebody had made before", async () => {
    for (const { id } of (await call("GET", "/v1/fields"))["data"]) await call("DELETE", `/v1/fields/${id}`);
    const own = await call("POST", "/v1/fields", { key: "sample_shelf", name: "Ours", type: "text" });
    await add();
    await remove();
    assert.equal((await call("GET", `/v1/fields/${own["id"]}`))["name"], "Ours");
    await call("DELETE", `/v1/fields/${own["id"]}`);
  });

  it("makes the draft again where it was deleted, and cancels what is being sent when it is removed", async () => {
    const first = await add();
    await call("DELETE", `/v1/campaigns/${first["campaign_id"]}`);
    assert.equal((await read())["campaign_id"], null);
    const { campaign_id: id, list_id } = await add();
    assert.equal(list_id, first["list_id"]);
    await act(app, id, "send");
    await act(app, id, "pause");
    await remove();
    const gone = await readCampaign(app, id);
    assert.ok(["canceled", "sent"].includes(gone["status"]), gone["status"]);
    assert.ok(gone["archived_at"]);
  });

  it("may be added by a member, and by no key that can't write campaigns", async () => {
    await setUpOwner(app);
    const { browser } = await addPerson(app, "member@example.com");
    assert.equal((await browser.send("POST", "/v1/sample_data")).status, 200);
    assert.equal((await browser.send("DELETE", "/v1/sample_data")).status, 204);
    const key = await app.addKey(["campaigns:read", "subscribers:write"]);
    assert.equal((await app.api("GET", "/v1/sample_data", { key })).status, 200);
    assert.equal((await app.api("POST", "/v1/sample_data", { key })).status, 403);
    assert.equal((await app.api("DELETE", "/v1/sample_data", { key })).status, 403);
  });
});
