/** All SQL of the addresses that providers post to is in this file. */
import { prepared, type Queryable, sql, type Tx, type Writable } from "../../platform/db/db.ts";
import { type AgePage, newestFirst } from "../../platform/db/newest-first.ts";
import type { Provider } from "../types.ts";
import type { Refusal } from "./signatures/timeliness.ts";

export type EndpointRow = {
  account_id: string;
  id: string;
  provider: Provider;
  name: string;
  /** Sealed. */
  secret: Buffer | null;
  topic_arn: string | null;
  received_at: Date | null;
  refused_at: Date | null;
  refused_why: Refusal | null;
  created_at: Date;
  updated_at: Date;
};

const columns = sql`account_id, id, provider, name, secret, topic_arn, received_at, refused_at, refused_why, created_at, updated_at`;

export type NewEndpoint = Pick<
  EndpointRow,
  "account_id" | "id" | "provider" | "name" | "secret" | "created_at"
> & {
  readonly token_hash: Buffer;
};

export function insertEndpoint(tx: Tx, row: NewEndpoint): Promise<EndpointRow> {
  return tx.one<EndpointRow>(sql`
    insert into inbound_endpoints (account_id, id, provider, name, token_hash, secret, created_at, updated_at)
    values (${row.account_id}, ${row.id}, ${row.provider}, ${row.name}, ${row.token_hash}, ${row.secret},
            ${row.created_at}, ${row.created_at})
    returning ${columns}`);
}

export function findEndpoint(db: Queryable, accountId: string, id: string): Promise<EndpointRow | undefined> {
  return db.maybeOne<EndpointRow>(sql`
    select ${columns} from inbound_endpoints where account_id = ${accountId} and id = ${id}`);
}

/** The indexes inbound_endpoints_by_token and inbound_endpoints_by_previous serve it. */
export function findByToken(
  db: Queryable,
  accountId: string,
  tokenHash: Buffer,
  now: Date,
): Promise<EndpointRow | undefined> {
  return db.maybeOne<EndpointRow>(
    prepared(sql`
      select ${columns} from inbound_endpoints
      where account_id = ${accountId}
        and (token_hash = ${tokenHash} or previous_hash = ${tokenHash} and previous_until > ${now})`),
  );
}

export function listEndpoints(db: Queryable, accountId: string, page: AgePage): Promise<EndpointRow[]> {
  return db.many<EndpointRow>(sql`
    select ${columns} from inbound_endpoints where account_id = ${accountId} ${newestFirst(page)}`);
}

/** Says whether any provider tells this account what became of its mail; one of SNS does once it is confirmed. */
export async function hasEndpoint(db: Queryable, accountId: string): Promise<boolean> {
  const found = await db.maybeOne(sql`
    select id from inbound_endpoints where account_id = ${accountId} and (provider <> 'ses' or topic_arn is not null) limit 1`);
  return found !== undefined;
}

export async function countEndpoints(db: Queryable, accountId: string): Promise<number> {
  const { count } = await db.one<{ count: number }>(sql`
    select count(*) as count from inbound_endpoints where account_id = ${accountId}`);
  return count;
}

export type Rotation = {
  readonly tokenHash: Buffer;
  /** undefined leaves the secret as it is. */
  readonly secret: Buffer | undefined;
  readonly now: Date;
  readonly previousUntil: Date;
};

export function rotateEndpointRow(
  tx: Tx,
  accountId: string,
  id: string,
  { tokenHash, secret, now, previousUntil }: Rotation,
): Promise<EndpointRow | undefined> {
  return tx.maybeOne<EndpointRow>(sql`
    update inbound_endpoints set previous_hash = token_hash, previous_until = ${previousUntil}, token_hash = ${tokenHash},
      secret = coalesce(${secret ?? null}::bytea, secret), refused_at = null, refused_why = null, updated_at = ${now}
    where account_id = ${accountId} and id = ${id}
    returning ${columns}`);
}

export async function removeEndpoint(tx: Tx, accountId: string, id: string): Promise<boolean> {
  const gone = await tx.many(sql`
    delete from inbound_endpoints where account_id = ${accountId} and id = ${id} returning id`);
  return gone.length > 0;
}

type Place = { readonly account_id: string; readonly id: string };

/** Writes at most once a minute, since a provider may post thousands of times in it. */
export async function noteReceived(db: Writable, { account_id, id }: Place, now: Date): Promise<void> {
  await db.execute(
    prepared(sql`
      update inbound_endpoints set received_at = ${now}
      where account_id = ${account_id} and id = ${id}
        and (received_at is null or received_at < ${now}::timestamptz - interval '1 minute')`),
  );
}

export async function noteRefused(
  db: Writable,
  { account_id, id }: Place,
  why: Refusal,
  now: Date,
): Promise<void> {
  await db.execute(sql`
    update inbound_endpoints set refused_at = ${now}, refused_why = ${why}
    where account_id = ${account_id} and id = ${id}
      and (refused_at is null or refused_why <> ${why} or refused_at < ${now}::timestamptz - interval '1 minute')`);
}

/** Returns whether this topic is now the one of the endpoint; another may have been confirmed meanwhile. */
export async function pinTopic(
  db: Writable,
  { account_id, id }: Place,
  topicArn: string,
  now: Date,
): Promise<boolean> {
  const pinned = await db.many(sql`
    update inbound_endpoints set topic_arn = ${topicArn}, updated_at = ${now}
    where account_id = ${account_id} and id = ${id} and (topic_arn is null or topic_arn = ${topicArn})
    returning id`);
  return pinned.length > 0;
}

export type Claim = {
  account_id: string;
  endpoint_id: string;
  nonce: Buffer;
  digest: Buffer;
  expires_at: Date;
};

/** Returns each nonce with the digest of the body that it came with first. None may be given twice. */
export function claimNonces(
  tx: Tx,
  claims: readonly Claim[],
): Promise<Pick<Claim, "endpoint_id" | "nonce" | "digest">[]> {
  // Nothing is changed on a conflict, but only an update returns the row that is there. The order keeps two transactions from
  // waiting for each other.
  return tx.many(sql`
    insert into inbound_nonces as known (account_id, endpoint_id, nonce, digest, expires_at)
    select * from unnest(
      ${claims.map((one) => one.account_id)}::uuid[], ${claims.map((one) => one.endpoint_id)}::uuid[],
      ${claims.map((one) => one.nonce)}::bytea[], ${claims.map((one) => one.digest)}::bytea[],
      ${claims.map((one) => one.expires_at)}::timestamptz[]) as given (account_id, endpoint_id, nonce, digest, expires_at)
    order by account_id, endpoint_id, nonce
    on conflict (account_id, endpoint_id, nonce) do update set digest = known.digest
    returning endpoint_id, nonce, digest`);
}

/** The index inbound_nonces_expiring serves it. */
export async function forgetNonces(db: Writable, now: Date): Promise<void> {
  await db.execute(sql`delete from inbound_nonces where expires_at < ${now}`);
}

export type SealedSecret = { account_id: string; id: string; secret: Buffer };

/** Lists the secrets of all accounts, in the order of the primary key. */
export function listSecrets(
  db: Queryable,
  after: SealedSecret | undefined,
  most: number,
): Promise<SealedSecret[]> {
  const behind = after ? sql`and (account_id, id) > (${after.account_id}, ${after.id})` : sql``;
  return db.many<SealedSecret>(sql`
    select account_id, id, secret from inbound_endpoints where secret is not null ${behind}
    order by account_id, id limit ${most}`);
}

/** Leaves a secret alone that was changed meanwhile. */
export async function replaceSecret(db: Writable, row: SealedSecret, secret: Buffer): Promise<void> {
  await db.execute(sql`
    update inbound_endpoints set secret = ${secret}
    where account_id = ${row.account_id} and id = ${row.id} and secret = ${row.secret}`);
}
