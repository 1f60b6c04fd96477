import { type NewAlert, openAlert } from "../../src/alerts/alerts.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { systemCtx } from "../../src/platform/context.ts";
import { createLog } from "../../src/platform/log.ts";
import type { TestApp } from "./app.ts";
import { uuidOf } from "./subscribers.ts";

const log = createLog({ level: "silent", pretty: false });

/** Opens alerts of the first account, each as whoever watches something does. */
export async function openAlerts(app: TestApp, alerts: readonly NewAlert[]): Promise<void> {
  await app.db.transaction(async (tx) => {
    const ctx = systemCtx({ clock: systemClock, log }, tx, uuidOf("acc", app.accountId));
    for (const alert of alerts) await openAlert(ctx, alert);
  });
}
