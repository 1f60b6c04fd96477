/** Two transports in the order of a stream, and what becomes of mail when one of them is lost, over real SMTP servers. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { addToWave, findWave, pauseSource, resumeSource } from "../../src/delivery/delivery.ts";
import { probeOutTransport } from "../../src/delivery/failover/failover.ts";
import {
  createTransport,
  deleteTransport,
  reinstateTransport,
  updateTransport,
} from "../../src/delivery/transports/transports.ts";
import { sql } from "../../src/platform/db/db.ts";
import { newId } from "../../src/platform/ids.ts";
import { sendContacts } from "../../src/subscribers/subscribers.ts";
import { assertAgree, countTwice } from "../support/delivery.ts";
import { CONNECTIONS, FAILOVER_MS, failoverTools, useFailover } from "../support/failover.ts";
import { relayUser } from "../support/smtp/relay.ts";
import { until } from "../support/until.ts";

describe("failover", () => {
  const ground = useFailover();
  const {
    start,
    slowly,
    send,
    ctx,
    order,
    addPeople,
    launch,
    isEnded,
    got,
    outOf,
    isOut,
    transportOf,
    countEvents,
    countAlerts,
  } = ground;

  test("a server that dies in mid-campaign is left within 15 s; everybody gets one mail but who was on the wire", async () => {
    const [a, b] = [await start(slowly), await start()];
    const [first = "", second = ""] = await order([a, b]);
    const people = await addPeople(600);
    await send(2);
    const id = await launch();
    await until(() => a.received.length >= 100);
    a.kill();
    const killedMs = performance.now();
    await until(() => b.received.length > 0);
    const tookMs = performance.now() - killedMs;
    assert.ok(tookMs <= FAILOVER_MS, `${tookMs} ms`);
    await isEnded(id);
    const endedMs = performance.now() - killedMs;
    assert.ok(endedMs <= 2 * FAILOVER_MS, `${endedMs} ms until everybody had the mail`);
    const twice = got(a, b).length - new Set(got(a, b)).size;
    assert.deepEqual([...new Set(got(a, b))], people.sort());
    assert.ok(twice <= 2 * CONNECTIONS, `${twice} got two`);
    const ambiguous = await ground.bench.db.many(
      sql`select from delivery_errors where source_id = ${id} and why = 'ambiguous'`,
    );
    assert.ok(twice <= ambiguous.length, `${twice} got two, ${ambiguous.length} were on the wire`);
    assertAgree(await countTwice(ground.bench, ground.accountId, id));
    const out = await outOf(first);
    assert.deepEqual(
      [out.out_reason, await isOut(second), await transportOf(id)],
      ["unreachable", false, second],
    );
    assert.deepEqual([await countEvents("transport.put_out"), await countAlerts("open")], [1, 1]);
  });

  test("where nobody shall get a mail twice, what was on the wire is unknown, and nobody gets two", async () => {
    const [a, b] = [await start(slowly), await start()];
    await order([a, b]);
    await addPeople(300);
    await send();
    const id = await launch({ onAmbiguous: "hold" });
    await until(() => a.received.length >= 50);
    a.kill();
    await isEnded(id);
    const all = got(a, b);
    assert.equal(all.length, new Set(all).size);
    const { sent, unknown, failed } = await ground.bench.counts(id, ground.accountId);
    assert.deepEqual([sent + unknown, failed], [300, 0]);
    assert.ok(unknown <= CONNECTIONS, `${unknown} are unknown`);
  });

  test("the second server's death changes nothing for what leaves by the first", async () => {
    const [a, b] = [await start(), await start()];
    const [, second = ""] = await order([a, b]);
    b.kill();
    const people = await addPeople(60);
    await send();
    await isEnded(await launch());
    assert.deepEqual([got(a), await isOut(second)], [people.sort(), false]);
  });

  test("while both are dead everybody waits and nothing is paused; who comes back first gets all", async () => {
    const [a, b] = [await start(), await start()];
    const [first = "", second = ""] = await order([a, b]);
    a.kill();
    b.kill();
    const people = await addPeople(40);
    await send();
    const id = await launch();
    await until(async () => (await isOut(first)) && (await isOut(second)));
    assert.equal(ground.bench.ended.has(id), false);
    const back = await start({}, a.port);
    const { out_since: since } = await outOf(first);
    const job = {
      db: ground.bench.db,
      clock: ground.bench.clock,
      log: ground.bench.log,
      signal: new AbortController().signal,
      attempt: 1,
    };
    const payload = {
      account_id: ground.accountId,
      transport_id: first,
      out_since: since?.toISOString() ?? "",
    };
    await probeOutTransport(job, failoverTools, payload);
    assert.equal(await isOut(first), false);
    await isEnded(id);
    assert.deepEqual([got(back), await transportOf(id)], [people.sort(), first]);
    assert.deepEqual([await countEvents("transport.reinstated"), await countAlerts("open")], [1, 1]);
    // The server of the second is still dead: its probe fails and the next one comes later.
    const still = await outOf(second);
    await probeOutTransport(job, failoverTools, {
      ...payload,
      transport_id: second,
      out_since: still.out_since?.toISOString() ?? "",
    });
    const later = await outOf(second);
    assert.equal(later.out_tries, still.out_tries + 1);
    assert.ok((later.next_try_at?.getTime() ?? 0) > (still.next_try_at?.getTime() ?? 0));
  });

  test("a server that refuses our sign-in is left, once for all senders; an edit brings it back", async () => {
    const [a, b] = [await start(), await start()];
    const people = await addPeople(80);
    const [first = "", second = ""] = await order([a, b], relayUser);
    const wrong = { password: "not the password" };
    await ctx((one) => updateTransport(one, failoverTools, first, wrong, undefined));
    await send(2);
    const id = await launch();
    await isEnded(id);
    assert.deepEqual([got(a), got(b)], [[], people.sort()]);
    assert.deepEqual([(await outOf(first)).out_reason, await transportOf(id)], ["refused", second]);
    assert.deepEqual([await countEvents("transport.put_out"), await countAlerts("open")], [1, 1]);
    const mended = { password: relayUser.password };
    await ctx((one) => updateTransport(one, failoverTools, first, mended, undefined));
    assert.deepEqual([await isOut(first), await countAlerts("closed")], [false, 1]);
    ground.bench.ended.delete(id);
    const next = await launch();
    await isEnded(next);
    assert.deepEqual([got(a).length, await transportOf(next)], [80, first]);
  });

  test("only when no server is left, a refusal pauses; a resume leaves by the first that is in", async () => {
    const refuse = {
      onMailFrom: (_from: unknown, _session: unknown, done: (error?: Error) => void) =>
        done(Object.assign(new Error("5.7.1 not for you"), { responseCode: 550 })),
    };
    const [a, b] = [await start(refuse), await start(refuse)];
    const [first = "", second = ""] = await order([a, b]);
    const people = await addPeople(60);
    await send();
    const id = await launch();
    await until(() => ground.bench.ended.get(id)?.kind === "paused");
    assert.deepEqual([await isOut(first), await isOut(second)], [true, true]);
    const paused = ground.bench.ended.get(id);
    assert.equal(paused?.kind === "paused" && paused.reason, "transport_rejected");
    a.kill();
    const better = await start({}, a.port);
    await ctx((one) => reinstateTransport(one, first, "hand"));
    ground.bench.ended.delete(id);
    await ctx((one) => resumeSource(one, id));
    await isEnded(id);
    assert.deepEqual([got(better), await transportOf(id)], [people.sort(), first]);
  });

  test("a mail that was deferred is tried again at the same server while that is in", async () => {
    let asked = 0;
    const defer = {
      onRcptTo: (to: { address: string }, _session: unknown, done: (error?: Error) => void) => {
        const isGrey = to.address.startsWith("person3@") && asked++ === 0;
        done(isGrey ? Object.assign(new Error("4.7.1 greylisted"), { responseCode: 450 }) : undefined);
      },
    };
    const [a, b] = [await start(defer), await start()];
    await order([a, b]);
    const people = await addPeople(10);
    await send();
    await isEnded(await launch());
    assert.deepEqual([got(a), got(b), asked], [people.sort(), [], 2]);
  });

  test("whoever meets a source whose server was put out before moves it, as after a crash in between", async () => {
    const [a, b] = [await start(), await start()];
    const [first = "", second = ""] = await order([a, b]);
    const people = await addPeople(30);
    const id = await launch();
    await ground.bench.db.execute(
      sql`update transports set out_since = now(), out_reason = 'unreachable' where id = ${first}`,
    );
    await send(2);
    await isEnded(id);
    assert.deepEqual([got(a), got(b), await transportOf(id)], [[], people.sort(), second]);
  });

  test("a server that is put out can be deleted once its mail has moved; the one that took it can't", async () => {
    const [a, b] = [await start(), await start(slowly)];
    const [first = "", second = ""] = await order([a, b]);
    a.kill();
    const people = await addPeople(300);
    await send();
    const id = await launch();
    await until(() => b.received.length > 10);
    assert.equal((await ctx((one) => deleteTransport(one, second))).usedBy, 1);
    assert.equal((await ctx((one) => deleteTransport(one, first))).usedBy, 0);
    assert.equal(await countAlerts("open"), 0);
    await isEnded(id);
    assert.deepEqual(got(b), people.sort());
  });

  test("one that was paused before its server was put out goes on by the next", async () => {
    const [a, b] = [await start(slowly), await start()];
    const [, second = ""] = await order([a, b]);
    const people = await addPeople(200);
    await send();
    const id = await launch();
    await until(() => a.received.length >= 20);
    await ctx((one) => pauseSource(one, id));
    await sleep(300);
    a.kill();
    await ctx((one) => resumeSource(one, id));
    await isEnded(id);
    assert.deepEqual([[...new Set(got(a, b))], await transportOf(id)], [people.sort(), second]);
  });

  test("no other account's transport is touched, though its server is the same", async () => {
    const [a, b] = [await start(), await start()];
    const other = await ground.bench.addAccount();
    const theirs = await ground.bench.ctx(
      (one) =>
        createTransport(one, failoverTools, {
          name: "Theirs",
          host: "127.0.0.1",
          port: a.port,
          streams: ["campaign"],
        }),
      other,
    );
    const [first = ""] = await order([a, b]);
    a.kill();
    await addPeople(20);
    await send();
    await isEnded(await launch());
    assert.deepEqual([await isOut(first), await isOut(theirs.id)], [true, false]);
  });

  test("transactional mail moves too, and what comes later leaves by the next at once", async () => {
    const [a, b] = [await start(), await start()];
    const [first = "", second = ""] = await order([a, b]);
    a.kill();
    const composer = {
      prepare: async () => ({
        needsTags: false,
        compose: async (_id: string, recipients: readonly { contactId: string; email: string }[]) =>
          recipients.map(({ contactId, email }) => ({
            ok: true as const,
            from: "billing@acme.example",
            to: `${contactId}${email}`,
            message: Buffer.from(`Subject: x\r\n\r\n${contactId}\r\n`),
          })),
      }),
    };
    await send(1, { composer });
    const add = async () => {
      const id = newId(ground.bench.clock);
      const one = { id, addressHash: Buffer.from(id.replaceAll("-", ""), "hex"), domain: "waves.example" };
      const wave = await ctx((tx) => findWave(tx, false, null));
      await ctx(async (tx) => {
        sendContacts(tx, [one.addressHash]);
        await addToWave(tx, wave, [{ ids: {}, recipients: [one] }]);
      });
      return wave;
    };
    assert.equal((await add()).transportId, first);
    await until(() => b.received.length === 1);
    assert.equal((await add()).transportId, second);
    await until(() => b.received.length === 2);
  });
});
