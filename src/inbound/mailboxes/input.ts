/** What a client wants to change of a mailbox is checked here against the mailbox as it is and what is allowed. */
import { isIP } from "node:net";
import { createEgressFilter } from "../../platform/net/egress-filter.ts";
import { isHostName, readInternalHosts } from "../../platform/net/internal.ts";
import type { Fault } from "../../platform/problems.ts";
import type { TlsMode } from "./schema.ts";
import type { MailboxRow } from "./store.ts";

export const EDITABLE = ["name", "host", "port", "tls", "username", "folder", "after", "is_paused"] as const;
export type Editable = Pick<MailboxRow, (typeof EDITABLE)[number]>;

/** The ports are those of RFC 8314 §3.2 and RFC 9051 §2.1. */
export function defaultPort(tls: TlsMode): number {
  return tls === "implicit" ? 993 : 143;
}

/**
 * A change of these fields asks for the password again: otherwise an editor could make us send it to a server of their own.
 */
const WHERE_IT_GOES = ["host", "port", "tls", "username"] as const;

/** Returns whether both name the same folder of the same server, so that what was read of one counts for the other. */
export function isSameFolder(one: Editable, other: Editable): boolean {
  return (["host", "port", "username", "folder"] as const).every((field) => one[field] === other[field]);
}

/** `before` is the row as it is; it is undefined for a new mailbox, which always has a password. */
export function faultsOf(
  internalHosts: readonly string[],
  before: Editable | undefined,
  row: Editable,
  hasNewPassword: boolean,
): Fault[] {
  return [
    ...hostFaults(internalHosts, row.host),
    ...portFaults(row.port),
    ...tlsFaults(internalHosts, row),
    ...folderFaults(row),
    ...(before && !hasNewPassword ? movedFaults(before, row) : []),
  ];
}

function hostFaults(internalHosts: readonly string[], host: string): Fault[] {
  const fault = (code: string, detail: string) => [{ pointer: "/host", code, detail }];
  if (isIP(host) === 0 && !isHostName(host))
    return fault("invalid_host", "must be a host name or an IP address");
  if (!createEgressFilter(internalHosts).refusesAddress(host)) return [];
  return fault("internal_host", "is an internal address, and the operator's INTERNAL_HOSTS doesn't list it");
}

/** Allows the ports of IMAP and those any program may use, so that nobody scans the ports of other services. */
function portFaults(port: number): Fault[] {
  if ([143, 993].includes(port) || port >= 1_024) return [];
  return [{ pointer: "/port", code: "invalid_port", detail: "must be 143, 993, or from 1024 on" }];
}

/** A password never crosses the internet in the clear. */
export function mayBePlain(internalHosts: readonly string[], host: string): boolean {
  return readInternalHosts(internalHosts).lists(host);
}

function tlsFaults(internalHosts: readonly string[], { tls, host }: Editable): Fault[] {
  if (tls !== "none" || mayBePlain(internalHosts, host)) return [];
  const detail = "may be none only for a host that the operator's INTERNAL_HOSTS lists";
  return [{ pointer: "/tls", code: "tls_required", detail }];
}

function folderFaults({ folder, after }: Editable): Fault[] {
  if (after !== `move:${folder}`) return [];
  return [
    { pointer: "/after", code: "same_folder", detail: "must name another folder than the one that is read" },
  ];
}

function movedFaults(before: Editable, row: Editable): Fault[] {
  if (WHERE_IT_GOES.every((field) => before[field] === row[field])) return [];
  const detail = `must be given again, because one of ${WHERE_IT_GOES.join(", ")} has changed`;
  return [{ pointer: "/password", code: "required", detail }];
}
