/** Which message of the ledger a provider means by its own id. The journal writes it together with the outcome. */
import { PROVIDERS, type Provider } from "../../mail/providers/providers.ts";
import { type Queryable, sql } from "../../platform/db/db.ts";
import type { PartitionedTable } from "../../platform/db/partitions.ts";

export type ProviderMessage = { readonly provider: Provider; readonly id: string };

/** Complaints come weeks after a mail. */
const KEPT_MS = 60 * 24 * 3_600_000;

export const providerMessagePartitions: PartitionedTable = {
  table: "provider_messages",
  every: "week",
  keepMs: KEPT_MS,
  ahead: 2,
};

type FoundMessage = { readonly providerId: string; readonly sourceId: string; readonly contactId: string };

/** Without a provider it is looked for among those of all. The primary key serves it. */
export async function findByProviderId(
  db: Queryable,
  accountId: string,
  provider: Provider | null,
  ids: readonly string[],
): Promise<readonly FoundMessage[]> {
  if (ids.length === 0) return [];
  const providers = provider === null ? [...PROVIDERS] : [provider];
  return db.many<FoundMessage>(sql`
    select provider_id as "providerId", source_id as "sourceId", contact_id as "contactId" from provider_messages
    where account_id = ${accountId} and provider = any(${providers}::text[]) and provider_id = any(${[...ids]}::text[])`);
}
