/** What answers say of who changed a thing last. */
import { type Static, Type } from "typebox";
import { Nullable, oneOf } from "../platform/http/schemas.ts";

const ACTOR_KINDS = ["user", "api_key", "import", "system"] as const;

/** It stands beside `updated_at` in answers, and is no part of an ETag. */
export const UpdatedBy = Nullable(
  Type.Object(
    {
      kind: oneOf(ACTOR_KINDS),
      id: Nullable(
        Type.String({ description: "The user's, the key's or the import's id; null for the system." }),
      ),
      name: Nullable(
        Type.String({
          description: "The user's or the key's name as it is now; null where there is none any more.",
        }),
      ),
    },
    { description: "Who changed it last; null where that was before this was recorded." },
  ),
);
export type UpdatedBy = Static<typeof UpdatedBy>;
