import { type Static, Type } from "typebox";
import { BodyId, Nullable, Page, PublicId, Strict, Timestamp } from "../../platform/http/schemas.ts";
import { IMPORT_STATUSES } from "./import-store.ts";
import { DELIMITERS, ENCODINGS, TARGETS } from "./reading/reading.ts";

const oneOf = <T extends string>(values: readonly T[], description: string) =>
  Type.Unsafe<T>({ type: "string", enum: [...values], description });

const ConsentStatement = Strict(
  {
    attested: Type.Boolean({ description: "You vouch that everybody in the file agreed to this mail." }),
    source: Type.Optional(Type.String({ minLength: 1, maxLength: 200, examples: ["fair in Leeds, 2026"] })),
    wording: Type.Optional(Type.String({ maxLength: 2_000, examples: ["Send me the newsletter."] })),
  },
  { title: "ImportConsent" },
);
const Mapping = Type.Unsafe<Record<string, string>>({
  type: "object",
  additionalProperties: { type: "string", maxLength: 100 },
  maxProperties: 1_000,
  description:
    `Column → ${TARGETS.map((target) => `\`${target}\``).join(", ")}, ` +
    "`fields.<key>` or `ignore`. Columns are named " +
    "by their heading, or by their number from 1 where there is none. What isn't named is ignored. Without a mapping, headings " +
    "and contents are guessed from.",
  examples: [{ "E-mail": "email", Company: "fields.company" }],
});
const OnConflict = oneOf(
  ["skip", "update"],
  "What to do with an address that is on the list already, or twice in the file.",
);
const Tags = Type.Array(Type.String({ minLength: 1, maxLength: 64, examples: ["fair"] }), { maxItems: 100 });
const Encoding = oneOf(ENCODINGS, "Of the file.");
const Delimiter = oneOf(DELIMITERS, "Between the columns.");

export const ImportOptions = Strict(
  {
    list_id: BodyId("lst", "The list to import into."),
    mapping: Type.Optional(Mapping),
    has_header: Type.Optional(
      Type.Boolean({ description: "Whether the first row names the columns; guessed when absent." }),
    ),
    delimiter: Type.Optional(Delimiter),
    encoding: Type.Optional(Encoding),
    on_conflict: Type.Optional(OnConflict),
    tags: Type.Optional(Tags),
    consent: Type.Optional(ConsentStatement),
    dry_run: Type.Optional(
      Type.Boolean({ description: "Reads and checks everything, and changes nothing." }),
    ),
  },
  {
    title: "ImportOptions",
    examples: [{ list_id: "lst_01k9zq4t3xe8k8y0v6d3m2n1pq", on_conflict: "update", tags: ["fair"] }],
  },
);
export type ImportOptions = Static<typeof ImportOptions>;

const count = (description: string) => Type.Integer({ description });

export const Import = Type.Object(
  {
    object: Type.Literal("import"),
    id: PublicId("imp"),
    status: oneOf(
      IMPORT_STATUSES,
      "pending, running, then completed, failed or canceled; undoing, then undone.",
    ),
    list_id: PublicId("lst"),
    file_name: Type.String(),
    file_bytes: Type.Integer(),
    dry_run: Type.Boolean(),
    mapping: Mapping,
    options: Type.Object({
      on_conflict: OnConflict,
      tags: Tags,
      consent: Nullable(ConsentStatement),
      has_header: Type.Boolean(),
      delimiter: Delimiter,
      encoding: Encoding,
    }),
    counts: Type.Object({
      total: Nullable(Type.Integer({ description: "Rows in the file; null until it was read once." })),
      processed: count("created + updated + skipped + failed"),
      created: count("New on the list, whatever their status."),
      updated: count("There already, or earlier in the file, and changed by this row."),
      skipped: count("There already, or earlier in the file, and left as they were; erased people too."),
      failed: count("Rows with a fault; see `/errors`."),
      removed: count("Taken away again by an undo."),
    }),
    progress: Type.Object({
      percent: Type.Number(),
      rows_per_second: Nullable(Type.Number()),
      eta: Nullable(Type.String({ format: "date-time", description: "When it will be done at this rate." })),
    }),
    warnings: Type.Array(Type.Object({ code: Type.String(), detail: Type.String() })),
    error: Nullable(
      Type.Object({ code: Type.String(), detail: Type.String() }, { description: "Why it failed." }),
    ),
    created_at: Timestamp,
    updated_at: Timestamp,
    started_at: Nullable(Timestamp),
    finished_at: Nullable(Timestamp),
  },
  { title: "Import" },
);
export type Import = Static<typeof Import>;
export const ImportPage = Page(Import, "ImportPage");
