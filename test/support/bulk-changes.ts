import assert from "node:assert/strict";
import type { TestApp } from "./app.ts";
import type { Json } from "./subscribers.ts";
import { until } from "./until.ts";

export async function startChange(app: TestApp, body: Json): Promise<string> {
  const made = await app.api("POST", "/v1/bulk_changes", { body });
  assert.equal(made.status, 202, made.text);
  return made.body.id;
}

/** Waits until the change, or its undo, is over. */
export async function ended(app: TestApp, id: string): Promise<Json> {
  let last: Json = {};
  await until(async () => {
    last = (await app.api("GET", `/v1/bulk_changes/${id}`)).body;
    return !["pending", "running", "undoing"].includes(last["status"]);
  });
  return last;
}

export async function runChange(app: TestApp, body: Json): Promise<Json> {
  return ended(app, await startChange(app, body));
}
