/** What recipients do by old mail of an account whose deletion has begun, or that is gone: it is answered, and nothing is written. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { deleteDueAccounts } from "../../src/account-data/deleting/deleting.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { sql } from "../../src/platform/db/db.ts";
import { createLog } from "../../src/platform/log.ts";
import { readEverything } from "../support/account-rows.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { sendWithPreferences } from "../support/preferences.ts";
import { addSubscriber, makeList, settled, uuidOf } from "../support/subscribers.ts";

/** What the product writes by itself, whatever recipients do. */
const BESIDE = ["api_keys", "transport_rates", "rates", "file_totals"];

let app: TestApp;
let accountId: string;
let paths: readonly string[];
before(async () => {
  app = await createApp({ writesOwnEvents: true });
  accountId = uuidOf("acc", app.accountId);
  const listId = await makeList(app);
  await addSubscriber(app, listId, "reader@example.com");
  const path = (await sendWithPreferences(app, listId)).get("reader@example.com") ?? "";
  paths = [path.replace("/p/", "/u/"), path];
  await settled(app);
});
after(() => app.stop());

/** Answers by which statuses each way of leaving and choosing was answered. */
function everyAct(): Promise<readonly number[]> {
  const forms = [
    { "List-Unsubscribe": "One-Click" },
    { scope: "all", reason: "too_many" },
    { act: "save", pause: "30" },
    { act: "delete" },
  ];
  const asked = paths.flatMap((path) =>
    forms.map(async (form) => {
      const body = new URLSearchParams(form as Record<string, string>);
      return (await fetch(`${app.baseUrl}${path}`, { method: "POST", body, redirect: "manual" })).status;
    }),
  );
  return Promise.all(asked);
}

async function written(): Promise<Readonly<Record<string, readonly string[]>>> {
  const all = await readEverything(app.db, accountId);
  return Object.fromEntries(
    Object.entries(all).filter(([table, rows]) => rows.length > 0 && !BESIDE.includes(table)),
  );
}

test("while the deletion goes on", async () => {
  await app.db.execute(sql`
    insert into account_deletions (account_id, requested_at, due_at, started_at) values (${accountId}, now(), now(), now())`);
  const before = await written();
  for (const status of await everyAct()) assert.ok(status < 500, String(status));
  assert.deepEqual(await written(), before);
});

test("once the account is gone", async () => {
  const log = createLog({ level: "silent", pretty: false });
  await deleteDueAccounts({ db: app.db, clock: systemClock, log, signal: new AbortController().signal });
  for (const status of await everyAct()) assert.ok(status < 500, String(status));
  assert.deepEqual(Object.keys(await written()), ["account_deletions"]);
});
