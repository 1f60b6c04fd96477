import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import { systemClock } from "../../src/platform/clock.ts";
import { sql, type Tx } from "../../src/platform/db/db.ts";
import { newId, toPublicId } from "../../src/platform/ids.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { act, addSubscriber, type Json, makeList, uuidOf, walk } from "../support/subscribers.ts";

let app: TestApp;
before(async () => {
  app = await createApp();
});
after(() => app.stop());

const idsOf = (items: readonly Json[]) => items.map(({ id }) => id);
const page = (query: string, key = app.key) => app.api("GET", `/v1/subscribers?${query}`, { key });

/** Adds subscribers in one batch. Their times are nearly the same, which is the hard case for paging. */
async function fill(listId: string, count: number, name = "p"): Promise<string[]> {
  const subscribers = Array.from({ length: count }, (_, i) => ({
    email: `${name}${String(i).padStart(3, "0")}@${listId.slice(-6)}.example`,
    list_id: listId,
  }));
  const { body } = await app.api("POST", "/v1/subscribers/batch", { body: { subscribers } });
  return body.results.map((one: Json) => one["subscriber"].id);
}

describe("a page", () => {
  it("is 50 unless it is said, and has a Link to the next", async () => {
    const listId = await makeList(app);
    await fill(listId, 51);
    const first = await page(`list_id=${listId}`);
    assert.deepEqual([first.body.object, first.body.data.length, first.body.has_more], ["list", 50, true]);
    const link = /^<(.+)>; rel="next"$/.exec(String(first.headers.get("link")))?.[1];
    assert.equal(new URL(link ?? "").searchParams.get("cursor"), first.body.next_cursor);
    const next = await app.api("GET", String(link).replace(app.baseUrl, ""));
    assert.deepEqual([next.body.data.length, next.body.has_more, next.body.next_cursor], [1, false, null]);
    assert.equal(next.headers.get("link"), null);
  });

  it("has the size that is asked for, within 1 and 200", async () => {
    for (const limit of ["0", "201", "-1", "ten", "1.5", ""]) {
      assert.equal((await page(`limit=${limit}`)).status, 400, limit);
    }
    assert.equal((await page("limit=1")).body.data.length, 1);
  });

  it("by a parameter that there isn't is 400", async () => {
    const reply = await page("colour=red&status=new&created_after=yesterday&sort=-email");
    assert.equal(reply.status, 400);
    assert.deepEqual(reply.body.errors.map((one: Json) => one["parameter"]).toSorted(), [
      "colour",
      "created_after",
      "sort",
      "status",
    ]);
  });
});

describe("sorting", () => {
  let listId: string;
  let byAge: string[];
  before(async () => {
    listId = await makeList(app);
    byAge = [];
    for (const name of ["Mia", "ada", "Zoe", "bob", "Eve"])
      byAge.push((await addSubscriber(app, listId, `${name}@sort.example`))["id"]);
    await app.api("PATCH", `/v1/subscribers/${byAge[0]}`, { body: { first_name: "Changed" } });
  });

  const orders: [string, (ids: string[]) => (string | undefined)[]][] = [
    ["", (ids) => ids.toReversed()],
    ["&sort=-created_at", (ids) => ids.toReversed()],
    ["&sort=created_at", (ids) => ids],
    ["&sort=%2Bcreated_at", (ids) => ids],
    ["&sort=+created_at", (ids) => ids],
    ["&sort=updated_at", ([first, ...rest]) => [...rest, first]],
    ["&sort=-updated_at", ([first, ...rest]) => [...rest, first].toReversed()],
    ["&sort=email", ([mia, ada, zoe, bob, eve]) => [ada, bob, eve, mia, zoe]],
  ];
  for (const [sort, expected] of orders) {
    it(`${sort || "by itself"} has that order, across pages, on one list and on all`, async () => {
      const wanted = expected(byAge);
      assert.deepEqual(idsOf(await walk(app, `/v1/subscribers?list_id=${listId}&limit=2${sort}`)), wanted);
      const everywhere = idsOf(await walk(app, `/v1/subscribers?limit=3${sort}`));
      assert.deepEqual(
        everywhere.filter((id) => byAge.includes(id)),
        wanted,
      );
    });
  }
});

describe("filters", () => {
  let listId: string;
  let people: Json;
  let noon: string;
  before(async () => {
    listId = await makeList(app);
    const add = (name: string, tags: string[]) =>
      addSubscriber(app, listId, `${name}@filter.example`, { tags });
    const red = await add("red", ["Red"]);
    const both = await add("both", ["red", "green"]);
    noon = new Date(new Date(both["created_at"]).getTime() + 1).toISOString();
    await new Promise((resolve) => setTimeout(resolve, 5));
    const green = await add("green", ["green"]);
    const none = await add("none", []);
    await act(app, both["id"], "unsubscribe");
    people = { [red["id"]]: "red", [both["id"]]: "both", [green["id"]]: "green", [none["id"]]: "none" };
    const elsewhere = await makeList(app);
    await addSubscriber(app, elsewhere, "red@filter.example", { tags: ["red"] });
  });

  const cases: [string, string[]][] = [
    ["status=active", ["none", "green", "red"]],
    ["status=unsubscribed", ["both"]],
    ["status=bounced", []],
    ["tag=red", ["both", "red"]],
    ["tag=RED", ["both", "red"]],
    ["tag=red&tag=green", ["both"]],
    ["tag=red&tag=Red", ["both", "red"]],
    ["tag=red&status=active", ["red"]],
    ["tag=green&sort=created_at", ["both", "green"]],
    ["tag=green&sort=email", ["both", "green"]],
    ["tag=green&sort=-updated_at", ["both", "green"]],
    ["tag=nobody-has-this", []],
    ["tag=red&tag=nobody-has-this", []],
    ["created_after=NOON", ["none", "green"]],
    ["created_before=NOON", ["both", "red"]],
    ["created_after=2020-01-01T00:00:00Z&created_before=2020-01-02T00:00:00%2B01:00", []],
    ["updated_after=NOON", ["none", "green", "both"]],
    ["updated_before=NOON", ["red"]],
    ["tag=red&created_before=NOON&updated_after=NOON", ["both"]],
  ];
  for (const [query, expected] of cases) {
    it(`${query} has ${expected.join(", ") || "nobody"}, and the right total`, async () => {
      const filter = `list_id=${listId}&${query.replaceAll("NOON", noon)}`;
      const found = await walk(app, `/v1/subscribers?${filter}&limit=1`);
      assert.deepEqual(
        found.map(({ id }) => people[id]),
        expected,
      );
      const { body } = await page(`${filter}&include_total=true&limit=1`);
      assert.equal(body.total, expected.length);
    });
  }

  it("without a list look on every list", async () => {
    const { body } = await page("tag=red&include_total=true");
    assert.deepEqual([body.total, body.data.length], [3, 3]);
  });

  it("of an account are blind to all others", async () => {
    const other = await app.addAccount();
    const { body } = await page("include_total=true", other.key);
    assert.deepEqual([body.data, body.total], [[], 0]);
    assert.equal((await page("tag=red", other.key)).body.data.length, 0);
  });

  it("of an unknown or malformed list are 404", async () => {
    for (const id of ["lst_00000000000000000000000000", "nonsense", listId.replace("lst_", "seg_")]) {
      const reply = await page(`list_id=${id}`);
      assert.deepEqual([reply.status, reply.body.code], [404, "not_found"], id);
    }
  });
});

describe("a cursor", () => {
  it("of another filter, sort, list or account is 400", async () => {
    const listId = await makeList(app);
    await fill(listId, 3);
    const { next_cursor: cursor } = (await page(`list_id=${listId}&limit=1`)).body;
    assert.equal((await page(`list_id=${listId}&limit=2&cursor=${cursor}&include_total=true`)).status, 200);
    const other = await app.addAccount();
    for (const query of [
      `list_id=${listId}&status=active`,
      `list_id=${listId}&tag=x`,
      `list_id=${listId}&sort=email`,
      `list_id=${await makeList(app)}`,
      "",
    ]) {
      const reply = await page(`${query}&cursor=${cursor}`);
      assert.deepEqual([reply.status, reply.body.code], [400, "invalid_cursor"], query);
    }
    const tampered = await page(`list_id=${listId}&cursor=${cursor.slice(0, -2)}AA`);
    assert.equal(tampered.body.code, "invalid_cursor");
    const { next_cursor: everywhere } = (await page("limit=1")).body;
    const foreign = await page(`limit=1&cursor=${everywhere}`, other.key);
    assert.deepEqual([foreign.status, foreign.body.code], [400, "invalid_cursor"]);
  });
});

describe("walking while the list changes", () => {
  for (const sort of ["-created_at", "created_at", "email"]) {
    it(`by ${sort} skips nobody and repeats nobody`, async () => {
      const listId = await makeList(app);
      const old = await fill(listId, 40);
      const doomed = new Set<string>();
      const seen = await walk(
        app,
        `/v1/subscribers?list_id=${listId}&limit=7&sort=${sort}`,
        async (number) => {
          // Subscribers are added before, at and after the position; some change, and some are removed.
          const fresh = [`a${number}`, `p01${number}x`, `z${number}`];
          await Promise.all([
            ...fresh.map((name) => addSubscriber(app, listId, `${name}@${listId.slice(-6)}.example`)),
            ...[old[number], old.at(-1 - number)].map((id) =>
              app.api("PATCH", `/v1/subscribers/${id}`, { body: { first_name: `Changed ${number}` } }),
            ),
          ]);
          const victim = old[20 + number] ?? "";
          doomed.add(victim);
          await app.api("DELETE", `/v1/subscribers/${victim}`);
        },
      );
      const ids = idsOf(seen);
      assert.equal(new Set(ids).size, ids.length, "nobody comes twice");
      const missed = old.filter((id) => !ids.includes(id) && !doomed.has(id));
      assert.deepEqual(missed, []);
    });
  }

  it("by updated_at skips nobody, though who changes meanwhile may come again", async () => {
    const listId = await makeList(app);
    const old = await fill(listId, 40);
    const seen = await walk(
      app,
      `/v1/subscribers?list_id=${listId}&limit=7&sort=updated_at`,
      async (number) => {
        if (number > 3) return;
        for (const id of [old[number], old[39 - number]])
          await app.api("PATCH", `/v1/subscribers/${id}`, { body: { first_name: `Changed ${number}` } });
      },
    );
    const ids = idsOf(seen);
    assert.deepEqual(
      old.filter((id) => !ids.includes(id)),
      [],
    );
    const last = new Map(seen.map((one) => [one["id"], one["first_name"]]));
    assert.equal(last.get(old[0]), "Changed 0", "the newest form comes too");
    assert.ok(ids.length <= 48, `${ids.length} items for 40 people and 8 changes`);
  });

  it("by updated_at just after they were written has each once", async () => {
    const listId = await makeList(app);
    const all = await fill(listId, 60);
    const ids = idsOf(await walk(app, `/v1/subscribers?list_id=${listId}&limit=9&sort=updated_at`));
    assert.deepEqual([ids.length, new Set(ids).size], [all.length, all.length]);
  });

  it("by updated_at also finds who was written early and committed late", async () => {
    const listId = await makeList(app);
    await fill(listId, 10, "early");
    const slow = await openSlowly(listId);
    const late = await fill(listId, 10, "late");
    let rest: Promise<void> | undefined;
    const seen = await walk(
      app,
      `/v1/subscribers?list_id=${listId}&limit=8&sort=updated_at`,
      async (number) => {
        // By now the position is past the time of the slow one.
        if (number === 1) rest = slow.commit();
        await rest;
      },
    );
    const ids = idsOf(seen);
    assert.ok(ids.includes(slow.id), "the late one is there");
    assert.equal(new Set(ids).size, 21);
    assert.ok(late.every((id) => ids.includes(id)));
  });

  it("by updated_at finds several who commit late, at different times", async () => {
    const listId = await makeList(app);
    // There are two of them, because the test's own pool has no more connections.
    const slow = [await openSlowly(listId), await openSlowly(listId)];
    await fill(listId, 40);
    const seen = await walk(
      app,
      `/v1/subscribers?list_id=${listId}&limit=8&sort=updated_at`,
      async (number) => {
        await slow[number]?.commit();
      },
    );
    const ids = idsOf(seen);
    assert.deepEqual(
      slow.map(({ id }) => ids.includes(id)),
      [true, true],
    );
    assert.equal(new Set(ids).size, 42);
  });

  const opened: (() => void)[] = [];
  // A failed test must not leave a transaction open, or the app could not stop.
  afterEach(() => {
    for (const close of opened.splice(0)) close();
  });

  /** Writes a subscriber now and commits it when it is told to. */
  async function openSlowly(listId: string): Promise<{ id: string; commit(): Promise<void> }> {
    const written = Promise.withResolvers<string>();
    const go = Promise.withResolvers<void>();
    const done = app.db.transaction(async (tx) => {
      written.resolve(await insertOne(tx, listId));
      await go.promise;
    });
    done.catch(written.reject);
    opened.push(go.resolve);
    return {
      id: await written.promise,
      async commit() {
        go.resolve();
        await done;
      },
    };
  }

  async function insertOne(tx: Tx, listId: string): Promise<string> {
    const id = newId(systemClock);
    await tx.execute(sql`
      insert into subscribers (account_id, id, list_id, contact_id, email, email_key, fields, status, source, created_at,
                               updated_at)
      values (${uuidOf("acc", app.accountId)}, ${id}, ${uuidOf("lst", listId)}, ${newId(systemClock)}, ${`${id}@x.example`},
              ${`${id}@x.example`}, '{}', 'active', 'test', now(), now())`);
    return toPublicId("sub", id);
  }
});
