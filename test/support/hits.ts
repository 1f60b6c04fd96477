/** Records opens and clicks of a campaign's mail for tests, as if they came over the wire. */
import { systemClock } from "../../src/platform/clock.ts";
import { sql } from "../../src/platform/db/db.ts";
import { newId } from "../../src/platform/ids.ts";
import { insertHits } from "../../src/tracking/hits/hit-store.ts";
import type { TestApp } from "./app.ts";
import { uuidOf } from "./subscribers.ts";

const BROWSER =
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36";
/** Apple's program that fetches every image names itself so. */
export const FETCHES_AHEAD = "Mozilla/5.0";

/** Makes a campaign's mail as old as an hour: nobody clicks within seconds. */
export async function mailedAnHourAgo(app: TestApp, campaignId: string): Promise<void> {
  await app.db.execute(sql`
    update deliveries set changed_at = changed_at - interval '1 hour' where source_id = ${uuidOf("cmp", campaignId)}`);
}

/** Records an open, or with `link` a click on the link of that number, of somebody's mail. */
export async function hit(
  app: TestApp,
  campaignId: string,
  contactId: string,
  { link = null, userAgent = BROWSER }: { link?: number | null; userAgent?: string } = {},
): Promise<void> {
  const one = {
    accountId: uuidOf("acc", app.accountId),
    sourceId: uuidOf("cmp", campaignId),
    contactId: uuidOf("con", contactId),
    link,
    at: new Date(Date.now() - 60_000),
    times: 1,
    isHead: false,
    isPrefetch: false,
    hasFrom: false,
    userAgent,
    address: "192.0.2.1",
  };
  await insertHits(app.db, { id: newId(systemClock), hits: [one] }, new Date());
}
