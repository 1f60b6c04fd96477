/** Holds accounts and releases them, as operators, owners and the service itself do. */
import { type HoldKind, holdAccount, releaseAccount } from "../../src/accounts/accounts.ts";
import { type Clock, systemClock } from "../../src/platform/clock.ts";
import type { TestApp } from "./app.ts";
import { uuidOf } from "./subscribers.ts";

export async function hold(
  app: TestApp,
  kind: HoldKind,
  reason: string | null = null,
  clock: Clock = systemClock,
): Promise<boolean> {
  const accountId = uuidOf("acc", app.accountId);
  return app.db.transaction((sql) => holdAccount({ sql, accountId, clock }, kind, reason));
}

export async function release(app: TestApp, kind: HoldKind): Promise<boolean> {
  const accountId = uuidOf("acc", app.accountId);
  return app.db.transaction((sql) => releaseAccount({ sql, accountId }, kind));
}
