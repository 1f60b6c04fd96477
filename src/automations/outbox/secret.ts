/** The secret with which an automation signs what its webhook steps post. It is shown once, when it is made, and kept sealed. */
import type { KeyObject } from "node:crypto";
import type { TxCtx } from "../../platform/context.ts";
import { type Db, type Queryable, sql } from "../../platform/db/db.ts";
import { newSecret, signingKey } from "../../platform/net/webhook-signing.ts";
import { missing } from "../../platform/problems.ts";
import type { Secrets } from "../../platform/secrets.ts";
import { lockAutomation } from "../store.ts";

const GRACE_MS = 24 * 3_600_000;

/** Makes another secret. What is posted is signed with the former too, for a day. */
export async function rotateStepSecret(
  ctx: TxCtx,
  secrets: Secrets,
  id: string,
): Promise<{ readonly secret: string; readonly previousUntil: Date | null }> {
  const row = await lockAutomation(ctx.sql, ctx.accountId, id);
  if (!row) throw missing("automation");
  const secret = newSecret();
  const sealed = secrets.seal("webhook", secret, contextOf(ctx.accountId, id));
  const until = new Date(ctx.clock.now().getTime() + GRACE_MS);
  const { previous_until: previousUntil } = await ctx.sql.one<{ previous_until: Date | null }>(sql`
    update automations set webhook_previous_secret = webhook_secret, webhook_secret = ${sealed},
      webhook_previous_until = case when webhook_secret is null then null else ${until}::timestamptz end
    where account_id = ${ctx.accountId} and id = ${id}
    returning webhook_previous_until as previous_until`);
  return { secret, previousUntil };
}

type Sealed = { readonly secret: Buffer | null; readonly previous: Buffer | null };

/** Returns the keys that are live, the newest first; none where nobody has asked for a secret. */
export async function readStepKeys(
  db: Queryable,
  secrets: Secrets,
  accountId: string,
  id: string,
  now: Date,
): Promise<readonly KeyObject[]> {
  const row = await db.maybeOne<Sealed>(sql`
    select webhook_secret as secret,
      case when webhook_previous_until > ${now} then webhook_previous_secret end as previous
    from automations where account_id = ${accountId} and id = ${id}`);
  return [row?.secret, row?.previous].flatMap((sealed) => {
    const secret = sealed && secrets.open("webhook", sealed, contextOf(accountId, id));
    return secret ? [signingKey(secret)] : [];
  });
}

type SealedRow = Sealed & { readonly account_id: string; readonly id: string };

/** Seals all secrets of steps anew under the current key. */
export async function resealStepSecrets(db: Db, secrets: Secrets): Promise<void> {
  const rows = await db.many<SealedRow>(sql`
    select account_id, id, webhook_secret as secret, webhook_previous_secret as previous
    from automations where webhook_secret is not null`);
  for (const { account_id: accountId, id, secret, previous } of rows) {
    const again = (sealed: Buffer | null) =>
      (sealed && secrets.reseal("webhook", sealed, contextOf(accountId, id))) ?? sealed;
    const [now, before] = [again(secret), again(previous)];
    if (now === secret && before === previous) continue;
    await db.execute(sql`
      update automations set webhook_secret = ${now}, webhook_previous_secret = ${before}
      where account_id = ${accountId} and id = ${id} and webhook_secret = ${secret}`);
  }
}

function contextOf(accountId: string, id: string): string {
  return `${accountId} ${id}`;
}
