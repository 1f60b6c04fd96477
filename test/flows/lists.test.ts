import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp } from "../support/app.ts";
import {
  act,
  addSubscriber,
  eventsSince,
  type Json,
  makeList,
  recount,
  uuidOf,
  walk,
} from "../support/subscribers.ts";
import { until } from "../support/until.ts";

let app: TestApp;
before(async () => {
  app = await createApp();
});
after(() => app.stop());

const list = (id: string) => app.api("GET", `/v1/lists/${id}`);
const countsOf = async (id: string) => (await list(id)).body.counts;
const faultsOf = (body: Json) =>
  body["errors"].map((one: Json) => `${one["pointer"] ?? one["parameter"]} ${one["code"]}`);

describe("a list", () => {
  it("needs a name and no more", async () => {
    const made = await app.api("POST", "/v1/lists", { body: { name: "Plain" } });
    assert.equal(made.status, 201, made.text);
    const { id, created_at, updated_at, updated_by, ...rest } = made.body;
    assert.equal(created_at, updated_at);
    assert.equal(updated_by.kind, "api_key");
    assert.deepEqual(rest, {
      object: "list",
      name: "Plain",
      from_name: null,
      from_email: null,
      reply_to: null,
      postal_address: null,
      double_opt_in: false,
      public: false,
      tracking: null,
      archive_slug: null,
      archive_indexed: false,
      welcome_template_id: null,
      sample: false,
      counts: { pending: 0, active: 0, unsubscribed: 0, bounced: 0, complained: 0, total: 0 },
    });
    assert.equal(made.headers.get("location"), `${app.baseUrl}/v1/lists/${id}`);
    const read = await list(id);
    assert.deepEqual(read.body, made.body);
    assert.equal(read.headers.get("etag"), made.headers.get("etag"));
  });

  it("keeps its sender's details, addresses trimmed", async () => {
    const body = {
      name: "Full",
      from_name: "Ada from Acme",
      from_email: " News@Example.com ",
      reply_to: "hello@example.com",
      postal_address: "1 High Street\nLondon",
      double_opt_in: true,
      public: false,
      tracking: "consented",
    };
    const made = await app.api("POST", "/v1/lists", { body });
    const { counts: _counts, ...kept } = made.body;
    assert.deepEqual({ ...kept, ...body, from_email: "News@Example.com" }, kept);
  });

  it("is told every fault at once", async () => {
    const shape = await app.api("POST", "/v1/lists", {
      body: { name: "  ", double_opt_in: "yes", colour: "red" },
    });
    assert.equal(shape.status, 422);
    assert.deepEqual(faultsOf(shape.body).toSorted(), [
      "/colour unknown_field",
      "/double_opt_in invalid_type",
      "/name required",
    ]);
    const addresses = await app.api("POST", "/v1/lists", {
      body: { name: "Bad", from_email: "nobody", reply_to: "a@b" },
    });
    assert.deepEqual(faultsOf(addresses.body), ["/from_email invalid_email", "/reply_to invalid_email"]);
  });

  it("is changed field by field; null clears", async () => {
    const id = await makeList(app, { from_name: "Ada", reply_to: "a@example.com" });
    const reply = await app.api("PATCH", `/v1/lists/${id}`, {
      body: { name: "New name", from_name: null },
      headers: { "content-type": "application/merge-patch+json" },
    });
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(
      [reply.body.name, reply.body.from_name, reply.body.reply_to],
      ["New name", null, "a@example.com"],
    );
    assert.deepEqual((await list(id)).body, reply.body);
  });

  it("with a stale If-Match isn't changed", async () => {
    const id = await makeList(app);
    const etag = String((await list(id)).headers.get("etag"));
    const patch = (name: string) =>
      app.api("PATCH", `/v1/lists/${id}`, { body: { name }, headers: { "if-match": etag } });
    assert.equal((await patch("First")).status, 200);
    assert.equal((await patch("Second")).status, 412);
    assert.equal((await list(id)).body.name, "First");
  });

  it("has an ETag that counts don't change", async () => {
    const id = await makeList(app);
    const before = (await list(id)).headers.get("etag");
    await addSubscriber(app, id, "etag@example.com");
    assert.equal((await list(id)).headers.get("etag"), before);
  });

  it("tells of each change by an event, and of none when nothing changed", async () => {
    const { cursor } = await eventsSince(app);
    const id = await makeList(app);
    await app.api("PATCH", `/v1/lists/${id}`, { body: { name: "A list", reply_to: null } });
    await app.api("PATCH", `/v1/lists/${id}`, { body: { name: "Other", reply_to: "a@example.com" } });
    await app.api("DELETE", `/v1/lists/${id}`);
    const { events } = await eventsSince(app, cursor);
    assert.deepEqual(
      events.map(({ type, data }) => [type, data]),
      [
        ["list.created", { list_id: id }],
        ["list.updated", { list_id: id, changed: ["name", "reply_to"] }],
        ["list.deleted", { list_id: id, subscribers: 0 }],
      ],
    );
  });

  it("of another account, or of none, is 404", async () => {
    const other = await app.addAccount();
    const foreign = await makeList(app, {}, other.key);
    for (const id of [foreign, "lst_00000000000000000000000000", "lst_nonsense", "sub_x"]) {
      assert.equal((await list(id)).status, 404, id);
      assert.equal((await app.api("PATCH", `/v1/lists/${id}`, { body: { name: "Mine" } })).status, 404, id);
      assert.equal((await app.api("DELETE", `/v1/lists/${id}?force=true`)).status, 404, id);
      const path = `/v1/subscribers?list_id=${id}`;
      assert.equal((await app.api("GET", path)).status, 404, id);
    }
  });
});

describe("the page of lists", () => {
  it("has every list once, newest first, and says how many there are", async () => {
    const other = await app.addAccount();
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.push(await makeList(app, { name: `List ${i}` }, other.key));
    const api: typeof app.api = (method, path, more) => app.api(method, path, { ...more, key: other.key });
    const found = await walk({ ...app, api }, "/v1/lists?limit=2");
    assert.deepEqual(
      found.map(({ id }) => id),
      ids.toReversed(),
    );
    const { body } = await api("GET", "/v1/lists?include_total=true&limit=1");
    assert.deepEqual([body.total, body.data.length], [5, 1]);
  });
});

describe("deleting a list", () => {
  it("with subscribers says how many would go, and does nothing", async () => {
    const id = await makeList(app);
    for (const name of ["a", "b"]) await addSubscriber(app, id, `${name}@delete.example`);
    const reply = await app.api("DELETE", `/v1/lists/${id}`);
    assert.deepEqual(
      [reply.status, reply.body.code, reply.body.would_delete],
      [409, "list_not_empty", { subscribers: 2 }],
    );
    assert.equal((await countsOf(id)).total, 2);
  });

  it("without subscribers needs no force", async () => {
    const id = await makeList(app);
    assert.equal((await app.api("DELETE", `/v1/lists/${id}`)).status, 204);
    assert.equal((await list(id)).status, 404);
    assert.equal((await app.api("DELETE", `/v1/lists/${id}`)).status, 404);
  });

  it("by force takes it and its subscribers from sight at once, and every row soon after", async () => {
    const id = await makeList(app);
    const kept = await makeList(app);
    const email = "gone@example.com";
    const gone = await addSubscriber(app, id, email, { tags: ["gone-tag"] });
    const stays = await addSubscriber(app, kept, email);
    await act(app, gone["id"], "unsubscribe");
    const items = Array.from({ length: 300 }, (_, i) => ({ email: `g${i}@example.com`, list_id: id }));
    await app.api("POST", "/v1/subscribers/batch", { body: { subscribers: items } });
    const total = async () =>
      (await app.api("GET", "/v1/subscribers?include_total=true&limit=1")).body.total as number;
    const before = await total();

    assert.equal((await app.api("DELETE", `/v1/lists/${id}?force=true`)).status, 204);
    assert.equal((await list(id)).status, 404);
    assert.equal((await app.api("GET", `/v1/subscribers?list_id=${id}`)).status, 404);
    assert.equal((await app.api("GET", `/v1/subscribers/${gone["id"]}`)).status, 404);
    assert.equal((await app.api("GET", `/v1/subscribers/${gone["id"]}/activity`)).status, 404);
    assert.equal((await act(app, gone["id"], "unsubscribe")).status, 404);
    const found = (await app.api("GET", `/v1/subscribers/search?email=${email}`)).body.data;
    assert.deepEqual(
      found.map((one: Json) => one["id"]),
      [stays["id"]],
    );
    assert.equal((await app.api("GET", "/v1/subscribers?tag=gone-tag")).body.data.length, 0);
    assert.equal(await total(), before - 301);
    const lists = await walk(app, "/v1/lists");
    assert.ok(lists.every((one) => one["id"] !== id));

    const uuid = uuidOf("lst", id);
    const left = sql`
      select (select count(*) from lists where id = ${uuid}) + (select count(*) from subscribers where list_id = ${uuid})
        + (select count(*) from list_counts where list_id = ${uuid})
        + (select count(*) from opt_outs where list_id = ${uuid})
        + (select count(*) from subscriber_tags where list_id = ${uuid})
        + (select count(*) from consents where subscriber_id = ${uuidOf("sub", gone["id"])}) as rows`;
    await until(async () => (await app.db.one<{ rows: number }>(left)).rows === 0);
    assert.equal((await app.api("GET", `/v1/subscribers/${stays["id"]}`)).body.status, "active");
  });

  it("shows none of it anywhere while its rows are still there", async () => {
    // The list is marked and nothing is removed, as if the job had not run yet.
    const id = await makeList(app);
    const email = "half-gone@example.com";
    const { id: subscriber } = await addSubscriber(app, id, email, { tags: ["half-gone"] });
    await app.api("POST", "/v1/suppressions", { body: { email } });
    await app.db.execute(sql`update lists set deleted_at = now() where id = ${uuidOf("lst", id)}`);
    const pages = [
      "/v1/subscribers?",
      "/v1/subscribers?tag=half-gone&",
      "/v1/subscribers?status=active&",
      "/v1/subscribers?sort=email&",
      "/v1/subscribers?sort=updated_at&",
      "/v1/subscribers?created_after=2020-01-01T00:00:00Z&",
      `/v1/subscribers/search?email=${email}&`,
    ];
    for (const page of pages) {
      const { body } = await app.api("GET", `${page}limit=200&include_total=true`);
      assert.ok(!JSON.stringify(body).includes(id), page);
      assert.equal(body.total, body.data.length, page);
    }
    const body = { email, list_id: id };
    assert.equal((await app.api("POST", "/v1/subscribers", { body })).status, 422);
    for (const [method, path] of [
      ["GET", ""],
      ["PATCH", ""],
      ["DELETE", ""],
      ["POST", "/unsubscribe"],
      ["POST", "/forget"],
    ] as const) {
      const more = method === "PATCH" ? { body: { first_name: "X" } } : {};
      assert.equal((await app.api(method, `/v1/subscribers/${subscriber}${path}`, more)).status, 404, path);
    }
  });

  it("lets no subscriber slip in behind it", async () => {
    const id = await makeList(app);
    const uuid = uuidOf("lst", id);
    const adds = Array.from({ length: 20 }, (_, i) =>
      app.api("POST", "/v1/subscribers", { body: { email: `slip${i}@example.com`, list_id: id } }),
    );
    const removed = await app.api("DELETE", `/v1/lists/${id}?force=true`);
    assert.equal(removed.status, 204);
    for (const { status } of await Promise.all(adds))
      assert.ok(status === 201 || status === 422, `${status}`);
    const rows = sql`
      select (select count(*) from subscribers where list_id = ${uuid})
        + (select count(*) from list_counts where list_id = ${uuid}) as rows`;
    await until(async () => (await app.db.one<{ rows: number }>(rows)).rows === 0);
  });
});

describe("counts", () => {
  it("follow each change of status", async () => {
    const id = await makeList(app, { double_opt_in: true });
    const one = await addSubscriber(app, id, "counted@example.com");
    assert.deepEqual(await countsOf(id), await recount(app, id));
    assert.equal((await countsOf(id)).pending, 1);
    await act(app, one["id"], "unsubscribe");
    assert.deepEqual(
      [(await countsOf(id)).pending, (await countsOf(id)).unsubscribed, (await countsOf(id)).total],
      [0, 1, 1],
    );
    await app.api("DELETE", `/v1/subscribers/${one["id"]}`);
    assert.equal((await countsOf(id)).total, 0);
  });

  it("of two transactions at once never wait for the same row", async () => {
    const [ready, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    // These locks are held as if 31 others were counting.
    const others = app.db.transaction(async (tx) => {
      await tx.execute(sql`
        select pg_advisory_xact_lock(1819243380, n) from generate_series(0, 31) as n where n <> 5`);
      ready.resolve();
      await done.promise;
    });
    await ready.promise;
    const claimed = await app.db
      .one<{ shard: number }>(sql`select claim_shard() as shard`)
      .finally(done.resolve);
    await others;
    assert.equal(claimed.shard, 5);
  });

  it("are exact after a storm of changes on several lists at once, and no answer is an error", async () => {
    const lists = [await makeList(app), await makeList(app, { double_opt_in: true }), await makeList(app)];
    const PEOPLE = 12;
    const ADDRESSES = Array.from({ length: PEOPLE }, (_, i) => `storm${i}@example.com`);
    const pick = <T>(values: readonly T[]): T => values[Math.floor(Math.random() * values.length)] as T;
    const anyone = async () => {
      const found = await app.api("GET", `/v1/subscribers/search?email=${pick(ADDRESSES)}`);
      return pick<Json>(found.body.data)?.["id"] as string | undefined;
    };
    const onAnyone = async (work: (id: string) => Promise<{ status: number }>) => {
      const id = await anyone();
      return id ? work(id) : { status: 404 };
    };
    const batch = () => ({
      on_conflict: pick([undefined, "update", "skip"]),
      subscribers: Array.from({ length: 15 }, () => ({
        email: pick(ADDRESSES),
        list_id: pick(lists),
        tags: [pick(["red", "green", "blue"])],
        first_name: pick(["A", "B", "C"]),
      })),
    });
    const steps: (() => Promise<{ status: number }>)[] = [
      () => app.api("POST", "/v1/subscribers/batch", { body: batch() }),
      () => app.api("POST", "/v1/subscribers", { body: { email: pick(ADDRESSES), list_id: pick(lists) } }),
      () => onAnyone((id) => act(app, id, "unsubscribe")),
      () => onAnyone((id) => act(app, id, "unsubscribe", { scope: "all" })),
      () => onAnyone((id) => act(app, id, "resubscribe", { consent: { attested: true } })),
      () => onAnyone((id) => act(app, id, "tags", { add: ["red", "green"], remove: ["blue"] })),
      () => onAnyone((id) => app.api("PATCH", `/v1/subscribers/${id}`, { body: { email: pick(ADDRESSES) } })),
      () => onAnyone((id) => app.api("DELETE", `/v1/subscribers/${id}`)),
      () => app.api("POST", "/v1/suppressions", { body: { email: pick(ADDRESSES), reason: "hard_bounce" } }),
      async () => {
        const { data } = (await app.api("GET", `/v1/suppressions?email=${pick(ADDRESSES)}`)).body;
        return data[0] ? app.api("DELETE", `/v1/suppressions/${data[0].id}`) : { status: 404 };
      },
      () => onAnyone((id) => act(app, id, "forget")),
    ];
    const statuses = new Map<number, number>();
    const worker = async () => {
      for (let i = 0; i < 40; i++) {
        const { status } = await pick(steps)();
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: 8 }, worker));
    const unexpected = [...statuses.keys()].filter(
      (status) => ![200, 201, 202, 204, 404, 409, 429].includes(status),
    );
    assert.deepEqual(unexpected, [], JSON.stringify([...statuses]));
    for (const id of lists) assert.deepEqual(await countsOf(id), await recount(app, id));

    const { body } = await app.api("GET", `/v1/subscribers?list_id=${lists[0]}&include_total=true`);
    assert.equal(body.total, (await recount(app, lists[0] ?? ""))["total"]);
    const { deadlocks } = await app.db.one<{ deadlocks: number }>(sql`
      select deadlocks from pg_stat_database where datname = current_database()`);
    assert.equal(deadlocks, 0);
  });
});
