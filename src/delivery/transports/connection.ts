/** A transport's row is turned into the options of the SMTP client here, and its password is sealed and opened. */
import type { SmtpOptions } from "../../mail/smtp/smtp.ts";
import { createEgressFilter } from "../../platform/net/egress-filter.ts";
import type { Secrets } from "../../platform/secrets.ts";
import type { TransportRow } from "./store.ts";

/** What these functions need beside the database. */
export type TransportTools = {
  readonly secrets: Secrets;
  /** The hosts that INTERNAL_HOSTS lists. */
  readonly internalHosts: readonly string[];
};

type TransportKey = Pick<TransportRow, "account_id" | "id">;

export function sealPassword(secrets: Secrets, key: TransportKey, password: string): Buffer {
  return secrets.seal("transport", password, contextOf(key));
}

/** Returns undefined when the password was sealed under a key that is no longer there, or for another row. */
export function openPassword(secrets: Secrets, key: TransportKey, sealed: Buffer): string | undefined {
  return secrets.open("transport", sealed, contextOf(key));
}

/** Returns undefined when the password is sealed under the current key already. */
export function resealPassword(secrets: Secrets, key: TransportKey, sealed: Buffer): Buffer | undefined {
  return secrets.reseal("transport", sealed, contextOf(key));
}

function contextOf({ account_id, id }: TransportKey): string {
  return `${account_id} ${id}`;
}

/** Returns undefined when the password can't be opened, because nothing is to be sent without it. */
export function connectionOf(
  row: TransportRow,
  secrets: Secrets,
  internalHosts: readonly string[],
): SmtpOptions | undefined {
  const password = row.password === null ? null : openPassword(secrets, row, row.password);
  if (password === undefined) return undefined;
  return {
    host: row.host,
    port: row.port,
    tls: row.tls,
    verifyCertificate: row.verify_certificate,
    maxConnections: row.max_connections,
    lookup: createEgressFilter(internalHosts).lookup,
    ...(row.username !== null && password !== null && { credentials: { user: row.username, password } }),
    ...(row.ehlo_name !== null && { name: row.ehlo_name }),
  };
}
