/** Sends transactional mail in tests through the API, and waits for what becomes of it. */
import assert from "node:assert/strict";
import type { Reply, TestApp } from "./app.ts";
import type { Json } from "./subscribers.ts";
import { until } from "./until.ts";

export const MAIL: Json = {
  from: "Acme <billing@acme.example>",
  to: ["Ada Lovelace <ada@example.com>"],
  subject: "Your receipt",
  text: "Thank you.",
};

export function postEmail(
  app: TestApp,
  more: Json = {},
  headers: Record<string, string> = {},
): Promise<Reply> {
  return app.api("POST", "/v1/emails", { body: { ...MAIL, ...more }, headers });
}

/** Sends a mail that must be accepted, and returns it. */
export async function sendEmail(app: TestApp, more: Json = {}): Promise<Json> {
  const reply = await postEmail(app, more);
  assert.equal(reply.status, 202, reply.text);
  return reply.body;
}

export async function readEmail(app: TestApp, id: unknown): Promise<Json> {
  const reply = await app.api("GET", `/v1/emails/${id}`);
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

/** Waits until the mail has this status, and returns it. */
export async function untilStatus(app: TestApp, id: unknown, status: string): Promise<Json> {
  let email: Json = {};
  await until(async () => {
    email = await readEmail(app, id);
    return email["status"] === status;
  });
  return email;
}

/** Returns what the sandbox caught for an address, as it was sent. */
export async function caughtFor(app: TestApp, address: string): Promise<string[]> {
  const page = await app.api("GET", `/v1/sandbox/messages?to=${encodeURIComponent(address)}`);
  const raws = page.body.data.map(async ({ id }: { id: string }) => {
    return (await app.api("GET", `/v1/sandbox/messages/${id}/raw`)).text;
  });
  return Promise.all(raws);
}
