import { Type } from "typebox";
import { Page, PublicId, Timestamp } from "../../platform/http/schemas.ts";

export const Visit = Type.Object(
  {
    object: Type.Literal("visit"),
    id: PublicId("vis"),
    account_id: PublicId("acc"),
    reason: Type.String({ description: "What the operator gave as the reason." }),
    expires_at: Timestamp,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: "Visit" },
);

export const VisitPage = Page(Visit, "VisitPage");
