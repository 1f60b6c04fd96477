/**
 * This file describes every column of the table `subscribers` once. Row types, statements, the API's schemas, imports, exports,
 * segments and merge values derive from this table, and a test holds it against the database.
 */

import { type TUnsafe, Type } from "typebox";
import { Nullable, TimeZone } from "../platform/http/schemas.ts";
import { canonicalLocale } from "../platform/locale.ts";
import type { SlotValues } from "./fields/fields.ts";
import type { Status } from "./status.ts";

/**
 * A plain column is a text that may be null and that the service only keeps: clients and files give it, answers and exports
 * show it, segments compare it, and templates read it as `subscriber.<name>`.
 */
type Plain = {
  /** The schema checks what a client or a file gives, and documents it. */
  readonly schema: TUnsafe<string | null>;
  /** This turns a text that fits the schema into what is stored; undefined refuses it with `refusal`. */
  readonly read?: (text: string) => string | null | undefined;
  readonly refusal?: { readonly code: string; readonly detail: string };
  /** Some exporters spell a value in another way than the API does; this puts it right before it is checked. */
  readonly fromFile?: (text: string) => string;
  /** The values are few and slow to check, so an import remembers those that it has seen. */
  readonly isSlowToCheck?: true;
  /** Besides its name, these headings mean this column in a file; `imports/headings.ts` says how they are compared. */
  readonly headings: string;
  /** The API's documents show this value. */
  readonly example: string | null;
  /** A preview for nobody in particular shows this value. */
  readonly sample: string;
};

type Column = {
  readonly type: "uuid" | "text" | "jsonb" | "timestamptz" | "boolean";
  readonly isNullable?: true;
  /** A fixed column is written when the row is made and never again. */
  readonly isFixed?: true;
  /** A segment's conditions may name this column; `words` stand for it in the segment's sentence. */
  readonly segment?: {
    readonly kind: "text" | "time" | "status" | "boolean";
    readonly words: string;
    /** Another column may hold the form in which values are compared. */
    readonly comparedBy?: string;
  };
  readonly plain?: Plain;
};

const PersonName = Nullable(Type.String({ maxLength: 200, examples: ["Ada"] }));
const trimmed = (text: string) => text.trim() || null;

function plain(words: string, description: Plain) {
  return { type: "text", isNullable: true, segment: { kind: "text", words }, plain: description } as const;
}

function time(words: string) {
  return { type: "timestamptz", segment: { kind: "time", words } } as const;
}

const TABLE = {
  account_id: { type: "uuid", isFixed: true },
  id: { type: "uuid", isFixed: true },
  list_id: { type: "uuid", isFixed: true },
  contact_id: { type: "uuid" },
  email: {
    type: "text",
    segment: { kind: "text", words: "the e-mail address", comparedBy: "email_key" },
  },
  email_key: { type: "text" },
  first_name: plain("the first name", {
    schema: PersonName,
    read: trimmed,
    headings: `first name, firstname, fname, given name, forename, christian name, vorname, prénom, nombre, nome, primeiro nome,
      voornaam, förnamn, fornavn, etunimi, imię, jméno, křestní jméno, ad, adı, имя, ім'я, 名, 名前, 이름, 名字, primer nombre`,
    example: "Ada",
    sample: "Ada",
  }),
  last_name: plain("the last name", {
    schema: PersonName,
    read: trimmed,
    headings: `last name, lastname, lname, surname, family name, nachname, familienname, zuname, nom, nom de famille, apellido,
      apellidos, cognome, sobrenome, apelido, achternaam, efternamn, etternavn, efternavn, sukunimi, nazwisko, příjmení, soyad,
      soyadı, фамилия, прізвище, 姓, 苗字, 성, último nome`,
    example: null,
    sample: "Lovelace",
  }),
  fields: { type: "jsonb" },
  locale: plain("the language", {
    schema: Nullable(
      Type.String({ maxLength: 35, description: "A BCP 47 language tag.", examples: ["en-GB"] }),
    ),
    read: canonicalLocale,
    refusal: { code: "invalid_locale", detail: "must be a language tag such as en-GB" },
    fromFile: (text) => text.replaceAll("_", "-"),
    isSlowToCheck: true,
    headings: `locale, language, lang, preferred language, sprache, langue, idioma, lingua, taal, språk, sprog, kieli, język, jazyk,
      dil, язык, мова, 言語, 语言, 언어`,
    example: "en-GB",
    sample: "en",
  }),
  time_zone: plain("the time zone", {
    schema: Nullable(TimeZone),
    isSlowToCheck: true,
    headings: `time zone, timezone, tz, time_zone, zeitzone, fuseau horaire, zona horaria, huso horario, fuso orario, fuso horário,
      tijdzone, tidszon, tidssone, часовой пояс, タイムゾーン, 时区`,
    example: "Europe/London",
    sample: "UTC",
  }),
  status: { type: "text", segment: { kind: "status", words: "the status" } },
  status_reason: { type: "text", isNullable: true },
  source: { type: "text", isFixed: true, segment: { kind: "text", words: "the source" } },
  consented_at: { type: "timestamptz", isNullable: true },
  /** Null is never asked, or cleared; false is refused or withdrawn. */
  tracking_consent: {
    type: "boolean",
    isNullable: true,
    segment: { kind: "boolean", words: "the consent to tracking" },
  },
  tracking_consent_at: { ...time("the answer about tracking"), isNullable: true },
  confirmed_at: { ...time("the confirmation"), isNullable: true },
  unsubscribed_at: { ...time("the unsubscription"), isNullable: true },
  created_at: { ...time("the day of sign-up"), isFixed: true },
  updated_at: time("the last change"),
  updated_by_kind: { type: "text", isNullable: true },
  updated_by_id: { type: "uuid", isNullable: true },
} as const satisfies Readonly<Record<string, Column>>;

type Columns = typeof TABLE;
export type ColumnName = keyof Columns;
export const COLUMN_NAMES = Object.keys(TABLE) as readonly ColumnName[];

/** Whoever goes through all columns sees each of them as a `Column`, in the order of the table. */
export const COLUMNS: Readonly<Record<ColumnName, Column>> = TABLE;

export type PlainName = { [N in ColumnName]: Columns[N] extends { plain: Plain } ? N : never }[ColumnName];
export type PlainValues = Record<PlainName, string | null>;
export const PLAIN_NAMES = COLUMN_NAMES.filter((name) => COLUMNS[name].plain) as readonly PlainName[];

export function plainColumn(name: PlainName): Plain {
  return TABLE[name].plain;
}

/** Makes an object with a member for each plain column. */
export function eachPlain<T>(value: (name: PlainName, description: Plain) => T): Record<PlainName, T> {
  return Object.fromEntries(PLAIN_NAMES.map((name) => [name, value(name, plainColumn(name))])) as Record<
    PlainName,
    T
  >;
}

/** These are the values of a subscriber of whom nothing is known. */
export const NO_PLAIN_VALUES: Readonly<PlainValues> = eachPlain(() => null);

export function plainValuesOf(row: Readonly<PlainValues>): PlainValues {
  const values = { ...NO_PLAIN_VALUES };
  for (const name of PLAIN_NAMES) values[name] = row[name];
  return values;
}

type SqlValues = { uuid: string; text: string; jsonb: SlotValues; timestamptz: Date; boolean: boolean };
type ValueOf<C extends Column> = SqlValues[C["type"]] | (C extends { isNullable: true } ? null : never);

/** This is a row of the table as the driver returns it. */
export type SubscriberRow = {
  -readonly [N in ColumnName]: N extends "status" ? Status : ValueOf<Columns[N]>;
};
