import { Type } from "typebox";
import { UpdatedBy } from "../../accounts/accounts.ts";
import { Name, oneOf, Page, PublicId, Strict, Timestamp } from "../../platform/http/schemas.ts";

export const Tag = Type.String({ minLength: 1, maxLength: 64, examples: ["beta"] });

const FIELD_TYPES = ["text", "number", "date", "boolean", "url"] as const;
export type FieldType = (typeof FIELD_TYPES)[number];
const FieldKey = Type.String({
  pattern: "^[a-z][a-z0-9_]{0,63}$",
  "x-error-detail": "must be lower-case letters, digits and underscores, beginning with a letter",
  examples: ["company"],
});
const FieldName = Name(100, "Company");
export const Field = Type.Object(
  {
    object: Type.Literal("field"),
    id: PublicId("fld"),
    key: FieldKey,
    name: FieldName,
    type: oneOf(FIELD_TYPES),
    created_at: Timestamp,
    updated_at: Timestamp,
    updated_by: UpdatedBy,
  },
  {
    title: "Field",
    examples: [
      {
        object: "field",
        id: "fld_01k9zq4t3xe8k8y0v6d3m2n1pq",
        key: "company",
        name: "Company",
        type: "text",
        created_at: "2026-11-14T09:30:00.000Z",
        updated_at: "2026-11-14T09:30:00.000Z",
      },
    ],
  },
);
export const FieldPage = Page(Field, "FieldPage");
export const FieldCreate = Strict(
  { key: FieldKey, name: Type.Optional(FieldName), type: oneOf(FIELD_TYPES) },
  { title: "FieldCreate", examples: [{ key: "company", name: "Company", type: "text" }] },
);
export const FieldPatch = Strict(
  { key: Type.Optional(FieldKey), name: Type.Optional(FieldName) },
  { title: "FieldPatch", examples: [{ key: "employer", name: "Employer" }] },
);

const TagObject = Type.Object(
  {
    object: Type.Literal("tag"),
    id: PublicId("tag"),
    name: Tag,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  {
    title: "Tag",
    examples: [
      {
        object: "tag",
        id: "tag_01k9zq4t3xe8k8y0v6d3m2n1pq",
        name: "beta",
        created_at: "2026-11-14T09:30:00.000Z",
        updated_at: "2026-11-14T09:30:00.000Z",
      },
    ],
  },
);
export const TagPage = Page(TagObject, "TagPage");
