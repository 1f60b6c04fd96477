/**
 * Says what the audit log holds of a write. Every route that writes declares it, or doesn't compile, and the platform writes the record in the
 * transaction of the change (`audit-records.ts`).
 */
import type { Actor } from "../context.ts";
import type { Tx } from "../db/db.ts";

export type AuditDeclaration = Audited | Unaudited;

export type Audited = {
  /** What was done to what, as in `campaign.scheduled`. */
  readonly action: `${string}.${string}`;
  /**
   * Where the id of what was changed is found: in the path as `:id`, in the answer as `id`, or nowhere, because it is the account itself. `people`
   * is for what a person does to themselves: the answer names them in each of their accounts, and each gets a record.
   */
  readonly of: "path" | "answer" | "account" | "people";
  /** Why it is recorded only where a person does it, and not where a program does. */
  readonly onlyByPeople?: string;
};

/** What is done to the instance itself stands in the log under this id, which is no account's. */
export const INSTANCE = "00000000-0000-0000-0000-000000000000";

/** Why there is nothing to record. */
type Unaudited = { readonly none: string };

/** Declares that a POST only reads: it has a body because its question doesn't fit into an address. */
export const CHANGES_NOTHING: AuditDeclaration = { none: "it changes nothing" };

/** Says of a write why only people's are recorded: a row for each of a program's would cost more than it tells. */
export const TOO_MANY_BY_PROGRAMS =
  "programs do it up to thousands of times a second, and the log of events or of mails holds each";

/** A user of an account, by public id. */
export type AuditedPerson = { readonly accountId: string; readonly userId: string };

export type AuditActor = {
  /** An operator acts at the command line; a stranger is whoever couldn't be told who they are. */
  readonly kind: Actor["kind"] | "operator" | "stranger";
  readonly id: string | null;
};

/** From where a request came. */
export type AuditOrigin = {
  readonly network: string;
  readonly userAgent: string;
  readonly requestId: string;
};

export type AuditRecord = {
  readonly accountId: string;
  readonly actor: AuditActor;
  readonly action: string;
  /** The public id of what was changed. */
  readonly targetId: string | null;
  /** The names of the fields that the request gave, and never what they hold. */
  readonly fields: readonly string[];
  /** Is null where nobody asked by HTTP. */
  readonly origin: AuditOrigin | null;
};

/** Adds the records to the transaction, without waiting for it. */
export type RecordAudit = (tx: Tx, records: readonly AuditRecord[]) => void;
