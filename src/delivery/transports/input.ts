/** What a client wants to change of a transport is checked here against the transport as it is and what is allowed. */
import { isIP } from "node:net";
import type { EgressFilter } from "../../platform/net/egress-filter.ts";
import { isHostName } from "../../platform/net/internal.ts";
import type { Fault } from "../../platform/problems.ts";
import type { TransportPatch } from "./schema.ts";
import type { TransportRow } from "./store.ts";

export const EDITABLE = [
  "name",
  "host",
  "port",
  "tls",
  "verify_certificate",
  "username",
  "ehlo_name",
  "max_connections",
  "rate_per_second",
  "max_per_day",
  "streams",
] as const;
export type Editable = Pick<TransportRow, (typeof EDITABLE)[number]>;

export const BLANK: Omit<Editable, "name" | "host" | "port"> = {
  tls: "required",
  verify_certificate: true,
  username: null,
  ehlo_name: null,
  max_connections: 10,
  rate_per_second: null,
  max_per_day: null,
  streams: [],
};

/** The ports are those of RFC 8314 §3.3 and RFC 6409 §3.1. */
export function defaultPort(tls: TransportPatch["tls"]): number {
  return tls === "implicit" ? 465 : 587;
}

/**
 * A change of these fields asks for the password again: otherwise an editor could make us send it to a server of their own.
 */
const WHERE_IT_GOES = ["host", "port", "tls", "verify_certificate"] as const;

/** Returns whether a test of the one transport says anything about the other. */
export function isReachedAlike(one: Editable, other: Editable): boolean {
  return [...WHERE_IT_GOES, "username" as const, "ehlo_name" as const].every(
    (field) => one[field] === other[field],
  );
}

/** `before` is the row as it is and whether it has a password; it is undefined for a new transport. */
export function faultsOf(
  egressFilter: EgressFilter,
  before: { readonly row: Editable; readonly hadPassword: boolean } | undefined,
  row: Editable,
  password: string | null | undefined,
): Fault[] {
  const hasPassword = password === undefined ? (before?.hadPassword ?? false) : password !== null;
  return [
    ...hostFaults(egressFilter, row.host),
    ...portFaults(row.port),
    ...signInFaults(row.username, hasPassword),
    ...(before?.hadPassword && password === undefined ? movedFaults(before.row, row) : []),
  ];
}

function hostFaults(egressFilter: EgressFilter, host: string): Fault[] {
  const fault = (code: string, detail: string) => [{ pointer: "/host", code, detail }];
  if (isIP(host) === 0 && !isHostName(host))
    return fault("invalid_host", "must be a host name or an IP address");
  if (!egressFilter.refusesAddress(host)) return [];
  return fault("internal_host", "is an internal address, and the operator's INTERNAL_HOSTS doesn't list it");
}

/**
 * Allows the ports of mail (RFC 5321, 8314, 6409) and those any program may use, so that nobody scans the ports of other
 * services.
 */
function portFaults(port: number): Fault[] {
  if ([25, 465, 587].includes(port) || port >= 1_024) return [];
  return [{ pointer: "/port", code: "invalid_port", detail: "must be 25, 465, 587, or from 1024 on" }];
}

function signInFaults(username: string | null, hasPassword: boolean): Fault[] {
  if ((username !== null) === hasPassword) return [];
  const pointer = hasPassword ? "/username" : "/password";
  return [{ pointer, code: "required", detail: "user name and password go together, or are both null" }];
}

function movedFaults(before: Editable, row: Editable): Fault[] {
  if (WHERE_IT_GOES.every((field) => before[field] === row[field])) return [];
  const detail = `must be given again, because one of ${WHERE_IT_GOES.join(", ")} has changed`;
  return [{ pointer: "/password", code: "required", detail }];
}
