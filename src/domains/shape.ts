/** Writes domains as the API returns them. Private keys are in none of the rows that it gets. */
import { shapeUpdatedBy } from "../accounts/accounts.ts";
import { toPublicId } from "../platform/ids.ts";
import { failingUntil } from "./looks/status.ts";
import type { Domain } from "./schema.ts";
import type { DomainWithKeys } from "./store.ts";

export function shapeDomain(row: DomainWithKeys): Domain {
  const { status, failing_since: failingSince } = row;
  return {
    object: "domain",
    id: toPublicId("dom", row.id),
    name: row.name,
    status,
    return_path: row.return_path,
    tracking_host: row.tracking_host,
    ed25519: row.ed25519,
    keys: row.keys.map(({ id, algorithm, selector, state, ...times }) => ({
      id: toPublicId("dmk", id),
      algorithm,
      selector,
      state,
      seen_at: isoOf(times.seen_at),
      activated_at: isoOf(times.activated_at),
      retiring_since: isoOf(times.retiring_since),
      created_at: times.created_at.toISOString(),
    })),
    records: row.records.map((record) => ({
      ...record,
      strings: [...record.strings],
      found: [...record.found],
    })),
    dns_host: row.dns_host,
    checked_at: isoOf(row.checked_at),
    next_check_at: row.next_check_at.toISOString(),
    verified_at: isoOf(row.verified_at),
    failing_since: isoOf(failingSince),
    failing_until: isoOf(failingUntil({ status, failingSince })),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    updated_by: shapeUpdatedBy(row.updated_by),
  };
}

function isoOf(date: Date | null): string | null {
  return date?.toISOString() ?? null;
}
