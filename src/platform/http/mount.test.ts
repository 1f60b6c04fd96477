/**
 * Tests what the real routes don't show: unusual routes, bugs in a handler, large answers, and what is stored of them.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Type } from "typebox";
import { createTestClock } from "../../../test/support/clock.ts";
import { cloneDatabase } from "../../../test/support/database.ts";
import { createDb, type Db, sql } from "../db/db.ts";
import { newId } from "../ids.ts";
import { createLog } from "../log.ts";
import { invalid } from "../problems.ts";
import { createSecrets } from "../secrets.ts";
import { CHANGES_NOTHING } from "./audit.ts";
import { forgetAnswersAbout } from "./idempotency.ts";
import { mountRoutes } from "./mount.ts";
import { type Route, readRoute, writeRoute } from "./route.ts";
import { Strict } from "./schemas.ts";
import { createServer, type HttpServer } from "./server.ts";

const clock = createTestClock();
const ACCOUNT = newId(clock);
const PERSON = newId(clock);
const secrets = createSecrets(["a secret key for tests of 32 characters or more"]);
const Text = Type.Object({ text: Type.String() }, { title: "Text" });
const answer = { status: 200, schema: Text, description: "A text." };
const common = { scope: "things:write", tag: "Things", summary: "Does it", success: answer } as const;

const runs = { conflict: 0, told: 0, large: 0, prepared: 0, fickle: 0 };
const incompressible = Array.from({ length: 4_000 }, () => newId(clock)).join("");

function testRoutes(): Route[] {
  return [
    readRoute({
      ...common,
      path: "/v1/bug",
      handler: async () => {
        throw new TypeError("cannot read someone@example.com");
      },
    }),
    readRoute({
      ...common,
      path: "/v1/sql_bug",
      handler: async ({ ctx }) => ctx.sql.one(sql`select * from nowhere`),
    }),
    readRoute({ ...common, path: "/v1/open", scope: null, handler: async () => text("open to all") }),
    writeRoute({
      audit: CHANGES_NOTHING,
      ...common,
      method: "POST",
      path: "/v1/action",
      body: Strict({ reason: Type.String() }),
      bodyOptional: true,
      handler: async ({ body }) => text((body as { reason: string } | undefined)?.reason ?? "none"),
    }),
    writeRoute({
      audit: CHANGES_NOTHING,
      ...common,
      method: "PUT",
      path: "/v1/thing",
      body: Strict({ reason: Type.String() }),
      handler: async ({ body }) => text(body.reason),
    }),
    writeRoute({
      audit: CHANGES_NOTHING,
      ...common,
      method: "POST",
      path: "/v1/conflict",
      async handler({ ctx }) {
        ctx.sql.afterCommit(() => runs.told++);
        if (++runs.conflict < 3) {
          await ctx.sql.execute(sql`do $$ begin raise exception 'x' using errcode = '40001'; end $$`);
        }
        return text("third time lucky");
      },
    }),
    writeRoute({
      audit: CHANGES_NOTHING,
      ...common,
      method: "POST",
      path: "/v1/large",
      body: Strict({ compressible: Type.Boolean() }),
      async handler({ ctx, body }) {
        ctx.sql.afterCommit(() => runs.large++);
        return { ...text(body.compressible ? "x".repeat(500_000) : incompressible), subjects: [PERSON] };
      },
    }),
    writeRoute({
      audit: CHANGES_NOTHING,
      ...common,
      method: "POST",
      path: "/v1/fickle",
      body: Strict({ reads: Type.Boolean() }),
      async handler({ ctx, body }) {
        if (body.reads) await ctx.sql.one(sql`select 1 as a`);
        if (++runs.fickle > 1) throw invalid({ pointer: "/reads", code: "late", detail: "is too late now" });
        return text("in time");
      },
    }),
    writeRoute({
      audit: CHANGES_NOTHING,
      ...common,
      method: "POST",
      path: "/v1/taken",
      async handler({ ctx }) {
        await ctx.sql.execute(sql`select * from nowhere`).catch(() => undefined);
        throw invalid({ pointer: "", code: "taken", detail: "is taken" });
      },
    }),
    writeRoute({
      audit: CHANGES_NOTHING,
      ...common,
      method: "POST",
      path: "/v1/prepared",
      prepare: async () => ++runs.prepared,
      handler: async (_call, prepared) => text(String(prepared)),
    }),
  ];
}

const text = (value: string) => ({ status: 200, body: { text: value } });

describe("a mounted route", () => {
  let database: { url: string; drop(): Promise<void> };
  let db: Db;
  let server: HttpServer;
  let address = "";
  const logs: string[] = [];
  before(async () => {
    database = await cloneDatabase();
    const log = createLog({
      level: "trace",
      pretty: false,
      destination: { write: (line) => void logs.push(line) },
    });
    const connection = database.url;
    db = createDb({ connection, poolSize: 4, applicationName: "mount test", log, statementTimeoutMs: 5_000 });
    const baseUrl = () => "http://test";
    server = createServer({ log, clock, trustProxy: 0, baseUrl });
    const actor = { kind: "api_key", id: "key_test" } as const;
    const principal = { accountId: ACCOUNT, actor, scopes: ["things:write"], unlimited: true };
    const authenticate = async () => principal;
    const options = {
      server,
      db,
      secrets,
      clock,
      log,
      baseUrl,
      rateLimitPerMinute: 10,
      authenticate,
      recordAudit: () => undefined,
    };
    mountRoutes({ ...options, routes: testRoutes() });
    address = await server.fastify.listen({ host: "127.0.0.1", port: 0 });
  });
  after(async () => {
    await server.stop(100);
    await db.close();
    await database.drop();
  });

  async function call(method: "GET" | "POST" | "PUT", path: string, body?: unknown, idempotencyKey?: string) {
    const reply = await fetch(address + path, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      headers: {
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(idempotencyKey && { "idempotency-key": idempotencyKey }),
      },
    });
    const isReplay = reply.headers.get("idempotency-replayed") === "true";
    return { status: reply.status, isReplay, text: await reply.text() };
  }

  it("answers 500 to a bug, shows nothing of it, and logs it under the request's id", async () => {
    for (const url of ["/v1/bug", "/v1/sql_bug"]) {
      const reply = await call("GET", url);
      const body = JSON.parse(reply.text);
      assert.deepEqual([reply.status, body.code], [500, "internal_error"]);
      assert.doesNotMatch(reply.text, /TypeError|nowhere|someone|select|\.ts/);
      const line = logs.find((one) => one.includes(body.request_id));
      assert.match(String(line), /cannot read \[address\]|nowhere/);
    }
  });

  it("is open to all where it wants no scope", async () => {
    assert.equal((await call("GET", "/v1/open")).status, 200);
  });

  it("takes an optional body, and checks it when it is there", async () => {
    assert.equal((await call("POST", "/v1/action")).text, '{"text":"none"}');
    assert.equal((await call("POST", "/v1/action", { reason: "why" })).text, '{"text":"why"}');
    assert.equal((await call("POST", "/v1/action", { colour: "red" })).status, 422);
    assert.equal((await call("POST", "/v1/conflict", { colour: "red" })).status, 422);
  });

  it("may be a PUT", async () => {
    assert.equal((await call("PUT", "/v1/thing", { reason: "x" })).status, 200);
  });

  it("runs again after a conflict and answers once", async () => {
    const reply = await call("POST", "/v1/conflict", undefined, "conflict");
    assert.deepEqual([reply.status, runs.conflict, runs.told], [200, 3, 1]);
    assert.ok((await call("POST", "/v1/conflict", undefined, "conflict")).isReplay);
    assert.equal(runs.told, 1);
  });

  it("repeats the first answer where the work would now be refused, whether it reads before that or not", async () => {
    for (const reads of [true, false]) {
      runs.fickle = 0;
      assert.equal((await call("POST", "/v1/fickle", { reads }, `fickle ${reads}`)).status, 200);
      const again = await call("POST", "/v1/fickle", { reads }, `fickle ${reads}`);
      assert.deepEqual([again.status, again.isReplay, again.text], [200, true, '{"text":"in time"}']);
      assert.equal((await call("POST", "/v1/fickle", { reads }, `another ${reads}`)).status, 422);
    }
  });

  it("tells what the work made of a failed statement, and doesn't keep the refusal under the key", async () => {
    for (const _ of [1, 2]) {
      const reply = await call("POST", "/v1/taken", undefined, "taken");
      assert.deepEqual([reply.status, reply.isReplay], [422, false]);
      assert.match(reply.text, /is taken/);
    }
  });

  it("replays a large answer in full where it packs well", async () => {
    const first = await call("POST", "/v1/large", { compressible: true }, "large");
    const again = await call("POST", "/v1/large", { compressible: true }, "large");
    assert.ok(again.isReplay);
    assert.equal(again.text, first.text);
  });

  it("replays the status alone of an answer over 64 KB, and still does nothing twice", async () => {
    const before = runs.large;
    assert.ok((await call("POST", "/v1/large", { compressible: false }, "huge")).text.length > 64 * 1_024);
    const again = await call("POST", "/v1/large", { compressible: false }, "huge");
    assert.deepEqual([again.status, again.text, runs.large], [200, "", before + 1]);
    const { size } = await db.one<{ size: number }>(
      sql`select max(length(answer)) as size from idempotency_answers`,
    );
    assert.ok(size <= 66 * 1_024, `${size} bytes`);
  });

  it("keeps nothing of a person who was erased, and still does nothing twice", async () => {
    await call("POST", "/v1/large", { compressible: true }, "erased");
    await db.transaction((tx) => forgetAnswersAbout(tx, ACCOUNT, PERSON));
    const before = runs.large;
    const again = await call("POST", "/v1/large", { compressible: true }, "erased");
    assert.deepEqual(
      [again.status, JSON.parse(again.text).code, runs.large],
      [422, "idempotency_key_reused", before],
    );
  });

  it("hands on what was prepared before the transaction", async () => {
    assert.equal((await call("POST", "/v1/prepared")).text, '{"text":"1"}');
  });
});
