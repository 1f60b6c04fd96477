/** The orders of transports through the API: what they are, what they may not be, and how a transport that is put out shows. */
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type Reply, type TestApp } from "../support/app.ts";
import { type Json, settled, uuidOf } from "../support/subscribers.ts";

let app: TestApp;
/** An instance without a server of its own. */
let bare: TestApp;
before(async () => {
  app = await createApp({ settings: { ROLES: "api", SMTP_URL: "smtp://relay.example.com:587" } });
  bare = await createApp({ settings: { ROLES: "api" } });
});
after(() => Promise.all([app.stop(), bare.stop()]));

describe("an order of transports", () => {
  let key: string;
  beforeEach(async () => {
    ({ key } = await app.addAccount());
  });

  const call = (method: string, path: string, body?: Json) =>
    app.api(method, `/v1${path}`, { key, ...(body && { body }) });
  const make = async (more: Json = {}): Promise<string> =>
    (await call("POST", "/transports", { name: "A relay", host: "smtp.example.com", ...more })).body.id;
  const put = (transports: readonly string[], stream = "campaign") =>
    call("PUT", `/transport_pools/${stream}`, { transports });
  const streamsOf = async (id: string) => (await call("GET", `/transports/${id}`)).body.streams;
  const codesOf = ({ body }: Reply) =>
    body.errors.map((one: Json) => `${one["pointer"]} ${one["code"]}`).join(", ");

  it("is set, shown and emptied; the first of it has the stream", async () => {
    const [a, b] = [await make(), await make()];
    const set = await put([a, b, "instance"]);
    assert.equal(set.status, 200, set.text);
    const pool = {
      object: "transport_pool",
      stream: "campaign",
      transports: [a, b, "instance"],
      leaves_by: a,
    };
    assert.deepEqual(set.body, pool);
    assert.deepEqual((await call("GET", "/transport_pools/campaign")).body, pool);
    assert.deepEqual([await streamsOf(a), await streamsOf(b)], [["campaign"], []]);
    const { data, has_more, next_cursor } = (await call("GET", "/transport_pools")).body;
    assert.deepEqual([has_more, next_cursor], [false, null]);
    assert.deepEqual(
      data.map((one: Json) => [one["stream"], (one["transports"] as string[]).length, one["leaves_by"]]),
      [
        ["campaign", 3, a],
        ["transactional", 0, a],
        ["automation", 0, a],
      ],
    );
    await put([b, a]);
    assert.deepEqual([await streamsOf(a), await streamsOf(b)], [[], ["campaign"]]);
    assert.deepEqual((await put([])).body.leaves_by, null);
  });

  it("of one is what a transport's streams make; the next follows one that loses the stream or is deleted", async () => {
    const [a, b, c] = [await make(), await make(), await make({ streams: ["campaign"] })];
    assert.deepEqual((await call("GET", "/transport_pools/campaign")).body.transports, [c]);
    await put([a, b, c]);
    await call("PATCH", `/transports/${a}`, { streams: [] });
    assert.deepEqual((await call("GET", "/transport_pools/campaign")).body.transports, [b, c]);
    await call("DELETE", `/transports/${b}`);
    assert.deepEqual((await call("GET", "/transport_pools/campaign")).body.transports, [c]);
    await call("PATCH", `/transports/${a}`, { streams: ["campaign"] });
    assert.deepEqual((await call("GET", "/transport_pools/campaign")).body.transports, [a]);
  });

  it("has no strangers in it, nobody twice, and the instance's server only at its end", async () => {
    const a = await make();
    const other = await app.addAccount();
    const theirs = await app.api("POST", "/v1/transports", {
      key: other.key,
      body: { name: "Theirs", host: "smtp.example.com" },
    });
    assert.equal(codesOf(await put([a, theirs.body.id])), "/transports/1 not_found");
    assert.equal(
      codesOf(await put(["instance", a, "nonsense"])),
      "/transports/0 not_last, /transports/2 not_found",
    );
    assert.equal((await put([a, a])).status, 422);
    assert.equal((await put([a], "letters")).status, 404);
    assert.deepEqual((await call("GET", "/transport_pools/campaign")).body.transports, []);
  });

  it("pretends no server of the instance where there is none", async () => {
    const own = await bare.addAccount();
    const ask = (method: string, path: string, body?: Json) =>
      bare.api(method, `/v1${path}`, { key: own.key, ...(body && { body }) });
    const refused = await ask("PUT", "/transport_pools/campaign", { transports: ["instance"] });
    assert.deepEqual([refused.status, codesOf(refused)], [422, "/transports/0 no_instance_server"]);
    const input = { name: "A relay", host: "smtp.example.com", streams: ["transactional"] };
    const { id } = (await ask("POST", "/transports", input)).body;
    const leavesBy = async (of: typeof ask) =>
      (await of("GET", "/transport_pools")).body.data.map((one: Json) => one["leaves_by"]);
    // While any stream has a transport, mail leaves by that, and not into the sandbox.
    assert.deepEqual(await leavesBy(ask), [id, id, id]);
    const a = await make({ streams: ["transactional"] });
    assert.deepEqual(await leavesBy(call), [null, a, null]);
  });

  it("passes over who is put out, until somebody reinstates it", async () => {
    const [a, b] = [await make(), await make()];
    await put([a, b]);
    await app.db.execute(
      sql`update transports set out_since = now(), out_reason = 'refused', out_detail = '535 no' where id = ${uuidOf("trn", a)}`,
    );
    const { out } = (await call("GET", `/transports/${a}`)).body;
    assert.deepEqual([out.reason, out.detail, out.next_try_at], ["refused", "535 no", null]);
    assert.equal((await call("GET", "/transport_pools/campaign")).body.leaves_by, b);
    const back = await call("POST", `/transports/${a}/reinstate`);
    assert.deepEqual([back.status, back.body.out], [200, null], back.text);
    assert.equal((await call("POST", `/transports/${a}/reinstate`)).status, 200);
    assert.equal((await call("GET", "/transport_pools/campaign")).body.leaves_by, a);
    await settled(app);
    const { data } = (await call("GET", "/events?type=transport.reinstated")).body;
    assert.deepEqual(
      data.map((one: { data: Json }) => one.data),
      [{ transport_id: a, cause: "hand" }],
    );
  });
});
