import assert from "node:assert/strict";
import type { TestApp } from "./app.ts";
import type { Json } from "./subscribers.ts";

const MONTHLY = { name: "Growth", price: "29.00", currency: "EUR" };

/** Makes a plan and gives it to an account, as operators do. */
export async function givePlan(
  app: TestApp,
  operator: string,
  plan: Json,
  { accountId = app.accountId, ...more }: Json & { readonly accountId?: string } = {},
): Promise<void> {
  const made = await app.api("POST", "/v1/instance/plans", { key: operator, body: { ...MONTHLY, ...plan } });
  assert.equal(made.status, 201, made.text);
  const path = `/v1/instance/accounts/${accountId}/subscription`;
  const put = await app.api("PUT", path, { key: operator, body: { plan_id: made.body.id, ...more } });
  assert.equal(put.status, 200, put.text);
}
