import { type Queryable, type Sql, sql, type Tx } from "../../platform/db/db.ts";
import type { RecipientEvent } from "../../subscribers/subscribers.ts";

export type RecipientSegmentRow = {
  account_id: string;
  segment_id: string;
  campaign_id: string;
  tag_id: string;
  tag_name: string;
  event: RecipientEvent;
  include_machines: boolean;
  /** The last contact that was looked at. */
  after: string | null;
  processed: number;
  tagged: number;
  created_at: Date;
  updated_at: Date;
  completed_at: Date | null;
};

export async function insertRecipientSegment(tx: Tx, row: RecipientSegmentRow): Promise<void> {
  await tx.execute(sql`
    insert into recipient_segments (account_id, segment_id, campaign_id, tag_id, tag_name, event, include_machines, created_at,
                                    updated_at)
    values (${row.account_id}, ${row.segment_id}, ${row.campaign_id}, ${row.tag_id}, ${row.tag_name}, ${row.event},
            ${row.include_machines}, ${row.created_at}, ${row.updated_at})`);
}

function selecting(accountId: string, segmentId: string): Sql {
  return sql`
    select account_id, segment_id, campaign_id, tag_id, tag_name, event, include_machines, after, processed, tagged, created_at,
           updated_at, completed_at
    from recipient_segments where account_id = ${accountId} and segment_id = ${segmentId}`;
}

export function findRecipientSegment(
  db: Queryable,
  accountId: string,
  segmentId: string,
): Promise<RecipientSegmentRow | undefined> {
  return db.maybeOne<RecipientSegmentRow>(selecting(accountId, segmentId));
}

export function lockRecipientSegment(
  tx: Tx,
  accountId: string,
  segmentId: string,
): Promise<RecipientSegmentRow | undefined> {
  return tx.maybeOne<RecipientSegmentRow>(sql`${selecting(accountId, segmentId)} for update`);
}

export async function writeProgress(tx: Tx, row: RecipientSegmentRow): Promise<void> {
  await tx.execute(sql`
    update recipient_segments set after = ${row.after}, processed = ${row.processed}, tagged = ${row.tagged},
      updated_at = ${row.updated_at}, completed_at = ${row.completed_at}
    where account_id = ${row.account_id} and segment_id = ${row.segment_id}`);
}
