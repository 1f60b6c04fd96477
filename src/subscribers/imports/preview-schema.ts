import { type Static, Type } from "typebox";
import { Nullable, oneOf, Strict } from "../../platform/http/schemas.ts";
import {
  DELIMITERS,
  ENCODINGS,
  FILE_KINDS,
  GUESS_ORIGINS,
  IMPORT_TARGETS,
  PRESETS,
} from "./reading/reading.ts";
import { DATE_ORDERS, STANDINGS, type Standing } from "./values/values.ts";

export const PreviewOptions = Strict(
  {
    target: Type.Optional(oneOf(IMPORT_TARGETS)),
    file_bytes: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          "The size of the whole file. Where it is more than what you send, the last row may be cut off.",
      }),
    ),
    has_header: Type.Optional(Type.Boolean()),
    delimiter: Type.Optional(oneOf(DELIMITERS)),
    encoding: Type.Optional(oneOf(ENCODINGS)),
  },
  { title: "ImportPreviewOptions", examples: [{ file_bytes: 73_400_320 }] },
);
export type PreviewOptions = Static<typeof PreviewOptions>;

const proposedField = {
  key: Type.String(),
  name: Type.String(),
  type: oneOf(["text", "number", "date", "boolean"]),
};
const nullableOneOf = <T extends string>(values: readonly T[]) =>
  Type.Unsafe<T | null>({ type: ["string", "null"], enum: [...values, null] });

export const ImportPreview = Type.Object(
  {
    object: Type.Literal("import_preview"),
    target: oneOf(IMPORT_TARGETS),
    file_name: Type.String(),
    format: Type.Object({
      delimiter: oneOf(DELIMITERS),
      encoding: oneOf(ENCODINGS),
      has_header: Type.Boolean(),
    }),
    preset: Nullable(
      Type.Object(
        { id: oneOf(PRESETS), name: Type.String(), kind: nullableOneOf(FILE_KINDS) },
        {
          description: "Whose export it is, and which of its files; null where it is nobody's that we know.",
        },
      ),
    ),
    columns: Type.Array(
      Type.Object({
        name: Type.String({ description: "As `mapping` names it." }),
        target: Type.String({ description: "What it would become." }),
        guessed_from: oneOf(GUESS_ORIGINS),
        filled: Type.Integer({ description: "So many of the rows looked at have something there." }),
        field: Nullable(
          Type.Object(proposedField, {
            description: "A custom field that could be made for it, as `POST /v1/fields` takes it.",
          }),
        ),
      }),
    ),
    mapping: Type.Unsafe<Record<string, string>>({
      type: "object",
      additionalProperties: { type: "string" },
      description: "The same guesses, as an import takes them.",
    }),
    default_status: oneOf(STANDINGS),
    status_values: Type.Unsafe<Record<string, Standing | null>>({
      type: "object",
      additionalProperties: { type: ["string", "null"], enum: [...STANDINGS, null] },
      description:
        "What was found in the column of statuses, and what it would mean; null where nobody knows.",
    }),
    date_order: oneOf(DATE_ORDERS),
    attributes: Type.Array(
      Type.Object({
        path: Type.String(),
        field: Type.Object(proposedField),
        exists: Type.Boolean({ description: "There is a field of this key, which an import fills." }),
      }),
      { description: "The members of JSON in a column of `attributes`." },
    ),
    warnings: Type.Array(
      Type.Object({ code: Type.String(), column: Nullable(Type.String()), detail: Type.String() }),
    ),
    rows_sampled: Type.Integer(),
    rows: Nullable(
      Type.Array(Type.Array(Type.String()), { description: "The first 20, in the order of the columns." }),
    ),
  },
  { title: "ImportPreview" },
);
export type ImportPreview = Static<typeof ImportPreview>;
