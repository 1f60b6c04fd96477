import { type Static, Type } from "typebox";
import { ADDRESS_REASONS, type AddressReason } from "../../mail/address-checks/address-checks.ts";
import { BodyId, Nullable, Page, PublicId, Strict, Timestamp } from "../../platform/http/schemas.ts";
import { ADDRESS_CHECKS, IMPORT_STATUSES } from "./import-store.ts";
import {
  DELIMITERS,
  ENCODINGS,
  IMPORT_TARGETS,
  PRESETS,
  type PresetId,
  SUPPRESSION_TARGETS,
  TARGETS,
} from "./reading/reading.ts";
import { DATE_ORDERS, STANDINGS, type StatusValues } from "./values/values.ts";

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
    "`fields.<key>` or `ignore`; of suppressions " +
    `${SUPPRESSION_TARGETS.map((target) => `\`${target}\``).join(", ")}. Columns are named ` +
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

const ImportTarget = oneOf(
  IMPORT_TARGETS,
  "Whether the rows are people for a list, or addresses that are never to be mailed. Those take the scope `suppressions:write` too, " +
    "as do people with a status that can suppress them.",
);
const DefaultStatus = oneOf(
  STANDINGS,
  "What a row without a status of its own is. Absent: what the recognised export says of its rows, else active. `unsubscribed` " +
    "opts out of the list, `bounced`, `complained` and `suppressed` suppress the address, and `skip` leaves the row out.",
);
const Values = Type.Unsafe<StatusValues>({
  type: "object",
  additionalProperties: { type: "string", enum: [...STANDINGS] },
  maxProperties: 200,
  description: "What a status in the file means, beside what is usual; whatever its case.",
  examples: [{ sleeping: "active" }],
});
const Checks = oneOf(
  ADDRESS_CHECKS,
  "Whether it is looked whether mail would reach the addresses, as `POST /v1/addresses/check` does: `report` (the default) counts and lists what " +
    "was found and imports every row, `skip_bad` leaves out those that can't be reached and lists them as failed, `off` does neither. A domain " +
    "of which nothing is known within half a minute is `unknown`, and its rows are imported.",
);
const Order = oneOf(DATE_ORDERS, "Whether 03/04/2025 is in April or in March; guessed when absent.");

export const ImportOptions = Strict(
  {
    list_id: Type.Optional(BodyId("lst", "The list to import into; suppressions have none.")),
    target: Type.Optional(ImportTarget),
    default_status: Type.Optional(DefaultStatus),
    status_values: Type.Optional(Values),
    date_order: Type.Optional(Order),
    mapping: Type.Optional(Mapping),
    has_header: Type.Optional(
      Type.Boolean({ description: "Whether the first row names the columns; guessed when absent." }),
    ),
    delimiter: Type.Optional(Delimiter),
    encoding: Type.Optional(Encoding),
    on_conflict: Type.Optional(OnConflict),
    tags: Type.Optional(Tags),
    consent: Type.Optional(ConsentStatement),
    checks: Type.Optional(Checks),
    trigger_automations: Type.Optional(
      Type.Boolean({
        description:
          "Whether those who are new on the list enter the automations that begin with joining it, or with a tag that they come with. By default they don't.",
      }),
    ),
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
    target: ImportTarget,
    preset: Type.Unsafe<PresetId | null>({
      type: ["string", "null"],
      enum: [...PRESETS, null],
      description: "Whose export it was recognised as.",
    }),
    list_id: Nullable(PublicId("lst", "null for suppressions.")),
    file_name: Type.String(),
    file_bytes: Type.Integer(),
    dry_run: Type.Boolean(),
    mapping: Mapping,
    options: Type.Object({
      on_conflict: OnConflict,
      tags: Tags,
      consent: Nullable(ConsentStatement),
      trigger_automations: Type.Boolean(),
      has_header: Type.Boolean(),
      delimiter: Delimiter,
      encoding: Encoding,
      default_status: DefaultStatus,
      status_values: Values,
      date_order: Order,
      checks: Checks,
    }),
    checks: Nullable(
      Type.Object(
        {
          ok: count("Nothing speaks against them."),
          risky: count("They may be reached."),
          bad: count("They can't be reached; with `skip_bad` they are among the failed."),
          unknown: count("Nobody answered for their domain in time."),
          reasons: Type.Unsafe<Partial<Record<AddressReason, number>>>({
            type: "object",
            propertyNames: { enum: [...ADDRESS_REASONS] },
            additionalProperties: { type: "integer" },
            description: "How many have each reason; one may have several.",
          }),
        },
        {
          description:
            "The addresses of good rows by what is known of them; null where nobody asked. `/checks` lists them.",
        },
      ),
    ),
    effects: Type.Object(
      {
        opted_out: count("Rows that say of somebody that they have left."),
        suppressed: count("Rows that say of an address that it bounced, complained or is blocked."),
      },
      {
        description:
          "An opt-out or a suppression stands for each of them, whatever `on_conflict`. It stays when the import is undone.",
      },
    ),
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
