import type { Static } from "typebox";
import { toPublicId } from "../../platform/ids.ts";
import type { FactorRow } from "../factors/factors.ts";
import type { AddedFactor as Added } from "./own-factors.ts";
import type { AddedFactor, Factor } from "./schema.ts";

export function shapeFactor(row: FactorRow): Factor {
  return {
    object: "factor",
    id: toPublicId("fac", row.id),
    type: row.kind,
    name: row.name,
    status: row.activated_at ? "active" : "pending",
    last_used_at: row.last_used_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

export function shapeAdded({ factor, codes }: Added): Static<typeof AddedFactor> {
  return { ...shapeFactor(factor), recovery_codes: codes && [...codes] };
}
