/** Automations are published, started, paused, resumed, drained, canceled and archived, also with people inside. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { systemClock } from "../../src/platform/clock.ts";
import { sql } from "../../src/platform/db/db.ts";
import { newId } from "../../src/platform/ids.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { makeFixture } from "../support/fixtures.ts";
import { settled, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const DAY_MS = 24 * 3_600_000;

let app: TestApp;
let listId: string;
before(async () => {
  app = await createApp();
  listId = await makeFixture(app, app.key, "lst");
});
after(() => app.stop());

type Nodes = Readonly<Record<string, object>>;

const MAIL = { type: "email", subject: "Hello", html: "<p>Hello</p>", next: "end" };
const WELCOME: Nodes = {
  wait: { type: "wait", for: "P3D", next: "mail" },
  mail: MAIL,
  end: { type: "end" },
};

function draftOf(nodes: Nodes, start = Object.keys(nodes)[0]) {
  return { format: 1, start, entry: { on: [{ type: "manual" }] }, nodes };
}

async function make(nodes: Nodes = WELCOME): Promise<string> {
  const body = { name: "Welcome", list_id: listId, draft: draftOf(nodes) };
  const made = await app.api("POST", "/v1/automations", { body });
  assert.equal(made.status, 201, made.text);
  return `/v1/automations/${made.body.id}`;
}

const act = (path: string, action: string, body?: object, headers?: Record<string, string>) =>
  app.api("POST", `${path}/${action}`, { ...(body && { body }), ...(headers && { headers }) });

async function write(path: string, nodes: Nodes): Promise<void> {
  const patched = await app.api("PATCH", path, { body: { draft: draftOf(nodes) } });
  assert.equal(patched.status, 200, patched.text);
}

const codes = (faults: readonly { pointer: string; code: string }[]) =>
  faults.map(({ pointer, code }) => `${pointer} ${code}`).sort();

/** Puts people onto a step, as if they had come to it so long ago, and counts them as the executor does. */
async function put(
  path: string,
  node: string,
  { people = 1, agoMs = 0, dueInMs = DAY_MS, version = 1, wokenBy = "time" } = {},
): Promise<string[]> {
  const [accountId, automationId] = [uuidOf("acc", app.accountId), uuidOf("aut", path.split("/")[3] ?? "")];
  const now = Date.now();
  const ids: string[] = [];
  for (let n = 0; n < people; n++) {
    const subscriber = uuidOf("sub", await addPerson());
    const id = newId(systemClock);
    ids.push(id);
    await app.db.execute(sql`
      insert into automation_runs (account_id, automation_id, id, subscriber_id, version, node, entered_at, arrived_at, due_at,
        woken_by)
      values (${accountId}, ${automationId}, ${id}, ${subscriber}, ${version}, ${node}, ${new Date(now - agoMs)},
        ${new Date(now - agoMs)}, ${new Date(now + dueInMs)}, ${wokenBy})`);
  }
  for (const place of ["", node])
    await app.db.execute(sql`
      insert into automation_counts as known (account_id, automation_id, node, what, shard, count)
      values (${accountId}, ${automationId}, ${place}, 'entered', 0, ${people})
      on conflict (account_id, automation_id, node, what, shard) do update set count = known.count + excluded.count`);
  return ids;
}

let persons = 0;
async function addPerson(): Promise<string> {
  const body = { email: `person${++persons}@example.com`, list_id: listId };
  const made = await app.api("POST", "/v1/subscribers", { body });
  assert.equal(made.status, 201, made.text);
  return made.body.id;
}

describe("the status of an automation", () => {
  const ACTIONS = ["publish", "start", "pause", "resume", "drain", "cancel", "archive"];
  /** How to bring a new one there, and what each action then answers. */
  const TABLE: Readonly<Record<string, { by: readonly string[]; allowed: readonly string[] }>> = {
    draft: { by: [], allowed: ["publish", "start", "archive"] },
    live: { by: ["start"], allowed: ["publish", "pause", "drain", "cancel", "archive"] },
    paused: { by: ["start", "pause"], allowed: ["publish", "resume", "cancel", "archive"] },
    draining: { by: ["start", "inside", "drain"], allowed: ["publish", "resume", "cancel"] },
    archived: { by: ["start", "cancel"], allowed: [] },
  };
  const AFTER: Readonly<Record<string, string>> = {
    start: "live",
    pause: "paused",
    resume: "live",
    drain: "archived",
    cancel: "archived",
    archive: "archived",
  };
  for (const [status, { by, allowed }] of Object.entries(TABLE))
    it(`allows what it says when it is ${status}`, async () => {
      for (const action of ACTIONS) {
        const path = await make();
        for (const step of by) {
          if (step === "inside") await put(path, "wait");
          else assert.equal((await act(path, step)).status, 200, step);
        }
        const now = await app.api("GET", path);
        assert.equal(now.body.status, status);
        const done = await act(path, action);
        if (!allowed.includes(action)) {
          assert.ok(!now.body.allowed_actions.includes(action), action);
          assert.equal(done.status, 409, `${action}: ${done.text}`);
          assert.deepEqual([done.body.code, done.body.current_status], ["invalid_state", status]);
          continue;
        }
        assert.equal(done.status, 200, `${action}: ${done.text}`);
        assert.ok(now.body.allowed_actions.includes(action), action);
        const expected = action === "resume" && status === "draining" ? status : (AFTER[action] ?? status);
        assert.equal((await app.api("GET", path)).body.status, expected, action);
      }
    });

  it("is told as an event, with each change", async () => {
    const path = await make();
    for (const action of ["start", "pause", "resume", "drain"]) await act(path, action);
    await settled(app);
    const { body } = await app.api("GET", "/v1/events?limit=200");
    const types = body.data
      .filter(({ data }: { data: { automation_id?: string } }) => path.endsWith(data.automation_id ?? "-"))
      .map(({ type }: { type: string }) => type.replace("automation.", ""));
    assert.deepEqual(
      new Set(types),
      new Set(["created", "published", "started", "paused", "resumed", "drained", "archived"]),
    );
  });

  it("lets nobody delete or change what people may be in, or what is over", async () => {
    const path = await make();
    await act(path, "start");
    assert.equal((await app.api("DELETE", path)).status, 409);
    await act(path, "cancel");
    assert.equal((await app.api("PATCH", path, { body: { name: "Other" } })).status, 409);
    assert.equal((await app.api("DELETE", path)).status, 204);
    assert.equal((await app.api("GET", path)).status, 404);
  });

  it("isn't changed by another account, nor without the scope to send", async () => {
    const path = await make();
    const other = await app.addAccount();
    const writer = await app.addKey(["automations:read", "automations:write"]);
    for (const action of ACTIONS) {
      assert.equal((await app.api("POST", `${path}/${action}`, { key: other.key })).status, 404, action);
      assert.equal((await app.api("POST", `${path}/${action}`, { key: writer })).status, 403, action);
    }
    assert.equal((await app.api("GET", `${path}/versions`, { key: other.key })).status, 404);
  });

  it("is changed once by a repeated request, and by one of two at once", async () => {
    const path = await make();
    const key = { "idempotency-key": "start it" };
    assert.equal((await act(path, "start", undefined, key)).status, 200);
    const again = await act(path, "start", undefined, key);
    assert.deepEqual([again.status, again.headers.get("idempotency-replayed")], [200, "true"]);
    const both = await Promise.all([act(path, "pause"), act(path, "pause")]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409]);
    const mixed = await Promise.all([act(path, "resume"), act(path, "pause")]);
    assert.ok(mixed.some(({ status }) => status === 200));
    assert.ok(["live", "paused"].includes((await app.api("GET", path)).body.status));
  });
});

describe("publishing", () => {
  it("names every fault of the draft, and of each of its mails, at once", async () => {
    const path = await make({
      first: { ...MAIL, html: "<p>{{ nobody_knows }}</p>", next: "second" },
      second: { ...MAIL, html: "<p>{% if %}</p>", from_email: "no address", next: "end" },
      end: { type: "end" },
    });
    for (const action of ["publish", "start"]) {
      const refused = await act(path, action);
      assert.deepEqual([refused.status, refused.body.code], [422, "automation_not_ready"]);
      assert.deepEqual(codes(refused.body.errors), [
        "/draft/nodes/first/html unresolved_variable",
        "/draft/nodes/second/from_email invalid_email",
      ]);
    }
    await write(path, {
      hook: { type: "webhook", url: "https://10.0.0.1/", next: "end" },
      end: { type: "end" },
    });
    assert.deepEqual(codes((await act(path, "publish")).body.errors), [
      "/draft/nodes/hook/url url_not_allowed",
    ]);
    await write(path, { ...WELCOME, lonely: { type: "end" } });
    assert.deepEqual(codes((await act(path, "publish")).body.errors), ["/draft/nodes/lonely unreachable"]);
    assert.equal((await app.api("GET", path)).body.live_version, null);
  });

  it("answers with the version that there is where another would be the same, however many publish at once", async () => {
    const path = await make();
    const all = await Promise.all(Array.from({ length: 5 }, () => act(path, "publish")));
    assert.deepEqual(
      all.map(({ status, body }) => [status, body.version]),
      all.map(() => [200, 1]),
    );
    assert.equal(all.filter(({ body }) => !body.unchanged).length, 1);
    const [version] = (await app.api("GET", `${path}/versions`)).body.data;
    assert.equal((await act(path, "publish")).body.published_at, version.published_at);
    assert.equal(
      (await act(path, "publish", { people: "stay" })).body.version,
      2,
      "another way to take to it is another version",
    );
    await write(path, { ...WELCOME, mail: { ...MAIL, subject: "Other" } });
    assert.deepEqual([(await act(path, "publish")).body.version], [3]);
  });

  it("freezes the draft with its mails as a version, and keeps the former ones", async () => {
    const path = await make();
    const first = await act(path, "publish");
    assert.deepEqual([first.status, first.body.version, first.body.people.inside], [200, 1, 0]);
    await write(path, { ...WELCOME, mail: { ...MAIL, subject: "Hello again" } });
    const second = await act(path, "publish");
    assert.deepEqual(second.body.steps, { added: [], removed: [], changed: ["mail"], waits: [] });
    const versions = (await app.api("GET", `${path}/versions`)).body.data;
    assert.deepEqual(
      versions.map(({ number }: { number: number }) => number),
      [2, 1],
    );
    const former = await app.api("GET", `${path}/versions/1`);
    assert.equal(former.body.graph.nodes.mail.subject, "Hello");
    assert.equal((await app.api("GET", `${path}/versions/3`)).status, 404);
    const kept = await app.db.many<{ emails: Record<string, string> }>(
      sql`select emails from automation_versions where automation_id = ${uuidOf("aut", path.split("/")[3] ?? "")}`,
    );
    assert.equal(new Set(kept.map(({ emails }) => emails["mail"])).size, 2);
  });

  it("publishes what was read and nothing newer", async () => {
    const path = await make();
    const etag = (await app.api("GET", path)).headers.get("etag") ?? "";
    await write(path, { ...WELCOME, mail: { ...MAIL, subject: "Newer" } });
    assert.equal((await act(path, "publish", undefined, { "if-match": etag })).status, 412);
  });

  it("isn't published again by a start where nothing has changed", async () => {
    const path = await make();
    await act(path, "publish");
    assert.equal((await act(path, "start")).body.live_version, 1);
  });

  it("says in a dry run what it would do, and does nothing", async () => {
    const path = await make();
    await act(path, "start");
    await put(path, "wait", { people: 3, agoMs: 2 * DAY_MS });
    await put(path, "wait", { people: 2 });
    await write(path, { ...WELCOME, wait: { type: "wait", for: "P1D", next: "mail" } });
    const planned = await act(path, "publish", { dry_run: true });
    assert.equal(planned.status, 200, planned.text);
    assert.deepEqual(planned.body.people, {
      inside: 5,
      move: 5,
      stay: 0,
      due_now: 3,
      due_now_is_exact: true,
    });
    assert.deepEqual([planned.body.steps.waits, planned.body.published_at], [["wait"], null]);
    assert.equal((await app.api("GET", path)).body.live_version, 1);
    const keeping = await act(path, "publish", { dry_run: true, waits: "keep" });
    assert.equal(keeping.body.people.due_now, 0);
    const staying = await act(path, "publish", { dry_run: true, people: "stay" });
    assert.deepEqual([staying.body.people.move, staying.body.people.stay], [0, 5]);
  });

  it("leaves nobody on a step that is gone unless they are led on or stay", async () => {
    const path = await make();
    await act(path, "start");
    await put(path, "wait", { people: 2 });
    await write(path, {
      later: { type: "wait", for: "P3D", next: "mail" },
      mail: MAIL,
      end: { type: "end" },
    });
    const refused = await act(path, "publish");
    assert.deepEqual([refused.status, refused.body.code], [409, "nodes_in_use"]);
    assert.deepEqual(refused.body.nodes, [{ node: "wait", people: 2 }]);
    const planned = await act(path, "publish", { dry_run: true });
    assert.deepEqual(planned.body.nodes_in_use, [{ node: "wait", people: 2 }]);
    const lost = await act(path, "publish", { mapping: { wait: "nowhere", never: "later" } });
    assert.deepEqual(codes(lost.body.errors), ["/mapping/never unknown_node", "/mapping/wait unknown_node"]);
    assert.equal((await act(path, "publish", { dry_run: true, people: "stay" })).body.nodes_in_use.length, 0);
    assert.equal((await act(path, "publish", { mapping: { wait: "later" } })).status, 200);
    // They stand on the new step now, though their rows have the former one.
    await write(path, WELCOME);
    const again = await act(path, "publish", { mapping: { wait: "mail" } });
    assert.deepEqual(again.body.nodes, [{ node: "later", people: 2 }]);
    assert.equal((await act(path, "publish", { mapping: { later: "wait" } })).status, 200);
  });

  it("lets people be looked at again whose wait has become another", async () => {
    const path = await make();
    await act(path, "start");
    await put(path, "wait", { people: 2, agoMs: DAY_MS, dueInMs: 2 * DAY_MS });
    await write(path, { ...WELCOME, wait: { type: "wait", for: "PT1H", next: "mail" } });
    assert.equal((await act(path, "publish")).body.people.due_now, 2);
    const waiting = sql`select count(*)::int as count from automation_runs
      where automation_id = ${uuidOf("aut", path.split("/")[3] ?? "")} and due_at > now()`;
    await until(async () => (await app.db.one<{ count: number }>(waiting)).count === 0);
  });

  it("lets them be looked at once it goes on where it is paused", async () => {
    const path = await make();
    await act(path, "start");
    await put(path, "wait", { people: 2, agoMs: DAY_MS, dueInMs: 2 * DAY_MS });
    await act(path, "pause");
    await write(path, { ...WELCOME, wait: { type: "wait", for: "PT1H", next: "mail" } });
    assert.equal((await act(path, "publish")).body.people.due_now, 2);
    assert.equal((await act(path, "resume")).status, 200);
    const waiting = sql`select count(*)::int as count from automation_runs
      where automation_id = ${uuidOf("aut", path.split("/")[3] ?? "")} and due_at > now()`;
    await until(async () => (await app.db.one<{ count: number }>(waiting)).count === 0);
  });
});

describe("a trigger by a segment", () => {
  it("is published wherever it stands, and keeps the segment from being deleted", async () => {
    const segment = await makeFixture(app, app.key, "seg");
    const draft = {
      ...draftOf({
        listen: {
          type: "wait_for",
          on: [
            { type: "event", name: "paid" },
            { type: "segment_left", segment_id: segment },
          ],
          timeout: "P3D",
          // biome-ignore lint/suspicious/noThenProperty: it is a way of the graph, and no promise
          then: "end",
          else: "end",
        },
        end: { type: "end" },
      }),
      entry: {
        on: [{ type: "list_joined" }, { type: "segment_entered", segment_id: segment }],
      },
    };
    const made = await app.api("POST", "/v1/automations", {
      body: { name: "By a segment", list_id: listId, draft },
    });
    assert.equal(made.status, 201, made.text);
    for (const action of ["publish", "start"]) {
      const reply = await act(`/v1/automations/${made.body.id}`, action);
      assert.equal(reply.status, 200, reply.text);
    }
    const kept = await app.api("DELETE", `/v1/segments/${segment}`);
    assert.equal(kept.status, 409, kept.text);
  });
});

describe("a list that is deleted", () => {
  it("goes with its people, though automations are for them, and these publish no more", async () => {
    const gone = await makeFixture(app, app.key, "lst");
    const body = { name: "Of a list", list_id: gone, draft: draftOf(WELCOME) };
    const path = `/v1/automations/${(await app.api("POST", "/v1/automations", { body })).body.id}`;
    assert.equal((await act(path, "start")).status, 200);
    assert.equal((await app.api("DELETE", `/v1/lists/${gone}?force=true`)).status, 204);
    await until(async () => {
      const left = await app.db.many(sql`select from lists where id = ${uuidOf("lst", gone)}`);
      return left.length === 0;
    });
    const refused = await act(path, "publish");
    assert.deepEqual(
      [refused.status, codes(refused.body.errors)],
      [422, ["/list_id not_found"]],
      refused.text,
    );
    assert.equal((await act(path, "cancel")).status, 200);
  });
});

describe("a pause", () => {
  it("asks what becomes of steps that fell due meanwhile", async () => {
    const path = await make();
    await act(path, "start");
    await act(path, "pause");
    await put(path, "wait", { people: 3, dueInMs: -1_000 });
    const refused = await act(path, "resume");
    assert.deepEqual([refused.status, refused.body.code], [409, "overdue_steps"]);
    assert.deepEqual(refused.body.nodes, [{ node: "wait", people: 3 }]);
    assert.equal((await app.api("GET", path)).body.status, "paused");
    assert.equal((await act(path, "resume", { overdue: "later" })).status, 422);
  });

  it("is followed by steps that are spread over the time that was said", async () => {
    const path = await make();
    await act(path, "start");
    await act(path, "pause");
    const ids = await put(path, "wait", { people: 4, dueInMs: -1_000 });
    assert.equal((await act(path, "resume", { overdue: "spread", spread_minutes: 40 })).status, 200);
    const rows = await app.db.many<{ due_at: Date }>(
      sql`select due_at from automation_runs where id = any(${ids}::uuid[]) and due_at > now() order by due_at`,
    );
    const minutes = rows.map(({ due_at }) =>
      Math.round((due_at.getTime() - Number(rows[0]?.due_at)) / 60_000),
    );
    // The first is due at once.
    assert.deepEqual(minutes, [0, 10, 20]);
  });

  it("is followed by no mail to whom it was due where that is skipped", async () => {
    const path = await make({
      wait: { type: "wait", for: "P3D", next: "mail" },
      mail: { ...MAIL, next: "pause" },
      pause: { type: "wait", for: "P1D", next: "end" },
      end: { type: "end" },
    });
    await act(path, "start");
    await act(path, "pause");
    const ids = await put(path, "wait", { people: 2, dueInMs: -1_000 });
    assert.equal((await act(path, "resume", { overdue: "skip" })).status, 200);
    const journal = await app.db.many(sql`
      select visit, node, way, reason from automation_journal where run_id = ${ids[0]} order by visit limit 2`);
    assert.deepEqual(journal, [
      { visit: 1, node: "wait", way: "next", reason: "waited" },
      { visit: 2, node: "mail", way: "next", reason: "skipped" },
    ]);
    const [row] = await app.db.many<{ node: string; visit: number }>(
      sql`select node, visit from automation_runs where id = ${ids[0]}`,
    );
    assert.deepEqual(row, { node: "pause", visit: 3 });
  });

  it("skips no wait that hasn't begun, and leads on by what happened meanwhile", async () => {
    const path = await make({
      wait: { type: "wait", for: "P3D", next: "paid" },
      paid: {
        type: "wait_for",
        on: [{ type: "event", name: "paid" }],
        timeout: "P3D",
        // biome-ignore lint/suspicious/noThenProperty: it is a way of the graph, and no promise
        then: "thanks",
        else: "reminder",
      },
      thanks: { ...MAIL, next: "quiet" },
      reminder: { ...MAIL, next: "end" },
      quiet: { type: "wait", for: "P1D", next: "end" },
      end: { type: "end" },
    });
    await act(path, "start");
    await act(path, "pause");
    const [came] = await put(path, "wait", { dueInMs: -1_000, wokenBy: "arrival" });
    const [paid] = await put(path, "paid", { dueInMs: -1_000, wokenBy: "event" });
    const [late] = await put(path, "paid", { dueInMs: -1_000 });
    assert.equal((await act(path, "resume", { overdue: "skip" })).status, 200);
    const visitsOf = (id: string | undefined) =>
      app.db.many<{ node: string; way: string; reason: string }>(sql`
        select node, way, reason from automation_journal where run_id = ${id} order by visit limit 2`);
    assert.deepEqual(await visitsOf(came), [], "they wait, as everybody");
    assert.deepEqual(await visitsOf(paid), [
      { node: "paid", way: "then", reason: "happened" },
      { node: "thanks", way: "next", reason: "skipped" },
    ]);
    assert.deepEqual(await visitsOf(late), [
      { node: "paid", way: "else", reason: "timeout" },
      { node: "reminder", way: "next", reason: "skipped" },
    ]);
  });
});

describe("a canceled automation", () => {
  it("is left by everybody, and all of them are counted", async () => {
    const path = await make();
    await act(path, "start");
    await put(path, "wait", { people: 3 });
    assert.equal((await act(path, "cancel")).body.status, "archived");
    const id = uuidOf("aut", path.split("/")[3] ?? "");
    const inside = sql`select count(*)::int as count from automation_runs where automation_id = ${id} and state = 'active'`;
    await until(async () => (await app.db.one<{ count: number }>(inside)).count === 0);
    const counts = await app.db.many<{ place: string; count: number }>(sql`
      select node || ' ' || what as place, sum(count)::int as count from automation_counts
      where automation_id = ${id} group by 1 order by 1`);
    assert.deepEqual(
      counts.map(({ place, count }) => `${place.trim()} ${count}`),
      ["entered 3", "exited:canceled 3", "wait entered 3", "wait exited:canceled 3"],
    );
  });
});
