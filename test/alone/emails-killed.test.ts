/** Wherever a sender is killed, every accepted mail is sent, and none twice that wasn't on the wire. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { after, before, describe, test } from "node:test";
import type { FaultPoint } from "../../src/delivery/delivery.ts";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { sendEmail } from "../support/emails.ts";
import { uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const POINTS: readonly FaultPoint[] = [
  "leased",
  "inflight",
  "before_dot",
  "after_dot",
  "reply",
  "before_outcome",
];
/** Before these points no server can have the message. */
const NOT_ON_THE_WIRE: readonly FaultPoint[] = ["leased", "inflight"];
const MAILS = 4;

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

/** Runs a sender until it has killed itself. */
async function die(databaseUrl: string, point: FaultPoint): Promise<void> {
  const program = new URL("../support/wave-sender-process.ts", import.meta.url).pathname;
  const child = spawn(process.execPath, [program, databaseUrl, point], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [, signal] = await once(child, "exit");
  assert.equal(signal, "SIGKILL", `it came to ${point}`);
}
