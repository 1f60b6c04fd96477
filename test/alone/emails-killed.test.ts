/** Wherever a sender is killed, every accepted mail is sent, and none twice that wasn't on the wire. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { after, before, describe, test } from "node:test";
import type { FaultPoint } from "../../src/delivery/delivery.ts";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { cloneDatabase } from "../support/database.ts";
import { MAIL, sendEmail } from "../support/emails.ts";
import { type Installation, killOne, makeInstallation } from "../support/process.ts";
import { uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

/** Before these points no server can have the message. */
const NOT_ON_THE_WIRE: readonly FaultPoint[] = ["leased", "inflight"];
/** They come last: on a slow machine, a mail that an earlier sender left is leased by a later one before that is killed. */
const POINTS: readonly FaultPoint[] = [
  "before_dot",
  "after_dot",
  "reply",
  "before_outcome",
  ...NOT_ON_THE_WIRE,
];
const MAILS = 4;
const ACCEPTED = 400;

describe("senders of transactional mail that are killed", () => {
  let app: TestApp;
  before(async () => {
    app = await createApp({ settings: { ROLES: "api,jobs" } });
  });
  after(() => app.stop());

  test("at each point in turn lose no mail, and double none that wasn't on the wire", async () => {
    const sentAt = new Map<string, FaultPoint>();
    for (const point of POINTS) {
      const to = (n: number) => [`one${n}@${point.replace("_", "-")}.example`, `other${n}@killed.example`];
      const mails = await Promise.all(Array.from({ length: MAILS }, (_, n) => sendEmail(app, { to: to(n) })));
      for (const { id } of mails) sentAt.set(uuidOf("msg", String(id)).slice(0, -2), point);
      await die(app.databaseUrl, point);
    }
    const heir = await createApp({ settings: { ROLES: "sender" }, databaseUrl: app.databaseUrl });
    try {
      await until(async () => {
        const { open } = await app.db.one<{ open: number }>(
          sql`select count(*) as open from deliveries where state <> 'sent'`,
        );
        return open === 0;
      });
    } finally {
      await heir.stop();
    }
    const caught = await app.db.many<{ id: string; count: number; attempt: number }>(sql`
      select d.contact_id as id, count(m.id) as count, d.attempt from deliveries d
      left join sandbox_messages m on m.account_id = d.account_id and m.contact_id = d.contact_id
      group by d.contact_id, d.attempt`);
    assert.equal(caught.length, POINTS.length * MAILS * 2);
    for (const { id, count, attempt } of caught) {
      const point = sentAt.get(id.slice(0, -2)) as FaultPoint;
      assert.ok(count >= 1, `a mail that was lost at ${point}`);
      if (count > 1) assert.ok(!NOT_ON_THE_WIRE.includes(point) && attempt > 1, `${count} times at ${point}`);
    }
  });
});

describe("an API that is killed while it accepts", () => {
  const env = {
    SECRET_KEY: "a secret key for tests of 32 characters or more",
    LOG_FORMAT: "json",
    ROLES: "api",
  };
  let installation: Installation;
  let database: Awaited<ReturnType<typeof cloneDatabase>>;
  before(async () => {
    installation = makeInstallation();
    database = await cloneDatabase();
  });
  after(async () => {
    await installation.clear();
    await database.drop();
  });

  /** Posts a mail with a key of its own, and returns its id; undefined where there was no answer. */
  async function post(baseUrl: string, key: string, n: number): Promise<string | undefined> {
    const headers = {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "idempotency-key": `mail ${n}`,
    };
    const body = JSON.stringify({ ...MAIL, to: [`person${n}@accepted.example`], tags: ["accepted"] });
    const reply = await fetch(`${baseUrl}/v1/emails`, { method: "POST", headers, body }).catch(
      () => undefined,
    );
    if (reply?.status !== 202) return undefined;
    return ((await reply.json().catch(() => undefined)) as { id: string } | undefined)?.id;
  }

  test("has every mail that it answered for, and none twice", async () => {
    const start = () => installation.start({ via: "node", env: { ...env, DATABASE_URL: database.url } });
    const first = start();
    const baseUrl = await first.ready();
    await until(() => /API key/.test(first.stdout()));
    const [, key = ""] = /API key\s+(pr_\S+)/.exec(first.stdout()) ?? [];
    let answered = 0;
    const answers = await Promise.all(
      Array.from({ length: ACCEPTED }, async (_, n) => {
        const id = await post(baseUrl, key, n);
        if (id !== undefined && ++answered === ACCEPTED / 4) killOne(first.nodePid(), "SIGKILL");
        return id;
      }),
    );
    assert.ok(answered >= ACCEPTED / 4);
    const second = start();
    const again = await second.ready();
    const repeated = await Promise.all(answers.map((_, n) => post(again, key, n)));
    for (const [n, id] of answers.entries()) {
      assert.ok(repeated[n] !== undefined, `mail ${n} is accepted when it is repeated`);
      if (id !== undefined) assert.equal(repeated[n], id, `mail ${n} was answered for`);
    }
    const found = await fetch(`${again}/v1/emails?tag=accepted&limit=1&include_total=true`, {
      headers: { authorization: `Bearer ${key}` },
    });
    assert.equal(((await found.json()) as { total: number }).total, ACCEPTED);
    await second.stop();
  });
});

/** Runs a sender until it has killed itself. */
async function die(databaseUrl: string, point: FaultPoint): Promise<void> {
  const program = new URL("../support/wave-sender-process.ts", import.meta.url).pathname;
  const child = spawn(process.execPath, [program, databaseUrl, point], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [, signal] = await once(child, "exit");
  assert.equal(signal, "SIGKILL", `it came to ${point}`);
}
