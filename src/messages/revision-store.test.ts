import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { type Bench, createBench } from "../../test/support/delivery.ts";
import { sql } from "../platform/db/db.ts";
import { newId } from "../platform/ids.ts";
import { readRevision, readTrackingModes, storeRevision } from "./revision-store.ts";
import { readVisibility } from "./visibility.ts";

let bench: Bench;
before(async () => {
  bench = await createBench();
});
after(() => bench.stop());

const freeze = (content: unknown, accountId = bench.accountId) =>
  bench.ctx((ctx) => storeRevision(ctx.sql, accountId, content, bench.clock), accountId);

const CONTENT = {
  subject: "Hello",
  from: { name: null, email: "a@example.org" },
  links: [{ b: 1, a: [2, 3] }],
};

it("the same content keeps its id, whatever the order of its keys", async () => {
  const id = await freeze(CONTENT);
  const reordered = {
    links: [{ a: [2, 3], b: 1 }],
    from: { email: "a@example.org", name: null },
    subject: "Hello",
  };
  assert.equal(await freeze(reordered), id);
  // As it comes back from the database, which has an order of its own.
  assert.equal(await freeze(await readRevision(bench.db, bench.accountId, id)), id);
});

it("other content is another revision, also where only the order of a list differs", async () => {
  const ids = await Promise.all([
    freeze(CONTENT),
    freeze({ ...CONTENT, subject: "Goodbye" }),
    freeze({ ...CONTENT, links: [{ b: 1, a: [3, 2] }] }),
    freeze({ ...CONTENT, from: null }),
  ]);
  assert.equal(new Set(ids).size, ids.length);
});

it("frozen by many at once, content has one id, which none of them made in vain", async () => {
  const ids = await Promise.all(Array.from({ length: 10 }, () => freeze({ subject: "at once" })));
  assert.equal(new Set(ids).size, 1);
  assert.deepEqual(await readRevision(bench.db, bench.accountId, ids[0] ?? ""), { subject: "at once" });
});

it("a transaction that is taken back leaves the content to the one that waited for it", async () => {
  const content = { subject: "taken back" };
  const [isFrozen, isWaiting] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const failed = bench.ctx(async (ctx) => {
    await storeRevision(ctx.sql, ctx.accountId, content, bench.clock);
    isFrozen.resolve();
    await isWaiting.promise;
    throw new Error("taken back");
  });
  await isFrozen.promise;
  const waiting = freeze(content);
  setTimeout(isWaiting.resolve, 50);
  await assert.rejects(failed, /taken back/);
  assert.deepEqual(await readRevision(bench.db, bench.accountId, await waiting), content);
});

it("an account sees its own alone", async () => {
  const other = await bench.addAccount();
  const id = await freeze(CONTENT);
  assert.notEqual(await freeze(CONTENT, other), id);
  await assert.rejects(readRevision(bench.db, other, id));
  await assert.rejects(readRevision(bench.db, bench.accountId, newId(bench.clock)));
});

it("says how a revision tracks without its content, and by it where an older release froze it", async () => {
  const tracking = { opens: true, clicks: false, mode: "consented" };
  const [id, before, without] = [
    await freeze({ n: 1, tracking }),
    await freeze({ n: 2, tracking }),
    await freeze({ n: 3 }),
  ];
  const { db, accountId } = bench;
  await db.execute(sql`update revisions set content = '{}' where account_id = ${accountId} and id = ${id}`);
  await db.execute(
    sql`update revisions set tracking = null where account_id = ${accountId} and id = ${before}`,
  );
  const all = [id, before, without];
  const modes = await readTrackingModes(
    db,
    all.map((revisionId) => ({ accountId, revisionId })),
  );
  assert.deepEqual(
    all.map((one) => modes.get(one)),
    ["consented", "consented", "individual"],
  );
  const seen = await readVisibility(db, accountId, all);
  assert.deepEqual(
    all.map((one) => seen.get(one)?.opens),
    ["consenting", "consenting", "nobody"],
  );
});
