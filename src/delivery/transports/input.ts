/** What a client may say of a transport, held against what it is and what it may be. */
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
  streams: [],
};

/** RFC 8314 §3.3 and RFC 6409 §3.1. */
export function defaultPort(tls: TransportPatch["tls"]): number {
  return tls === "implicit" ? 465 : 587;
}

/** Whoever has a new server in the place of this one would be told the password by it. */
const WHERE_IT_GOES = ["host", "port", "tls", "verify_certificate"] as const;

/** Whether a test of the one says anything about the other. */
export function isReachedAlike(one: Editable, other: Editable): boolean {
  return [...WHERE_IT_GOES, "username" as const, "ehlo_name" as const].every(
    (field) => one[field] === other[field],
  );
}

/** `before` and `hadPassword` are of the row as it is; undefined for a new one. */
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

/** What mail goes by (RFC 5321, 8314, 6409), and what any program may listen on: no port scan of others' services. */
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
