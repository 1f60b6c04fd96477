/** Tests the steps of a write, and what a repetition gets when the first request stopped between two of them. */
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { Type } from "typebox";
import { createTestClock } from "../../../test/support/clock.ts";
import { cloneDatabase } from "../../../test/support/database.ts";
import type { ActCtx, Ctx, Permit } from "../context.ts";
import { createDb, type Db, type Queryable, sql, type Tx, type Writable } from "../db/db.ts";
import { newId } from "../ids.ts";
import { createLog } from "../log.ts";
import { invalid } from "../problems.ts";
import { createSecrets } from "../secrets.ts";
import { CHANGES_NOTHING } from "./audit.ts";
import { mountRoutes } from "./mount.ts";
import { type Route, writeRoute } from "./route.ts";
import { Strict } from "./schemas.ts";
import { createServer, type HttpServer } from "./server.ts";

const clock = createTestClock();
const ACCOUNT = newId(clock);
const secrets = createSecrets(["a secret key for tests of 32 characters or more"]);
const Text = Type.Object({ text: Type.String() }, { title: "Text" });
const common = {
  method: "POST",
  scope: "things:write",
  tag: "Things",
  summary: "Does it",
  success: { status: 200, schema: Text, description: "A text." },
} as const;

/** These say what each step does next, and count how often it ran. */
let prepared = 0;
let mails = 0;
let act: () => Promise<string> = async () => "sent";
let handle: () => void = () => undefined;

function sendMail(_ctx: ActCtx): Promise<string> {
  mails++;
  return act();
}

function testRoutes(): Route[] {
  return [
    writeRoute({
      audit: CHANGES_NOTHING,
      ...common,
      path: "/v1/mail",
      body: Strict({ to: Type.String() }),
      prepare: async ({ body }) => {
        prepared++;
        if (body.to === "nobody") throw invalid({ pointer: "/to", code: "required", detail: "is required" });
        return body.to;
      },
      act: async ({ ctx }, to) => `${await sendMail(ctx)} to ${to}`,
      async handler(_call, sent) {
        handle();
        return { status: 200, body: { text: sent } };
      },
    }),
    writeRoute({
      audit: CHANGES_NOTHING,
      ...common,
      path: "/v1/sly",
      prepare: ({ ctx }) =>
        ctx.sql.many(sql`insert into timers (name, last_fired_at) values ('sly', now()) returning name`),
      handler: async () => ({ status: 200, body: { text: "written" } }),
    }),
  ];
}

let database: { url: string; drop(): Promise<void> };
let db: Db;
let server: HttpServer;
let address = "";
before(async () => {
  database = await cloneDatabase();
  const log = createLog({ level: "silent", pretty: false });
  const connection = database.url;
  db = createDb({ connection, poolSize: 4, applicationName: "write test", log, statementTimeoutMs: 5_000 });
  const baseUrl = () => "http://test";
  server = createServer({ log, clock, trustProxy: 0, baseUrl });
  const actor = { kind: "api_key", id: "key_test" } as const;
  const principal = { accountId: ACCOUNT, actor, scopes: ["things:write"], unlimited: true };
  mountRoutes({
    server,
    db,
    secrets,
    clock,
    log,
    baseUrl,
    rateLimitPerMinute: 10,
    recordAudit: () => undefined,
    authenticate: async () => principal,
    routes: testRoutes(),
  });
  address = await server.fastify.listen({ host: "127.0.0.1", port: 0 });
});
after(async () => {
  await server.stop(100);
  await db.close();
  await database.drop();
});
function startAfresh() {
  [prepared, mails] = [0, 0];
  act = async () => "sent";
  handle = () => undefined;
}

async function post(path: string, idempotencyKey: string | undefined, body?: unknown) {
  const reply = await fetch(address + path, {
    method: "POST",
    ...(body !== undefined && { body: JSON.stringify(body) }),
    headers: {
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(idempotencyKey && { "idempotency-key": idempotencyKey }),
    },
  });
  const isReplay = reply.headers.get("idempotency-replayed") === "true";
  const { code, text } = (await reply.json()) as { code?: string; text?: string };
  return { status: reply.status, isReplay, code, text };
}

const mail = (key: string | undefined, to = "ada") => post("/v1/mail", key, { to });
const unknown = { status: 409, isReplay: false, code: "idempotency_outcome_unknown", text: undefined };
const inFlight = { ...unknown, code: "idempotency_in_flight" };

/** Makes an act that ends when it is told to, and never when its process is killed. */
function holdUp(): (end: string | Error) => void {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  act = () => promise;
  return (end) => (typeof end === "string" ? resolve(end) : reject(end));
}

async function begun(): Promise<void> {
  while (mails === 0) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe("an act", () => {
  beforeEach(startAfresh);

  it("is done once under a key, however often it is asked for, and each time without one", async () => {
    const first = await mail("once");
    assert.deepEqual(first, { status: 200, isReplay: false, code: undefined, text: "sent to ada" });
    for (let i = 0; i < 3; i++) assert.deepEqual(await mail("once"), { ...first, isReplay: true });
    assert.deepEqual([prepared, mails], [1, 1]);
    await mail(undefined);
    await mail(undefined);
    assert.equal(mails, 3);
  });

  it("is done once by ten at once", async () => {
    const replies = await Promise.all(Array.from({ length: 10 }, () => mail("ten")));
    assert.equal(mails, 1);
    for (const { status, code } of replies) {
      assert.ok(status === 200 || code === "idempotency_in_flight", `${status} ${code}`);
    }
    assert.ok((await mail("ten")).isReplay);
  });

  it("under way answers 409 to a repetition, and 422 to another request under its key", async () => {
    const end = holdUp();
    const first = mail("slow");
    await begun();
    assert.deepEqual(await mail("slow"), inFlight);
    assert.equal((await mail("slow", "bob")).code, "idempotency_key_reused");
    end("sent late");
    assert.equal((await first).text, "sent late to ada");
    assert.equal((await mail("slow")).text, "sent late to ada");
    assert.equal((await mail("slow", "bob")).code, "idempotency_key_reused");
    assert.equal(mails, 1);
  });

  it("whose process was killed is not done again: nobody knows whether it happened", async () => {
    const end = holdUp();
    const first = mail("killed");
    await begun();
    clock.advance(29_999);
    assert.deepEqual(await mail("killed"), inFlight);
    clock.advance(1);
    assert.deepEqual(await mail("killed"), unknown);
    assert.equal((await mail("killed", "bob")).code, "idempotency_key_reused");
    assert.equal(mails, 1);
    // The act was only slow after all, and its answer is stored when it comes.
    end("sent very late");
    await first;
    assert.deepEqual([(await mail("killed")).text, mails], ["sent very late to ada", 1]);
  });

  it("is forgotten with its key after 24 hours", async () => {
    const end = holdUp();
    const first = mail("day");
    await begun();
    clock.advance(24 * 3_600_000);
    act = async () => "sent anew";
    assert.deepEqual([(await mail("day")).text, mails], ["sent anew to ada", 2]);
    end("sent at last");
    await first;
  });

  it("that breaks in midst, or whose answer can't be stored, is not done again", async () => {
    act = () => Promise.reject(new Error("a bug"));
    assert.equal((await mail("broken")).status, 500);
    act = async () => "sent";
    handle = () => {
      throw new Error("a bug behind it");
    };
    assert.equal((await mail("unstored")).status, 500);
    handle = () => undefined;
    for (const key of ["broken", "unstored"]) assert.deepEqual(await mail(key), inFlight);
    clock.advance(30_000);
    for (const key of ["broken", "unstored"]) assert.deepEqual(await mail(key), unknown);
    assert.equal(mails, 2);
  });

  it("that refuses has done nothing, so its key is free", async () => {
    act = () => Promise.reject(invalid({ pointer: "/to", code: "late", detail: "is too late" }));
    assert.equal((await mail("refused")).status, 422);
    act = async () => "sent";
    assert.equal((await mail("refused")).text, "sent to ada");
  });
});

describe("preparing", () => {
  beforeEach(startAfresh);

  it("comes before the claim, so that its refusal leaves the key free", async () => {
    assert.equal((await mail("prepared", "nobody")).status, 422);
    assert.equal((await mail("prepared")).text, "sent to ada");
    assert.equal(mails, 1);
  });

  it("can't write, whatever its statements say", async () => {
    assert.equal((await post("/v1/sly", undefined)).status, 500);
    assert.deepEqual(await db.many(sql`select from timers where name = 'sly'`), []);
  });

  it("can't write nor act by its types", () => {
    type Fits<A, B> = A extends B ? true : false;
    const cases: [Fits<Queryable, Writable>, Fits<Ctx, Ctx<Tx>>, Fits<Ctx, ActCtx>, Fits<Ctx<Db>, ActCtx>] = [
      false,
      false,
      false,
      false,
    ];
    const isMade: Fits<object, Permit> = false;
    assert.ok(!isMade && cases.every((fits) => !fits));
  });
});
