/** Mail is counted by transport, domain and mailbox provider, and the counts equal a recount of the ledger whatever happens. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { noteFeedback, turnHardIntoSoft } from "../../src/delivery/delivery.ts";
import { sql } from "../../src/platform/db/db.ts";
import { newId } from "../../src/platform/ids.ts";
import { askedOfOthers } from "../../src/tracking/counting/counter.fixture.ts";
import { countSlice } from "../../src/tracking/counting/counter.ts";
import { makeAnonymous } from "../../src/tracking/counting/forget-people.ts";
import { insertHits } from "../../src/tracking/hits/hit-store.ts";
import { type Bench, composeSimply, createBench } from "../support/delivery.ts";
import { assertFlowsAgree } from "../support/reputation.ts";
import { type ScriptedServer, startScriptedServer } from "../support/smtp/scripted-server.ts";
import { until } from "../support/until.ts";

/** Person 0 doesn't exist, person 1 is put off once, and person 2's server refuses us. */
function answerOf(to: string, putOff: Set<string>): string {
  const nth = Number(/^person(\d+)@/.exec(to)?.[1]);
  if (nth === 0) return "550 5.1.1 User unknown";
  if (nth === 2) return "550 5.7.1 Blocked";
  if (nth !== 1 || putOff.has(to)) return "250 ok";
  putOff.add(to);
  return "451 4.7.1 Later";
}

describe("counts by provider", () => {
  let bench: Bench;
  let server: ScriptedServer;
  let sourceId: string;
  const DOMAINS = ["gmail.com", "yahoo.com", "some.example"];
  before(async () => {
    bench = await createBench({ hasRelay: true });
    await bench.startJobs();
    const putOff = new Set<string>();
    server = await startScriptedServer({
      // The relay itself is busy for a moment, which no provider has said.
      MAIL: ["451 4.3.0 busy", "451 4.3.0 busy", "250 ok"],
      RCPT: (peer) =>
        peer.write(`${answerOf(/<(.*)>/.exec(server.lines.at(-1) ?? "")?.[1] ?? "", putOff)}\r\n`),
      DATA: (peer) => {
        peer.write("354 go on\r\n");
        return "body";
      },
    });
    const emails = DOMAINS.flatMap((domain) => Array.from({ length: 40 }, (_, n) => `person${n}@${domain}`));
    await bench.addSubscribers(emails);
    const relay = { host: "127.0.0.1", port: server.port, backOff: { firstMs: 10, maxMs: 50 } };
    await bench.startSender(composeSimply, { relay, firstRetryMs: 100 });
    sourceId = await bench.launch();
    await until(() => bench.ended.has(sourceId));
  });
  after(async () => {
    await bench.stop();
    await server.close();
  });

  const sums = async () => {
    const rows = await bench.db.many<{ provider: string; from: string } & Record<string, number>>(sql`
      select f.provider, f.from_domain as from, sum(accepted)::int as accepted, sum(refused)::int as refused, sum(deferred)::int as deferred,
             sum(hard)::int as hard, sum(soft)::int as soft, sum(block)::int as block, sum(complained)::int as complained,
             sum(opened)::int as opened, sum(clicked)::int as clicked
      from mail_flow_hours h join mail_flows f on f.account_id = h.account_id and f.id = h.flow_id
      where h.account_id = ${bench.accountId} group by 1, 2`);
    return new Map(rows.map((row) => [row.provider, row]));
  };
  const contactOf = async (email: string) =>
    (
      await bench.db.one<{ id: string }>(
        sql`select contact_id as id from subscribers where account_id = ${bench.accountId} and email = ${email}`,
      )
    ).id;
  const noteKinds = async (
    email: string,
    kinds: readonly ("hard_bounce" | "soft_bounce" | "complaint")[],
  ) => {
    const contactId = await contactOf(email);
    for (const kind of kinds)
      await bench.ctx((ctx) =>
        noteFeedback(ctx, bench.owner, [
          { sourceId, contactId, kind, at: bench.clock.now(), itemId: newId(bench.clock) },
        ]),
      );
    return contactId;
  };

  test("say of each provider what was accepted, refused and put off", async () => {
    await assertFlowsAgree(bench.db, bench.accountId);
    const all = await sums();
    assert.deepEqual([...all.keys()].sort(), ["google", "other", "yahoo"]);
    for (const one of all.values())
      assert.deepEqual(one, {
        provider: one.provider,
        from: "example.org",
        accepted: 38,
        refused: 2,
        deferred: 1,
        hard: 1,
        soft: 0,
        block: 1,
        complained: 0,
        opened: 0,
        clicked: 0,
      });
  });

  test("count a mail that comes back once, as its gravest bounce, also when two learn of it at once", async () => {
    await noteKinds("person5@yahoo.com", ["soft_bounce", "soft_bounce"]);
    await assertFlowsAgree(bench.db, bench.accountId);
    await noteKinds("person5@yahoo.com", ["hard_bounce", "complaint", "complaint"]);
    await assertFlowsAgree(bench.db, bench.accountId);
    await Promise.all([
      noteKinds("person6@yahoo.com", ["soft_bounce"]),
      noteKinds("person6@yahoo.com", ["hard_bounce"]),
    ]);
    await assertFlowsAgree(bench.db, bench.accountId);
    const yahoo = (await sums()).get("yahoo");
    assert.deepEqual([yahoo?.["hard"], yahoo?.["soft"], yahoo?.["complained"]], [3, 0, 1]);
    const contactId = await contactOf("person6@yahoo.com");
    await bench.ctx((ctx) => turnHardIntoSoft(ctx.sql, ctx.accountId, [{ sourceId, contactId }]));
    await assertFlowsAgree(bench.db, bench.accountId);
    const turned = (await sums()).get("yahoo");
    assert.deepEqual([turned?.["hard"], turned?.["soft"]], [2, 1]);
  });

  test("count who opened and clicked in person, once each, until their names are taken off", async () => {
    const people = await Promise.all([7, 8, 9].map((n) => contactOf(`person${n}@gmail.com`)));
    const hit = (contactId: string | undefined, link: number | null, userAgent = "a person") => ({
      accountId: bench.accountId,
      sourceId,
      contactId: contactId ?? null,
      link,
      at: bench.clock.now(),
      times: 1,
      isHead: false,
      isPrefetch: false,
      hasFrom: false,
      userAgent,
      address: "192.0.2.1",
    });
    const count = async (...hits: ReturnType<typeof hit>[]) => {
      await insertHits(bench.db, { id: newId(bench.clock), hits }, bench.clock.now());
      const { db, clock, log } = bench;
      await countSlice({ db, clock, log, ...askedOfOthers, countedLinks: async () => new Map() }, 0);
      await assertFlowsAgree(bench.db, bench.accountId);
    };
    const seen = async () => {
      const google = (await sums()).get("google");
      return [google?.["opened"], google?.["clicked"]];
    };
    await count(hit(people[0], null), hit(people[1], null, "a machine"), hit(undefined, null));
    assert.deepEqual(await seen(), [1, 0]);
    await count(hit(people[1], 0), hit(people[1], 0), hit(people[0], null), hit(people[2], 1, "a machine"));
    assert.deepEqual(await seen(), [2, 1]);
    await bench.db.transaction((tx) =>
      makeAnonymous(
        tx,
        [{ accountId: bench.accountId, sourceId, contactId: people[1] as string }],
        async () => new Map(),
      ),
    );
    await assertFlowsAgree(bench.db, bench.accountId);
    assert.deepEqual(await seen(), [1, 0]);
  });
});
