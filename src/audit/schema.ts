import { type Static, Type } from "typebox";
import { Nullable, oneOf, Page, PageQuery, PublicId, Strict, Timestamp } from "../platform/http/schemas.ts";

const KINDS = ["user", "api_key", "system", "operator", "stranger"] as const;

export const AuditEntry = Type.Object(
  {
    object: Type.Literal("audit_entry"),
    id: PublicId("aud"),
    action: Type.String({
      description: "What was done, after the kind of what it was done to.",
      examples: ["campaign.scheduled"],
    }),
    actor: Type.Object({
      kind: oneOf(KINDS, {
        description:
          "`operator` is whoever has the command line, `system` the program itself, and `stranger` somebody who wasn't let in or, in the log of the instance, who has opened an account.",
      }),
      id: Nullable(Type.String({ description: "Of the user or the key." })),
      name: Nullable(
        Type.String({
          description:
            "What they are called now: a name, or the address of a user who has none. Null once they are gone.",
        }),
      ),
    }),
    target_id: Type.String({
      description: "What it was done to. The account itself where it was done to nothing smaller.",
      examples: ["cmp_01k9zq4t3xe8k8y0v6d3m2n1pq"],
    }),
    fields: Type.Array(Type.String(), {
      description: "The names of the fields that the request gave. What they hold isn't kept.",
      examples: [["send_at"]],
    }),
    network: Nullable(
      Type.String({
        description:
          "From where: an IPv4 address, or the first half of an IPv6 address. Null for what wasn't asked by HTTP, as are the next two.",
        examples: ["203.0.113.7"],
      }),
    ),
    user_agent: Nullable(Type.String({ description: "What the client called itself, shortened." })),
    request_id: Nullable(Type.String({ description: "`X-Request-Id` of the request's answer." })),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: "AuditEntry" },
);
export type AuditEntry = Static<typeof AuditEntry>;

export const AuditPage = Page(AuditEntry, "AuditPage");

const ID = "[a-z]{3}_[0-7][0-9a-hjkmnp-tv-z]{25}";

const filters = {
  actor: Type.Optional(
    Type.String({
      pattern: `^(${ID}|system|operator|stranger)$`,
      description: "The id of a user or a key, or `operator`, `system` or `stranger`.",
    }),
  ),
  action: Type.Optional(
    Type.String({
      maxLength: 100,
      pattern: "^[a-z_]+\\.([a-z_]+|\\*)$",
      description: "One action, or with `campaign.*` all that was done to campaigns.",
    }),
  ),
  target: Type.Optional(Type.String({ pattern: `^${ID}$`, description: "The id of what was changed." })),
  created_after: Type.Optional(Timestamp),
  created_before: Type.Optional(Timestamp),
};

export const AuditQuery = PageQuery(filters);
export const AuditExportQuery = Strict({
  ...filters,
  format: oneOf(["csv", "jsonl"], { default: "csv", description: "A table, or one JSON object a line." }),
});
export type AuditFilters = Omit<Static<typeof AuditExportQuery>, "format">;
