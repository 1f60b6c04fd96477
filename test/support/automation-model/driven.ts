/** Drives a real automation and the naive reading of it side by side: the same people, the same log, the same clock. */
import assert from "node:assert/strict";
import { feedAccount } from "../../../src/automations/feed/feed.ts";
import { readOldestUnread } from "../../../src/automations/feed/feed-store.ts";
import { readGraph } from "../../../src/automations/graph/graph.ts";
import type { Graph } from "../../../src/automations/graph-types.ts";
import { readFollowing } from "../../../src/automations/jobs.ts";
import { recountWaits } from "../../../src/automations/publishing/publishing.ts";
import { oldestShown, recordSystemEvents } from "../../../src/events/events.ts";
import { type Db, sql } from "../../../src/platform/db/db.ts";
import { toPublicId } from "../../../src/platform/ids.ts";
import { createLog } from "../../../src/platform/log.ts";
import { allFields } from "../../../src/subscribers/subscribers.ts";
import type { TestApp } from "../app.ts";
import { advance, RUN_TOOLS } from "../automations.ts";
import type { TestClock } from "../clock.ts";
import { type Json, settled, uuidOf } from "../subscribers.ts";
import { cutConnection } from "./cut-connection.ts";
import { createInterpreter, type Person, type Told } from "./interpreter.ts";
import { type Command, EVERYBODY, edited, type RandomGraph } from "./random-graphs.ts";

const log = createLog({ level: "silent", pretty: false });
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 3_600_000;
/** The engine goes on without events that are later than this. */
const STUCK_MS = 5 * MINUTE_MS;
/** What falls due on the way to the next command is done at its own time, so often at most. */
const UNSEEN_MS = 100;
const MOST_STOPS = 3;

type Bed = {
  readonly app: TestApp;
  readonly clock: TestClock;
  readonly listId: string;
};
export type Driven = Awaited<ReturnType<typeof startDriven>>;

/** Starts an automation into which people come when they join and by an event. */
export async function startDriven(
  { app, clock, listId }: Bed,
  first: RandomGraph,
  reentry: object,
  zones: readonly string[],
) {
  const accountId = uuidOf("acc", app.accountId);
  const draftOf = ({ nodes, ...more }: RandomGraph): Json => ({
    format: 1,
    start: Object.keys(nodes)[0],
    entry: { on: [{ type: "list_joined" }, { type: "event", name: "come" }], reentry },
    nodes: { ...nodes, ...(JSON.stringify(nodes).includes('"end"') && { end: { type: "end" } }) },
    ...more,
  });
  const read = async (draft: Json): Promise<Graph> => {
    const { graph, faults } = readGraph(draft, await allFields(app.db, accountId), "");
    assert.ok(graph, JSON.stringify(faults));
    return graph;
  };
  const call = async (method: string, path: string, body: object | undefined, ...expected: number[]) => {
    const reply = await app.api(method, path, body && { body });
    assert.ok(expected.includes(reply.status), `${method} ${path}: ${reply.text}`);
    return reply;
  };

  const draft = draftOf(first);
  const made = await call("POST", "/v1/automations", { name: "Model", list_id: listId, draft }, 201);
  const path = `/v1/automations/${made.body.id}`;
  const id = uuidOf("aut", made.body.id);
  await call("POST", `${path}/start`, undefined, 200);
  let published = first;
  const plain = { follows: true, keepsWaits: false, mapping: {} };
  const model = createInterpreter({
    id,
    startsAt: clock.now(),
    first: { number: 1, graph: await read(draft), ...plain },
  });
  const tags = new Map<string, string>();
  let place = { xid: "0", id: "00000000-0000-0000-0000-000000000000" };
  // What happened before is about other people.
  place = (await readNews()).at(-1) ?? place;

  const people: Person[] = [];
  for (const [at, zone] of zones.entries()) {
    const date = new Date(clock.now().getTime() + (at * 3 - 2) * DAY_MS).toISOString().slice(0, 10);
    const person = { email: `p${at}-${made.body.id}@example.com`, list_id: listId, time_zone: zone };
    const fields = at === 1 ? {} : { renews: date };
    const added = await call(
      "POST",
      "/v1/subscribers",
      { ...person, fields, tags: at === 0 ? ["a"] : [] },
      201,
    );
    people.push({
      id: uuidOf("sub", added.body.id),
      zone,
      date: at === 1 ? null : date,
      tags: new Set(at === 0 ? ["a"] : []),
      firstName: null,
      isActive: true,
    });
  }

  // A step that adds people to another list finds them there by the instance's own hashes.
  const hashes = await app.db.many<{ address: string; hash: Buffer }>(sql`
    select s.email_key as address, c.address_hash as hash from subscribers s
    join contacts c on c.account_id = s.account_id and c.id = s.contact_id where s.id = any(${people.map((one) => one.id)}::uuid[])`);
  const byAddress = new Map(hashes.map(({ address, hash }) => [address, hash]));
  const hash = (address: string) => byAddress.get(address) ?? Buffer.alloc(32);

  type Row = { xid: string; id: string; type: string; created_at: Date; data: Json };
  function readNews(): Promise<Row[]> {
    return app.db.many<Row>(sql`
      select xid::text as xid, id, type, created_at, data from events
      where account_id = ${accountId} and (xid, id) > (${place.xid}::bigint, ${place.id}::uuid) order by events.xid, events.id`);
  }

  function toTold({ type, created_at: at, data }: Row): Told[] {
    const person = people.find((one) => toPublicId("sub", one.id) === data["subscriber_id"]);
    if (!person || !type.match(/^(subscriber|email)\./)) return [];
    if (type === "subscriber.event_tracked") return [{ person, at, kind: "event", name: data["name"] }];
    if (type === "email.clicked") return [{ person, at, kind: "email_clicked" }];
    const tagged = (tagId: string): Told => ({ person, at, kind: "tag_added", tag: tags.get(tagId) ?? "" });
    if (type === "subscriber.tag_added") return [tagged(data["tag_id"])];
    if (type === "subscriber.created")
      return [{ person, at, kind: "joined" }, ...(data["tag_ids"] ?? []).map(tagged)];
    return [{ person, at, kind: "other" }];
  }

  async function readTags(): Promise<void> {
    const { body } = await call("GET", "/v1/tags?limit=200", undefined, 200);
    for (const one of body.data) tags.set(one.id, one.name);
  }

  async function feed(cutAfter: number | undefined): Promise<void> {
    await settled(app);
    const tools = (db: Db) => ({ db, clock, log, ...RUN_TOOLS });
    if (cutAfter !== undefined)
      await feedAccount(tools(cutConnection(app.db, cutAfter)), accountId).catch(isCut);
    // Two feeds at once: one reads, the other leaves it.
    for (let fed = ["again"]; fed.includes("again") || !fed.includes("done"); )
      fed = await Promise.all([1, 2].map(() => feedAccount(tools(app.db), accountId)));
    const news = await readNews();
    place = news.at(-1) ?? place;
    const named = news.flatMap(({ data }) => [data["tag_id"] ?? [], ...(data["tag_ids"] ?? [])].flat());
    if (named.some((tag) => !tags.has(tag))) await readTags();
    model.feed(news.flatMap(toTold), clock.now());
  }

  /** Until when all is known, by the feed alone: transactions of other tests, which run by another clock, don't count. */
  const caughtUpTo = async () => {
    const feed = await readOldestUnread(app.db, accountId, oldestShown(clock));
    return feed?.unread ? new Date(feed.unread.getTime() - 1) : undefined;
  };

  /** Leads on whoever is due by so many workers at once, until nobody is. One of them loses its connection at first. */
  async function tick({ workers, cutAfter }: Pick<Command, "workers" | "cutAfter">): Promise<void> {
    // What happened just now may not be seen yet, so the engine leads on by the time before that.
    clock.advance(UNSEEN_MS);
    try {
      await tickNow({ workers, cutAfter });
    } finally {
      clock.step(-UNSEEN_MS);
    }
  }

  async function tickNow({ workers, cutAfter }: Pick<Command, "workers" | "cutAfter">): Promise<void> {
    const now = clock.now();
    const known = await caughtUpTo();
    const isBehind = known && known < now && now.getTime() - known.getTime() < STUCK_MS;
    model.tick(now, isBehind ? known : now);
    const more = { readFollowing, hash, caughtUpTo: async () => known };
    if (cutAfter !== undefined) {
      const cut = advance(app, clock, id, { ...more, db: cutConnection(app.db, cutAfter) });
      await Promise.all([cut.catch(isCut), advance(app, clock, id, more)]);
    }
    for (let taken = [1]; taken.some((one) => one > 0); )
      taken = await Promise.all(Array.from({ length: workers }, () => advance(app, clock, id, more)));
  }

  async function runJobs(): Promise<void> {
    const jobs = await app.db.many<{ id: string; payload: Parameters<typeof recountWaits.run>[1] }>(sql`
      delete from graphile_worker._private_jobs where key like ${`recount ${id} %`} returning id, payload`);
    for (const { payload } of jobs) {
      await recountWaits.run(
        { db: app.db, clock, log, signal: new AbortController().signal, attempt: 1 },
        payload,
      );
      model.recount(payload.nodes, payload.version, clock.now());
    }
  }

  const publicId = (who: number) => toPublicId("sub", people[who]?.id ?? "");

  async function track(events: readonly { person: Person; name: string }[]): Promise<void> {
    const body = events.map(({ person, name }) => ({ subscriber_id: toPublicId("sub", person.id), name }));
    const told = await call("POST", "/v1/track/batch", { events: body }, 202);
    for (const one of told.body.results) assert.equal(one.status, 202);
  }

  async function obey(what: Command["what"]): Promise<void> {
    const whom = "who" in what ? people.filter((_, at) => at === what.who || what.who === EVERYBODY) : [];
    switch (what.do) {
      case "answer":
        return track(whom.map((person) => ({ person, name: model.awaitedBy(person) ?? "seen" })));
      case "track":
        return track(whom.map((person) => ({ person, name: what.name })));
      case "tag":
        for (const { id: one, tags: tagged } of whom) {
          const body = { [what.add ? "add" : "remove"]: [what.tag] };
          await call("POST", `/v1/subscribers/${toPublicId("sub", one)}/tags`, body, 200);
          if (what.add) tagged.add(what.tag);
          else tagged.delete(what.tag);
        }
        return;
      case "click":
        await app.db.transaction(async (tx) => {
          const data = { automation_id: made.body.id, subscriber_id: publicId(what.who), human: true };
          await recordSystemEvents({ sql: tx, clock }, [{ accountId, type: "email.clicked", data }]);
        });
        return;
      case "unsubscribe":
        await call("POST", `/v1/subscribers/${publicId(what.who)}/unsubscribe`, undefined, 200, 409);
        for (const person of whom) person.isActive = false;
        return;
      case "days_pass":
        return pass(what.days * DAY_MS);
      case "pause":
        await call("POST", `${path}/pause`, undefined, model.isPaused() ? 409 : 200);
        model.pause();
        if (what.forMinutes === undefined) return;
        pass(what.forMinutes * MINUTE_MS);
        return resume(what.overdue);
      case "resume":
        return resume(what.overdue);
      case "publish":
        return publish(what);
    }
  }

  /** Time goes by, by both clocks: one that is set alone is told apart, and `automation-logical-time` shows what happens then. */
  function pass(ms: number): void {
    if (ms > 0) clock.advance(ms);
  }

  async function resume(overdue: "run" | "skip" | undefined): Promise<void> {
    if (!model.isPaused()) return;
    const late = model.overdue(clock.now());
    const isRefused = overdue === undefined && late.length > 0;
    const reply = await call("POST", `${path}/resume`, overdue && { overdue }, isRefused ? 409 : 200);
    if (!isRefused) return model.resume(overdue, clock.now());
    const counted = reply.body.nodes.reduce((sum: number, one: Json) => sum + one["people"], 0);
    assert.equal(counted, late.length, "overdue steps");
  }

  async function publish(how: Extract<Command["what"], { do: "publish" }>): Promise<void> {
    const { people: who, waits } = how;
    const steps = edited(published, how.edit);
    const next = draftOf(steps);
    const names = Object.keys(next["nodes"]);
    const former = new Set(model.versions.flatMap(({ graph }) => [...graph.nodes.keys()]));
    const gone = [...former].filter((name) => !names.includes(name));
    const mapping: Record<string, string> =
      how.mapping === undefined
        ? {}
        : Object.fromEntries(
            gone.map((name, at) => [name, names[(at + (how.mapping ?? 0)) % names.length] ?? ""]),
          );
    await call("PATCH", path, { draft: next }, 200);
    const number = model.newest().number + 1;
    const graph = await read(next);
    const version = { number, graph, follows: who === "follow", keepsWaits: waits === "keep", mapping };
    const stranded = model.strandedBy(version);
    const reply = await call(
      "POST",
      `${path}/publish`,
      { people: who, waits, mapping },
      stranded > 0 ? 409 : 200,
    );
    if (stranded > 0) {
      const counted = reply.body.nodes.reduce((sum: number, one: Json) => sum + one["people"], 0);
      return assert.equal(counted, stranded, "people whose step is gone");
    }
    if (reply.body.unchanged) return;
    model.publish(version);
    published = steps;
  }

  return {
    id,
    model,
    people,
    async take(command: Command): Promise<void> {
      const { what, afterMinutes, isFed, cutAfter } = command;
      const target = clock.now().getTime() + afterMinutes * MINUTE_MS;
      for (let stops = 0; stops < MOST_STOPS; stops++) {
        const next = model.nextDue().find((due) => due > clock.now().getTime() && due < target);
        if (next === undefined || model.isPaused()) break;
        pass(next - clock.now().getTime());
        await tick(command);
        await feed(undefined);
      }
      pass(target - clock.now().getTime());
      await obey(what);
      await runJobs();
      if (isFed) await feed(cutAfter);
      await tick(command);
    },
    async settle(): Promise<void> {
      await feed(undefined);
      await tick({ workers: 1, cutAfter: undefined });
      await feed(undefined);
    },
    async cancel(): Promise<void> {
      await call("POST", `${path}/cancel`, undefined, 200);
    },
  };
}

function isCut(error: Error): void {
  assert.match(error.message, /terminat|cut|unreachable|connection/i);
}
