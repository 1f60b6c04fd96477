import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { keyIn, makeInstallation, waitUntil } from "../support/process.ts";

const installation = makeInstallation();
after(() => installation.clear());

const AHEAD_MS = 8_000;
/** A campaign that starts later than this says that it is late. */
const LATE_MS = 5_000;

test("a campaign that fell due while the whole program was stopped starts with it, once, and says so", async () => {
  const first = installation.start({ via: "node" });
  const address = await first.ready();
  await waitUntil("the key is printed", () => keyIn(first.stdout()) !== undefined);
  const key = keyIn(first.stdout()) ?? "";
  const made = await ask(address, key, "POST", "/v1/lists", { name: "Readers" });
  await ask(address, key, "POST", "/v1/subscribers", { email: "ada@example.com", list_id: made.id });
  const body = { name: "News", list_id: made.id, subject: "News", html: "<p>News</p>" };
  const campaign = await ask(address, key, "POST", "/v1/campaigns", body);
  const path = `/v1/campaigns/${campaign.id}`;
  const sendAt = new Date(Date.now() + AHEAD_MS);
  const scheduled = await ask(address, key, "POST", `${path}/schedule`, { send_at: sendAt.toISOString() });
  assert.equal(scheduled.status, "scheduled");
  assert.equal((await first.stop()).code, 0);
  assert.ok(Date.now() < sendAt.getTime(), "it was stopped before its time");
  await sleep(sendAt.getTime() + LATE_MS + 1_000 - Date.now());

  const second = installation.start({ via: "node" });
  const again = await second.ready();
  const readyAt = Date.now();
  let now = await ask(again, key, "GET", path);
  while (now.status !== "sent") {
    assert.ok(Date.now() < readyAt + 30_000, JSON.stringify(now));
    await sleep(50);
    now = await ask(again, key, "GET", path);
  }
  assert.equal(now.status_reason, "started_late");
  assert.ok(Date.parse(now.started_at) >= sendAt.getTime() + LATE_MS);
  const { data } = await ask(again, key, "GET", "/v1/events?sort=created_at&limit=200");
  const starts = data.filter((one: { type: string }) => one.type === "campaign.sending");
  assert.equal(starts.length, 1);
  assert.ok(starts[0].data.late_by_seconds >= LATE_MS / 1_000);
  const { data: mails } = await ask(again, key, "GET", "/v1/sandbox/messages");
  assert.equal(mails.length, 1);
  assert.equal((await second.stop()).code, 0);

  const third = installation.start({ via: "node" });
  const last = await third.ready();
  await sleep(1_500);
  assert.equal((await ask(last, key, "GET", path)).started_at, now.started_at, "and not a second time");
  assert.equal((await ask(last, key, "GET", "/v1/sandbox/messages")).data.length, 1);
  assert.equal((await third.stop()).code, 0);
});

// biome-ignore lint/suspicious/noExplicitAny: answers of many shapes
async function ask(address: string, key: string, method: string, path: string, body?: object): Promise<any> {
  const response = await fetch(`${address}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  assert.ok(response.ok, text);
  return JSON.parse(text);
}
