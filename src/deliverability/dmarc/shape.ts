import { toPublicId } from "../../platform/ids.ts";
import type { DmarcReport } from "./schema.ts";
import type { ReportRow } from "./store.ts";

export function shapeReport({
  id,
  domain_id,
  begins_at,
  ends_at,
  created_at,
  ...row
}: ReportRow): DmarcReport {
  return {
    ...row,
    object: "dmarc_report",
    id: toPublicId("dmr", id),
    domain_id: toPublicId("dom", domain_id),
    begins_at: begins_at.toISOString(),
    ends_at: ends_at.toISOString(),
    created_at: created_at.toISOString(),
    updated_at: created_at.toISOString(),
  };
}
