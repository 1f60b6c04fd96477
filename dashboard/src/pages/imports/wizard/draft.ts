/**
 * What the wizard has been told so far. It is one value in the page's memory, so that going back and forth, a refused request
 * or a session that ended lose nothing of it.
 */
import type { Field, ImportOptions, ImportPreview } from "../../../api/openapi.ts";

export type NewField = Pick<Field, "key" | "name" | "type">;

/** What a column becomes: a target of the API, or a field that is made on the way. */
export type Choice = string | { readonly make: NewField };

export type Format = {
  readonly has_header?: boolean;
  readonly delimiter?: ImportPreview["format"]["delimiter"];
  readonly encoding?: ImportPreview["format"]["encoding"];
};

export type RowStatus = NonNullable<ImportOptions["default_status"]>;
export const ROW_STATUSES: readonly RowStatus[] = [
  "active",
  "unsubscribed",
  "bounced",
  "complained",
  "suppressed",
  "skip",
];

export type Draft = {
  readonly target: "subscribers" | "suppressions";
  readonly source: "file" | "paste";
  readonly file: File | undefined;
  readonly pasted: string;
  readonly listId: string;
  /** What the service made of the start of the file, with `format` where the person knew better. */
  readonly preview: ImportPreview | undefined;
  readonly format: Format;
  readonly choices: Readonly<Record<string, Choice>>;
  /** The keys of members of JSON for which a field is made. */
  readonly attributes: readonly string[];
  readonly defaultStatus: RowStatus;
  readonly statusValues: Readonly<Record<string, RowStatus>>;
  readonly dateOrder: ImportPreview["date_order"];
  readonly onConflict: "skip" | "update";
  readonly checks: NonNullable<ImportOptions["checks"]>;
  readonly tags: readonly string[];
  readonly isAttested: boolean;
  readonly consentSource: string;
  readonly wording: string;
  /** Whether whoever the import makes a subscriber enters automations, as if they had come by themselves. */
  readonly triggersAutomations: boolean;
  /** The dry run, and what it was of: after a change it has to be done again. */
  readonly trial: { readonly id: string; readonly of: string } | undefined;
};

export function emptyDraft(target: Draft["target"], listId: string): Draft {
  return {
    target,
    source: "file",
    file: undefined,
    pasted: "",
    listId,
    preview: undefined,
    format: {},
    choices: {},
    attributes: [],
    defaultStatus: "active",
    statusValues: {},
    dateOrder: "dmy",
    onConflict: "skip",
    checks: "report",
    tags: [],
    isAttested: false,
    consentSource: "",
    wording: "",
    triggersAutomations: false,
    trial: undefined,
  };
}

export const hasContent = ({ source, file, pasted }: Draft) =>
  source === "file" ? file !== undefined : pasted.trim() !== "";

export const isBegun = ({ file, pasted }: Draft) => file !== undefined || pasted.trim() !== "";

/** What is sent: the file, or what was pasted as one. */
export function contentOf({ source, file, pasted }: Draft, pastedName: string): File {
  if (source === "file" && file) return file;
  return new File([pasted], pastedName, { type: "text/csv" });
}

/** Another file is looked at anew: what the first one was, above all who in it had left, says nothing of it. */
export function withContent(
  draft: Draft,
  content: Partial<Pick<Draft, "source" | "file" | "pasted">>,
): Draft {
  const { preview, format, choices, attributes, defaultStatus, statusValues, dateOrder, trial } = emptyDraft(
    draft.target,
    draft.listId,
  );
  const fresh = { preview, format, choices, attributes, defaultStatus, statusValues, dateOrder, trial };
  return { ...draft, ...content, ...fresh };
}

/** A look at the file gives the guesses; what the person chose for columns that are still there stays. */
export function withPreview(draft: Draft, preview: ImportPreview): Draft {
  const before = draft.preview?.columns.map(({ name }) => name).join("\n");
  const isAlike = before === preview.columns.map(({ name }) => name).join("\n");
  const known = Object.fromEntries(
    Object.entries(preview.status_values).filter(([, status]) => status !== null),
  ) as Draft["statusValues"];
  if (isAlike) return { ...draft, preview, statusValues: { ...known, ...draft.statusValues } };
  return {
    ...draft,
    preview,
    choices: { ...preview.mapping },
    attributes: [],
    defaultStatus: preview.default_status,
    statusValues: known,
    dateOrder: preview.date_order,
  };
}

/** The fields that have to be made before the file can be sent, each key once. */
export function newFieldsOf({ choices, attributes, preview }: Draft): readonly NewField[] {
  const chosen = Object.values(choices).flatMap((choice) =>
    typeof choice === "string" ? [] : [choice.make],
  );
  const members = (preview?.attributes ?? []).filter(({ field }) => attributes.includes(field.key));
  return [...chosen, ...members.map(({ field }) => field)];
}

/** Once it is made, a new field is one that is there. */
export function withFieldMade(draft: Draft, key: string): Draft {
  const choices = Object.entries(draft.choices).map(([column, choice]): [string, Choice] =>
    typeof choice !== "string" && choice.make.key === key ? [column, `fields.${key}`] : [column, choice],
  );
  return {
    ...draft,
    choices: Object.fromEntries(choices),
    attributes: draft.attributes.filter((one) => one !== key),
  };
}

/** What the API is told, apart from consent. */
export function optionsOf(draft: Draft): ImportOptions {
  const { preview, target } = draft;
  const mapping = Object.fromEntries(
    Object.entries(draft.choices).map(([column, choice]) => [
      column,
      typeof choice === "string" ? choice : `fields.${choice.make.key}`,
    ]),
  );
  const isAboutPeople = target === "subscribers";
  return {
    target,
    mapping,
    date_order: draft.dateOrder,
    ...preview?.format,
    ...(isAboutPeople && {
      list_id: draft.listId,
      on_conflict: draft.onConflict,
      checks: draft.checks,
      tags: draft.tags,
      default_status: draft.defaultStatus,
      status_values: draft.statusValues,
    }),
  };
}

/** A text that differs when something was changed that the dry run depends on. */
export function signatureOf(draft: Draft): string {
  const { file, source, pasted } = draft;
  const content = source === "file" ? [file?.name, file?.size, file?.lastModified] : pasted;
  return JSON.stringify([content, optionsOf(draft)]);
}

export function consentOf({ isAttested, consentSource, wording }: Draft): ImportOptions["consent"] {
  const source = consentSource.trim();
  if (!isAttested && source === "" && wording.trim() === "") return undefined;
  return {
    attested: isAttested,
    ...(source !== "" && { source }),
    ...(wording.trim() !== "" && { wording: wording.trim() }),
  };
}
