import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { type Bench, createBench, idsOf } from "../../../test/support/delivery.ts";
import { keepEvents, releaseEvents } from "../../events/events.ts";
import { sql } from "../../platform/db/db.ts";
import { newId, toPublicId } from "../../platform/ids.ts";
import { insertHits } from "../hits/hit-store.ts";
import type { Hit } from "../hits/hits.ts";
import { askedOfOthers } from "./counter.fixture.ts";
import { countSlice } from "./counter.ts";
import { isFirst } from "./first-events.ts";

/** All and by people before, all and by people after, and whether that is told. */
const cases: readonly [number, number, number, number, boolean][] = [
  [0, 0, 1, 1, true],
  [0, 0, 1, 0, true],
  [1, 0, 2, 1, true],
  [1, 0, 2, 0, false],
  [1, 1, 2, 2, false],
  [1, 1, 2, 1, false],
];
for (const [all, human, allAfter, humanAfter, expected] of cases) {
  it(`${all}, ${human} by people, then ${allAfter}, ${humanAfter}: ${expected ? "told" : "not told"}`, () => {
    assert.equal(isFirst({ all, human }, { all: allAfter, human: humanAfter }), expected);
  });
}

const LINKS = [
  { index: 0, url: "https://example.com/@us?to=a@b.example", isDynamic: false },
  { index: 1, url: "https://example.com/two", isDynamic: false },
];
let bench: Bench;
let sourceId: string;
let person: { id: string; contactId: string };
before(async () => {
  bench = await createBench();
});
after(() => bench.stop());
async function addSource(): Promise<void> {
  await releaseEvents(bench.db, bench.accountId, "one");
  const listId = await bench.addList();
  await bench.addSubscribers([`a@${listId}.example`], listId);
  const revision = { subject: listId, compiled: { links: LINKS } };
  sourceId = await bench.launch({ audience: { listId, segmentId: null }, revision });
  await bench.db.execute(sql`
    insert into deliveries (account_id, source_id, contact_id, subscriber_id, stream, transport_id, state, attempt, changed_at)
    select account_id, ${sourceId}, contact_id, id, 'campaign', ${sourceId}, 'sent', 1, now()
    from subscribers where list_id = ${listId}`);
  person = await bench.db.one(
    sql`select id, contact_id as "contactId" from subscribers where list_id = ${listId}`,
  );
}

const START_MS = Date.UTC(2026, 10, 15, 10);
const hit = (second: number, link: number | null, machine = ""): Hit => ({
  accountId: bench.accountId,
  sourceId,
  contactId: person.contactId,
  link,
  at: new Date(START_MS + second * 1_000),
  times: 1,
  isHead: false,
  isPrefetch: false,
  hasFrom: false,
  userAgent: machine,
  address: "192.0.2.1",
});
const classify = async (_tx: unknown, hits: readonly Hit[]) => hits.map(({ userAgent }) => userAgent);
const idsInEvents = ({ ownerId }: { ownerId: string }) => idsOf(ownerId);

async function count(...hits: Hit[]): Promise<void> {
  const { db, clock, log } = bench;
  await insertHits(db, { id: newId(clock), hits }, clock.now());
  await countSlice({ db, clock, log, ...askedOfOthers, classify, idsInEvents }, 0);
}

type Told = { type: string; data: Record<string, unknown>; actor: string };
const told = () =>
  bench.db.many<Told>(sql`
    select type, data, actor_kind as actor from events
    where account_id = ${bench.accountId} and data ->> 'campaign_id' = ${toPublicId("cmp", sourceId)} and type ^@ 'email.'
    order by xid, id`);
const brief = async () =>
  (await told()).map(({ type, data }) => [
    type,
    data["human"],
    ...(data["position"] ? [data["position"]] : []),
  ]);

describe("opens and clicks as events", () => {
  beforeEach(addSource);

  it("aren't written where nobody keeps them, nor of a type that nobody keeps", async () => {
    await count(hit(1, null), hit(2, 0));
    assert.deepEqual(await told(), []);
    await keepEvents(bench.db, bench.accountId, "one", ["email.clicked"]);
    await count(hit(3, null), hit(4, 1));
    assert.deepEqual(await brief(), [["email.clicked", true, 2]]);
  });

  it("name the campaign, the subscriber, the time and the link, and no address", async () => {
    await keepEvents(bench.db, bench.accountId, "one", ["email.opened", "email.clicked"]);
    await count(hit(5, 0, "security_gateway"));
    const common = {
      campaign_id: toPublicId("cmp", sourceId),
      subscriber_id: toPublicId("sub", person.id),
      at: new Date(START_MS + 5_000).toISOString(),
      human: false,
      reason: "security_gateway",
    };
    const clicked = { ...common, position: 1, url: "https://example.com/%40us?to=a%40b.example" };
    assert.deepEqual(await told(), [
      { type: "email.opened", actor: "system", data: common },
      { type: "email.clicked", actor: "system", data: clicked },
    ]);
  });

  it("are told once for each message and link, and once more when a person follows a machine", async () => {
    await keepEvents(bench.db, bench.accountId, "one", ["email.opened", "email.clicked"]);
    await count(hit(1, null), hit(2, null), hit(3, 0), hit(4, 0), hit(5, 1, "burst"));
    await count(hit(6, null), hit(7, 0), hit(8, 1, "burst"), hit(9, 1));
    assert.deepEqual(await brief(), [
      ["email.opened", true],
      ["email.clicked", true, 1],
      ["email.clicked", false, 2],
      ["email.clicked", true, 2],
    ]);
  });

  it("are the earliest of what is counted together, in whatever order it came", async () => {
    await keepEvents(bench.db, bench.accountId, "one", ["email.opened"]);
    await count(hit(30, null), hit(10, null), hit(20, null));
    assert.deepEqual(
      (await told()).map(({ data }) => data["at"]),
      [new Date(START_MS + 10_000).toISOString()],
    );
  });

  it("are written with the numbers or not at all", async () => {
    await keepEvents(bench.db, bench.accountId, "one", ["email.opened"]);
    const { db, clock, log } = bench;
    await insertHits(db, { id: newId(clock), hits: [hit(1, null)] }, clock.now());
    const dying = () => {
      throw new Error("the process dies here");
    };
    await assert.rejects(
      countSlice({ db, clock, log, ...askedOfOthers, classify, idsInEvents: dying }, 0),
      /dies here/,
    );
    assert.deepEqual(await told(), []);
    await countSlice({ db, clock, log, ...askedOfOthers, classify, idsInEvents }, 0);
    assert.deepEqual(await brief(), [["email.opened", true]]);
  });
});
