/** The routes of subscribers have these in common. */
import type { Ctx } from "../platform/context.ts";
import type { Answer } from "../platform/http/route.ts";
import { PublicId, Strict } from "../platform/http/schemas.ts";
import { requireId } from "../platform/ids.ts";
import { missing } from "../platform/problems.ts";
import { subscriberEtag } from "./changes/changes.ts";
import { allFields } from "./fields/fields.ts";
import { Subscriber } from "./schema.ts";
import { shapeSubscriber } from "./shape.ts";
import { findSubscriber } from "./subscriber-store.ts";

export const Params = Strict({ id: PublicId("sub") });
export const tag = "Subscribers";
export const read = "subscribers:read";
export const write = "subscribers:write";
export const one = { status: 200, schema: Subscriber, description: "The subscriber as it now is." };

export function subscriberId(text: string): string {
  return requireId("sub", text, "subscriber");
}

export async function answerWith(ctx: Ctx, id: string, status: number): Promise<Answer<Subscriber>> {
  const [row, fields] = await Promise.all([
    findSubscriber(ctx.sql, ctx.accountId, id),
    allFields(ctx.sql, ctx.accountId),
  ]);
  if (!row) throw missing("subscriber");
  return {
    status,
    body: shapeSubscriber(row, fields),
    etag: subscriberEtag(row),
    // Both are named, since a deleted subscriber takes its answers along, and a forgotten person all of theirs.
    subjects: [row.id, row.contact_id],
  };
}
