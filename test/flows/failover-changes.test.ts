/** What users do to servers and to their order while one is lost, over real SMTP: everybody is mailed once all the same. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { setOrder } from "../../src/delivery/transports/orders.ts";
import { deleteTransport } from "../../src/delivery/transports/transports.ts";
import { sql } from "../../src/platform/db/db.ts";
import { toPublicId } from "../../src/platform/ids.ts";
import { assertAgree, countTwice } from "../support/delivery.ts";
import { useFailover } from "../support/failover.ts";
import type { Relay } from "../support/smtp/relay.ts";
import { until } from "../support/until.ts";

describe("failover, while users change something", () => {
  const ground = useFailover();
  const { start, slowly, send, ctx, order, addPeople, launch, isEnded, got, isOut, transportOf } = ground;

  const reorder = (...ids: readonly string[]) =>
    ctx((one) =>
      setOrder(
        one,
        "campaign",
        ids.map((id) => toPublicId("trn", id)),
        false,
      ),
    );
  /** Does something again and again until the campaign has ended. */
  async function untilEnded(id: string, act: (round: number) => Promise<unknown>): Promise<void> {
    const ended = isEnded(id).then(() => true);
    for (let round = 0; !(await Promise.race([ended, sleep(30, false)])); round++) await act(round);
  }
  /** Everybody got the mail, twice only who was on the wire when the server died, and the ledger counts the same. */
  async function assertOnce(id: string, people: readonly string[], ...servers: readonly Relay[]) {
    const all = got(...servers);
    assert.deepEqual([...new Set(all)], [...people].sort());
    const ambiguous = await ground.bench.db.many(
      sql`select from delivery_errors where source_id = ${id} and why = 'ambiguous'`,
    );
    assert.ok(all.length - people.length <= ambiguous.length, `${all.length - people.length} got two`);
    assertAgree(await countTwice(ground.bench, ground.accountId, id));
  }

  test("a new order moves nothing by itself, and when the server dies the first of the new one takes over", async () => {
    const [a, b, c] = [await start(slowly), await start(), await start()];
    const [first = "", second = "", third = ""] = await order([a, b, c]);
    const people = await addPeople(300);
    await send(2);
    const id = await launch();
    await until(() => a.received.length >= 30);
    await reorder(third, second);
    assert.equal(await transportOf(id), first);
    a.kill();
    await isEnded(id);
    assert.deepEqual([got(b), await transportOf(id), await isOut(first)], [[], third, true]);
    await assertOnce(id, people, a, c);
  });

  test("an order that changes again and again while a server is left loses nobody and mails nobody twice", async () => {
    const [a, b, c] = [await start(slowly), await start(slowly), await start(slowly)];
    const [first = "", second = "", third = ""] = await order([a, b, c]);
    const people = await addPeople(400);
    await send(2);
    const id = await launch();
    await until(() => a.received.length >= 30);
    a.kill();
    const orders = [[third, second], [second], [first, third], [second, first, third]];
    await untilEnded(id, (round) => reorder(...(orders[round % orders.length] ?? [])));
    assert.ok([second, third].includes(await transportOf(id)));
    await assertOnce(id, people, a, b, c);
  });

  test("servers that are deleted while one is left go only when no mail is to leave by them", async () => {
    const [a, b, c] = [await start(slowly), await start(slowly), await start(slowly)];
    const [first = "", second = "", third = ""] = await order([a, b, c]);
    const people = await addPeople(400);
    await send(2);
    const id = await launch();
    await until(() => a.received.length >= 30);
    a.kill();
    const gone = new Set<string>();
    await untilEnded(id, async () => {
      for (const one of [second, first].filter((each) => !gone.has(each)))
        if ((await ctx((tx) => deleteTransport(tx, one))).usedBy === 0) gone.add(one);
    });
    const by = await transportOf(id);
    assert.ok([second, third].includes(by) && !gone.has(by), "the one that took over can't be deleted");
    assert.ok(gone.has(first), "the lost one can, once its mail has moved");
    await assertOnce(id, people, a, b, c);
  });
});
