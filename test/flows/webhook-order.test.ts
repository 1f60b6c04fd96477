/** These tests post to ordered endpoints that fail at random, while processes stop and start, edits are made and replays run: nothing may overtake. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createRandom } from "../support/sink/sink.ts";
import type { Json } from "../support/subscribers.ts";
import { until } from "../support/until.ts";
import { MINUTE, SECOND, useWebhookBed } from "../support/webhook-bed.ts";
import { type Answer, deliveriesOf, hasCaughtUp, upTo } from "../support/webhook-engine.ts";

const bed = useWebhookBed();

const EVENTS = 160;
const WRITTEN_AT_ONCE = 8;
const MOST_FAILURES = 3;
const FAILURES_PERCENT = 12;
const LONGEST_ANSWER_MS = 30;
const MOST_REPLAYED_MS = 20 * SECOND;

type Judge = {
  readonly answer: Answer;
  /** The numbers that were taken with a 200. */
  readonly taken: ReadonlySet<number>;
  /** Says of each post that came too early, what was missing then. */
  readonly overtaken: readonly string[];
};

/** Fails now and then in one of many ways. A number may come only when all before it were taken. */
function startJudge(random: () => number): Judge {
  const taken = new Set<number>();
  const overtaken: string[] = [];
  const failures = new Map<string, number>();
  const ways: readonly Answer[] = [
    (_post, response) => response.writeHead(500).end(),
    (_post, response) => response.writeHead(503, { "retry-after": "60" }).end(),
    (_post, response) => response.writeHead(429, { "retry-after": "30" }).end(),
    (_post, response) => response.destroy(),
    (_post, response) => response.writeHead(302, { location: "/elsewhere" }).end(),
  ];
  return {
    taken,
    overtaken,
    answer(post, response) {
      const [lowest = 0] = post.numbers;
      const missing = upTo(lowest - 1).filter((number) => !taken.has(number));
      if (missing.length > 0) overtaken.push(`${lowest} came before ${missing.slice(0, 3).join(", ")}`);
      const failed = failures.get(post.id) ?? 0;
      const isFailing = failed < MOST_FAILURES && random() * 100 < FAILURES_PERCENT;
      if (isFailing) failures.set(post.id, failed + 1);
      const way = ways[Math.floor(random() * ways.length)];
      setTimeout(() => {
        if (isFailing) return way?.(post, response);
        for (const number of post.numbers) taken.add(number);
        return response.end();
      }, random() * LONGEST_ANSWER_MS);
    },
  };
}

/** The clock stands still but for this, so that what waits is due soon. */
async function passTime(hook: Json): Promise<void> {
  const [waiting] = await deliveriesOf(bed.app, hook["id"], "waiting");
  bed.clock.advance(waiting?.["attempts"].length > 1 ? 6 * MINUTE : 2 * SECOND);
}

/** Passes as much time as what waits has to wait. */
async function passWaits(hook: Json): Promise<void> {
  const [waiting] = await deliveriesOf(bed.app, hook["id"], "waiting");
  const dueMs = Date.parse(waiting?.["next_attempt_at"]) - bed.clock.now().getTime();
  bed.clock.advance(Math.max(2 * SECOND, dueMs || 0));
}

async function disturb(hook: Json, random: () => number, nth: number): Promise<void> {
  const path = `/v1/webhooks/${hook["id"]}`;
  const drawn = random();
  if (drawn < 0.15) {
    await bed.stop();
    bed.start();
  } else if (drawn < 0.3) {
    // The other one takes over what this one has in hand.
    const other = bed.start();
    await sleep(random() * LONGEST_ANSWER_MS);
    await other.stop(0);
  } else if (drawn < 0.45) {
    await bed.app.api("PATCH", path, { body: { description: `Edit ${nth}` } });
  } else if (drawn < 0.6) {
    const since = new Date(bed.clock.now().getTime() - random() * MOST_REPLAYED_MS).toISOString();
    const { status } = await bed.app.api("POST", `${path}/replay`, { body: { since } });
    assert.ok(status === 202 || status === 409);
  }
}

async function deliverDisturbed(settings: Json, seed: number): Promise<void> {
  const random = createRandom(seed);
  const judge = startJudge(random);
  const events = ["list.updated", "email.opened"];
  const { endpoint, hook } = await bed.listen(judge.answer, { ordered: true, events, ...settings });
  bed.start();
  for (let written = 0; written < EVENTS; written += WRITTEN_AT_ONCE) {
    const numbers = upTo(WRITTEN_AT_ONCE).map((number) => written + number);
    await bed.write(numbers, { type: random() < 0.5 ? "list.updated" : "email.opened" });
    await disturb(hook, random, written);
    await passTime(hook);
  }
  await until(async () => {
    await passWaits(hook);
    return judge.taken.size === EVENTS;
  });
  await hasCaughtUp(bed.app, hook["id"]);
  assert.deepEqual(judge.overtaken, []);
  assert.ok(endpoint.posts.length > 0);
}

describe("an ordered endpoint gets nothing before what came before it", () => {
  for (const seed of upTo(3)) {
    it(`one by one, seed ${seed}`, () => deliverDisturbed({}, seed));
    it(`with batches, seed ${seed}`, () => deliverDisturbed({ batch_engagement: true }, 100 + seed));
  }
});

describe("an ordered endpoint with batches", () => {
  it("tries no later message while one that failed waits, nor two at once", async () => {
    const { endpoint, hook } = await bed.listen(
      ({ nth }, response) => response.writeHead(nth === 2 ? 500 : 200).end(),
      { ordered: true, batch_engagement: true },
    );
    await bed.write(upTo(10));
    bed.start();
    await until(async () => {
      const waiting = await deliveriesOf(bed.app, hook["id"], "waiting");
      return waiting.some(({ attempts }) => attempts.length === 1);
    });
    await bed.stop();
    bed.start();
    await bed.write([11]);
    bed.clock.advance(6 * SECOND);
    await until(() => endpoint.numbers().includes(11));
    assert.deepEqual(endpoint.numbers(), [1, 2, ...upTo(11).slice(1)]);
  });
});

describe("an endpoint that is ordered from now on", () => {
  it("gets what waits in the order of the log, and nothing while the first of it fails", async () => {
    let failures = 6;
    const { endpoint, hook } = await bed.listen((_post, response) =>
      response.writeHead(failures-- > 0 ? 500 : 200).end(),
    );
    bed.start();
    await bed.write(upTo(5));
    await until(async () => (await deliveriesOf(bed.app, hook["id"], "waiting")).length === 5);
    const before = endpoint.posts.length;
    await bed.app.api("PATCH", `/v1/webhooks/${hook["id"]}`, { body: { ordered: true } });
    await bed.write([6]);
    bed.clock.advance(6 * SECOND);
    await endpoint.reach(before + 1);
    await until(async () => {
      const waiting = await deliveriesOf(bed.app, hook["id"], "waiting");
      return waiting.some(({ attempts }) => attempts.length === 2);
    });
    bed.clock.advance(6 * MINUTE);
    await until(() => endpoint.numbers().includes(6));
    assert.deepEqual(endpoint.numbers().slice(before), [1, ...upTo(6)]);
  });
});

describe("a replay of an ordered endpoint", () => {
  it("has nothing that the log has yet to bring", async () => {
    const { endpoint, hook } = await bed.listen(
      ({ nth }, response) => response.writeHead(nth === 3 ? 500 : 200).end(),
      { ordered: true },
    );
    bed.start();
    bed.clock.advance(SECOND);
    const since = bed.clock.now();
    await bed.write(upTo(5));
    await until(async () => (await deliveriesOf(bed.app, hook["id"], "waiting")).length === 1);
    bed.clock.advance(SECOND);
    const replay = async (from: Date) => {
      const body = { since: from.toISOString() };
      const { status } = await bed.app.api("POST", `/v1/webhooks/${hook["id"]}/replay`, { body });
      assert.equal(status, 202);
    };
    const later = bed.clock.now();
    await bed.write([6, 7, 8, 9]);
    await replay(later);
    bed.clock.advance(6 * SECOND);
    await until(() => new Set(endpoint.numbers()).size === 9);
    await until(async () => (await bed.readHook(hook)).replay === null);
    assert.deepEqual([...new Set(endpoint.numbers())], upTo(9));
    const before = endpoint.posts.length;
    await hasCaughtUp(bed.app, hook["id"]);
    await replay(since);
    await endpoint.reach(before + 9);
    assert.deepEqual(endpoint.numbers().slice(before), upTo(9));
  });
});
