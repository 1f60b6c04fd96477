/**
 * This frozen reference is the least that undici needs to post signed bodies: it reads nothing, writes nothing down, checks no address and tries
 * nothing again. It has as many connections to each server as ours. It imports nothing of ours.
 * Usage: bare-undici.ts COUNT CONNECTIONS PORT…; for each message it posts COUNT bodies to every port and says how long that took.
 */
import { createHmac, randomUUID } from "node:crypto";
import { Pool } from "undici";

const [count = 0, connections = 1, ...ports] = process.argv.slice(2).map(Number);
const secret = Buffer.alloc(32, 7);

async function post(pool: Pool, number: number): Promise<void> {
  const id = `evt_${randomUUID()}`;
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const body = JSON.stringify({
    id,
    type: "list.updated",
    timestamp: new Date().toISOString(),
    account_id: "acc_01h00000000000000000000000",
    data: { count: number },
  });
  const mac = createHmac("sha256", secret).update(`${id}.${timestamp}.${body}`).digest("base64");
  const { body: answer } = await pool.request({
    method: "POST",
    path: "/hooks",
    headers: {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": `v1,${mac}`,
    },
    body,
  });
  await answer.dump();
}

async function postAll(port: number): Promise<void> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections });
  let next = 0;
  const loop = async () => {
    while (next < count) await post(pool, ++next);
  };
  await Promise.all(Array.from({ length: connections }, loop));
  await pool.close();
}

process.on("message", async () => {
  const startedMs = performance.now();
  await Promise.all(ports.map(postAll));
  process.send?.({ seconds: (performance.now() - startedMs) / 1_000 });
});
process.on("SIGTERM", () => process.exit(0));
process.send?.({ ready: true });
