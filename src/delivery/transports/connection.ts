/** From a row to what the SMTP client takes, and the password in between. */
import type { SmtpOptions } from "../../mail/smtp/smtp.ts";
import { createEgressFilter } from "../../platform/net/egress-filter.ts";
import type { Secrets } from "../../platform/secrets.ts";
import type { TransportRow } from "./store.ts";

type Place = Pick<TransportRow, "account_id" | "id">;

export function sealPassword(secrets: Secrets, place: Place, password: string): Buffer {
  return secrets.seal("transport", password, contextOf(place));
}

/** undefined when it was sealed under a key that is no longer there, or for another row. */
export function openPassword(secrets: Secrets, place: Place, sealed: Buffer): string | undefined {
  return secrets.open("transport", sealed, contextOf(place));
}

/** undefined when it is sealed under the current key. */
export function resealPassword(secrets: Secrets, place: Place, sealed: Buffer): Buffer | undefined {
  return secrets.reseal("transport", sealed, contextOf(place));
}

function contextOf({ account_id, id }: Place): string {
  return `${account_id} ${id}`;
}

/** undefined when the password can't be opened: nobody is to be sent to without it. */
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
