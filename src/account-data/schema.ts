import { type Static, Type } from "typebox";
import { Nullable, oneOf, PublicId, Strict, Timestamp } from "../platform/http/schemas.ts";

export const AccountDeletion = Type.Object(
  {
    object: Type.Literal("account_deletion"),
    id: PublicId("acc"),
    status: oneOf(["pending", "running"] as const, {
      description: "`pending` until `due_at`: it can be taken back. `running` afterwards.",
    }),
    requested_by: Nullable(PublicId("usr")),
    due_at: Type.Unsafe<string>({ ...Timestamp, description: "When everything is deleted." }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: "AccountDeletion" },
);
export type AccountDeletion = Static<typeof AccountDeletion>;

export const AccountDeletionCreate = Strict(
  {
    name: Type.String({
      maxLength: 200,
      description: "The name of the account, repeated, so that nobody deletes another one than they mean.",
    }),
  },
  { title: "AccountDeletionCreate", examples: [{ name: "Fern Hill Books" }] },
);
