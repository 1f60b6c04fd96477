/** These tests deliver events to real servers on loopback: each at least once, in order as far as it is promised, and again after failures. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Json } from "../support/subscribers.ts";
import { until } from "../support/until.ts";
import { HOUR, MINUTE, SECOND, useWebhookBed } from "../support/webhook-bed.ts";
import {
  type Answer,
  answerOk,
  answerWith,
  deliveriesOf,
  type Endpoint,
  hasCaughtUp,
  upTo,
} from "../support/webhook-engine.ts";

const bed = useWebhookBed();

const timesOf = (endpoint: Endpoint, number: number) =>
  endpoint.posts.filter(({ numbers }) => numbers.includes(number));

describe("what is delivered", () => {
  it("posts each event that is wanted, in the order of the log, and what came while nobody delivered", async () => {
    const { endpoint, hook } = await bed.listen(answerOk, { ordered: true });
    await bed.write(upTo(30));
    await bed.write([99], { type: "topic.updated" });
    bed.start();
    await endpoint.reach(30);
    await bed.write([31]);
    await endpoint.reach(31);
    assert.deepEqual(endpoint.numbers(), upTo(31));
    await hasCaughtUp(bed.app, hook["id"]);
    const stored = await deliveriesOf(bed.app, hook["id"], "delivered");
    assert.equal(stored.length, 31);
    assert.deepEqual(
      stored.map(({ message_id }) => message_id).sort(),
      endpoint.posts.map(({ id }) => id).sort(),
    );
  });

  it("posts a backlog larger than what is read at once, each event once", async () => {
    const { endpoint, hook } = await bed.listen(answerOk);
    await bed.write(upTo(1_500));
    bed.start();
    await endpoint.reach(1_500);
    await hasCaughtUp(bed.app, hook["id"]);
    assert.deepEqual(
      endpoint.numbers().sort((a, b) => a - b),
      upTo(1_500),
    );
  });

  it("leaves an endpoint that is dead or slow to itself: others get theirs meanwhile", async () => {
    const silent: Answer = () => undefined;
    const dead = await bed.listen(silent);
    const { endpoint } = await bed.listen(answerOk);
    bed.start();
    await bed.write(upTo(200));
    await endpoint.reach(200);
    assert.ok(dead.endpoint.posts.length <= 8);
  });

  it("waits for the one before where order is asked for", async () => {
    const { endpoint, hook } = await bed.listen(
      ({ nth }, response) => answerWith(nth === 2 || nth === 3 ? 500 : 200)(undefined as never, response),
      { ordered: true },
    );
    bed.start();
    await bed.write(upTo(5));
    await endpoint.reach(2);
    await until(async () => (await deliveriesOf(bed.app, hook["id"], "waiting")).length === 1);
    bed.clock.advance(6 * SECOND);
    await endpoint.reach(3);
    await until(
      async () => (await deliveriesOf(bed.app, hook["id"], "waiting"))[0]?.["attempts"].length === 2,
    );
    bed.clock.advance(6 * MINUTE);
    await endpoint.reach(7);
    assert.deepEqual(endpoint.numbers(), [1, 2, 2, 2, 3, 4, 5]);
  });

  it("lets others pass one that fails where order isn't asked for", async () => {
    const { endpoint } = await bed.listen(({ numbers }, response) =>
      response.writeHead(numbers[0] === 1 ? 500 : 200).end(),
    );
    bed.start();
    await bed.write(upTo(20));
    await until(() => new Set(endpoint.numbers()).size === 20);
    assert.equal(timesOf(endpoint, 1).length, 1);
  });
});

describe("retries", () => {
  it("come after 5 s, 5 m, 30 m and so on under the same id, and end after ten tries", async () => {
    const { endpoint, hook } = await bed.listen(answerWith(500));
    bed.start();
    await bed.write([1]);
    const waits = [
      5 * SECOND,
      5 * MINUTE,
      30 * MINUTE,
      2 * HOUR,
      5 * HOUR,
      10 * HOUR,
      14 * HOUR,
      20 * HOUR,
      24 * HOUR,
    ];
    for (const [at, wait] of waits.entries()) {
      await until(async () => (await deliveriesOf(bed.app, hook["id"]))[0]?.["attempts"].length === at + 1);
      const [delivery] = await deliveriesOf(bed.app, hook["id"]);
      const ms = Date.parse(delivery?.["next_attempt_at"]) - bed.clock.now().getTime();
      assert.ok(ms >= wait && ms <= wait * 1.1 + 1, `${at}: ${ms}`);
      bed.clock.advance(ms);
    }
    await until(async () => (await deliveriesOf(bed.app, hook["id"]))[0]?.["status"] === "failed");
    assert.equal(endpoint.posts.length, 10);
    assert.equal(new Set(endpoint.posts.map(({ id }) => id)).size, 1);
    const stamps = endpoint.posts.map(({ headers }) => headers["webhook-timestamp"]);
    assert.equal(new Set(stamps).size, 10);
  });

  it("wait as long as Retry-After says, whether it is seconds or a time", async () => {
    bed.start();
    for (const retryAfterOf of [
      () => "600",
      (now: Date) => new Date(now.getTime() + 600 * SECOND).toUTCString(),
    ]) {
      const { endpoint, hook } = await bed.listen(({ nth }, response) =>
        response.writeHead(nth === 1 ? 503 : 200, { "retry-after": retryAfterOf(bed.clock.now()) }).end(),
      );

      await bed.write([1]);
      await until(async () => (await deliveriesOf(bed.app, hook["id"], "waiting")).length === 1);
      const [delivery] = await deliveriesOf(bed.app, hook["id"]);
      const ms = Date.parse(delivery?.["next_attempt_at"]) - bed.clock.now().getTime();
      assert.ok(ms > 598 * SECOND && ms <= 600 * SECOND, String(ms));
      bed.clock.advance(ms);
      await endpoint.reach(2);
      await until(async () => (await deliveriesOf(bed.app, hook["id"], "delivered")).length === 1);
      await bed.app.api("DELETE", `/v1/webhooks/${hook["id"]}`);
    }
  });

  it("wait no longer than the longest of all waits, whatever Retry-After says", async () => {
    bed.start();
    for (const asked of ["9".repeat(20), "Fri, 31 Dec 9999 23:59:59 GMT"]) {
      const { hook } = await bed.listen(answerWith(503, { "retry-after": asked }));
      await bed.write([1]);
      await until(async () => (await deliveriesOf(bed.app, hook["id"], "waiting")).length === 1);
      const [delivery] = await deliveriesOf(bed.app, hook["id"]);
      const ms = Date.parse(delivery?.["next_attempt_at"]) - bed.clock.now().getTime();
      assert.equal(ms, 24 * HOUR, asked);
      await bed.app.api("DELETE", `/v1/webhooks/${hook["id"]}`);
    }
  });

  it("keep the last fifty attempts of a delivery that a person has tried again and again", async () => {
    const { hook } = await bed.listen(({ nth }, response) => response.writeHead(500 + (nth % 100)).end());
    bed.start();
    await bed.write([1]);
    const statuses = async () => {
      const [delivery] = await deliveriesOf(bed.app, hook["id"]);
      return (delivery?.["attempts"] ?? []).map(({ status }: { status: number }) => status) as number[];
    };
    await until(async () => (await statuses()).length === 1);
    const [{ id }] = (await deliveriesOf(bed.app, hook["id"])) as [Json];
    for (const nth of upTo(54).slice(1)) {
      assert.equal(
        (await bed.app.api("POST", `/v1/webhooks/${hook["id"]}/deliveries/${id}/retry`)).status,
        202,
      );
      await until(async () => (await statuses()).at(-1) === 500 + nth);
    }
    assert.deepEqual(
      await statuses(),
      upTo(54)
        .slice(4)
        .map((nth) => 500 + nth),
    );
  });

  it("leave an endpoint alone that says 429, and lose nothing of what comes meanwhile", async () => {
    let isBusy = true;
    const { endpoint, hook } = await bed.listen((_post, response) =>
      response.writeHead(isBusy ? 429 : 200, { "retry-after": "3600" }).end(),
    );
    bed.start();
    await bed.write([1]);
    await until(async () => (await deliveriesOf(bed.app, hook["id"], "waiting")).length === 1);
    await bed.write(upTo(50).slice(1));
    bed.clock.advance(30 * MINUTE);
    const probe = await bed.listen(answerOk);
    await bed.write([51]);
    await probe.endpoint.reach(1);
    assert.equal(endpoint.posts.length, 1);
    isBusy = false;
    bed.clock.advance(31 * MINUTE);
    await until(() => new Set(endpoint.numbers()).size === 51);
    assert.equal(endpoint.posts.length, 52);
  });

  it("happen at once when a person asks, also while the endpoint is left alone", async () => {
    let isBusy = true;
    const { endpoint, hook } = await bed.listen((_post, response) =>
      response.writeHead(isBusy ? 429 : 200, { "retry-after": "3600" }).end(),
    );
    bed.start();
    await bed.write([1]);
    await until(async () => (await deliveriesOf(bed.app, hook["id"], "waiting")).length === 1);
    isBusy = false;
    const [delivery] = await deliveriesOf(bed.app, hook["id"]);
    const path = `/v1/webhooks/${hook["id"]}/deliveries/${delivery?.["id"]}`;
    assert.equal((await bed.app.api("POST", `${path}/retry`)).status, 202);
    await until(async () => (await bed.app.api("GET", path)).body.status === "delivered");
    assert.deepEqual(endpoint.numbers(), [1, 1]);
    assert.equal((await bed.app.api("POST", `${path}/retry`)).status, 202);
    await endpoint.reach(3);
    await until(async () => (await bed.app.api("GET", path)).body.attempts.length === 3);
  });

  it("count a silence longer than the time-out as a failure", async () => {
    const { hook } = await bed.listen(({ nth }, response) => (nth === 1 ? undefined : response.end()));
    bed.start({ timeoutMs: 150 });
    await bed.write([1]);
    await until(async () => (await deliveriesOf(bed.app, hook["id"], "waiting")).length === 1);
    const [delivery] = await deliveriesOf(bed.app, hook["id"]);
    assert.deepEqual(
      [delivery?.["attempts"][0].failure, delivery?.["attempts"][0].status],
      ["timeout", null],
    );
    bed.clock.advance(6 * SECOND);
    await until(async () => (await deliveriesOf(bed.app, hook["id"], "delivered")).length === 1);
  });
});
