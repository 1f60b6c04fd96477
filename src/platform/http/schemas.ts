/** Every resource's schema is made of these parts. */
import { type Static, type TObject, type TProperties, type TSchema, Type } from "typebox";

/**
 * The value may be null. This is written as a list of types, which OpenAPI 3.1 shows best and the serialiser handles
 * fastest; it drops the title, which names the schema that may not be null.
 */
export function Nullable<S extends TSchema & { type: string }>(schema: S) {
  const { title: _title, ...rest } = schema as S & { title?: string };
  return Type.Unsafe<Static<S> | null>({ ...rest, type: [schema.type, "null"] });
}

export function PublicId(prefix: string, description?: string) {
  return Type.String({
    pattern: `^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`,
    "x-id-prefix": prefix,
    examples: [`${prefix}_01k9zq4t3xe8k8y0v6d3m2n1pq`],
    ...(description && { description }),
  });
}

/** An id in a body is any text, since a malformed id is as good as an unknown one. */
export function BodyId(prefix: string, description?: string) {
  return Type.String({
    pattern: `^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`,
    "x-error-code": "not_found",
    "x-error-detail": "there is no such object in this account",
    examples: [`${prefix}_01k9zq4t3xe8k8y0v6d3m2n1pq`],
    ...(description && { description }),
  });
}

export const Timestamp = Type.String({ format: "date-time", examples: ["2026-11-14T09:30:00.000Z"] });

export const TimeZone = Type.String({
  maxLength: 64,
  format: "iana-time-zone",
  description: "The name of an IANA time zone.",
  examples: ["Europe/London"],
  "x-error-code": "invalid_time_zone",
  "x-error-detail": "must be an IANA time zone",
});

export const Colour = Type.String({
  pattern: "^#[0-9a-fA-F]{6}$",
  "x-error-code": "invalid_colour",
  "x-error-detail": "must be a colour such as #1f3a5f",
  examples: ["#1f3a5f"],
});

export function Pixels(minimum: number, maximum: number, example: number) {
  return Type.Integer({ minimum, maximum, examples: [example], description: "In pixels." });
}

/** One of a few words. A union would answer "none of the allowed forms" where this names them. */
export function oneOf<const T extends string>(values: readonly T[], options: Record<string, unknown> = {}) {
  return Type.Unsafe<T>({ type: "string", enum: [...values], ...options });
}

/** The text must hold more than blanks. */
export function Words(maxLength: number, example: string) {
  return Type.String({
    maxLength,
    pattern: "\\S",
    "x-error-code": "required",
    "x-error-detail": "must not be blank",
    examples: [example],
  });
}

/** What a thing is called: one line that isn't blank, without control characters or changes of direction. */
export function Name(maxLength: number, example: string) {
  return Type.String({ ...Words(maxLength, example), format: "one-line" });
}

/** An object that a client sends or gets exactly so: an unknown field is a fault, and never ignored. */
export function Strict<P extends TProperties>(properties: P, options: Record<string, unknown> = {}) {
  return Type.Object(properties, { additionalProperties: false, ...options });
}

export const NoParameters = Strict({});
export type NoParameters = typeof NoParameters;

const PAGE_PROPERTIES = {
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50, description: "How many to answer with." }),
  cursor: Type.Optional(
    Type.String({
      maxLength: 1_000,
      description: "`next_cursor` of the page before, with the same filter and sort.",
    }),
  ),
  include_total: Type.Boolean({ default: false, description: "Adds `total`: how many there are in all." }),
};

/** The query of a list: its own filters beside `limit`, `cursor` and `include_total`. */
export function PageQuery<P extends TProperties>(filters: P): TObject<P & typeof PAGE_PROPERTIES> {
  return Strict({ ...filters, ...PAGE_PROPERTIES }) as unknown as TObject<P & typeof PAGE_PROPERTIES>;
}

export function Page<S extends TSchema>(item: S, title: string) {
  return Type.Object(
    {
      object: Type.Literal("list"),
      data: Type.Array(item),
      has_more: Type.Boolean(),
      next_cursor: Nullable(Type.String()),
      total: Type.Optional(Type.Integer()),
    },
    { title },
  );
}

export const ProblemSchema = Type.Object(
  {
    type: Type.String({ format: "uri", description: "The documents page for this code." }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    code: Type.String(),
    request_id: Type.String(),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          pointer: Type.Optional(Type.String({ description: "Where in the body (RFC 6901)." })),
          parameter: Type.Optional(Type.String({ description: "Which query parameter." })),
          code: Type.String(),
          detail: Type.String(),
          line: Type.Optional(Type.Integer({ description: "Inside the text that `pointer` names, from 1." })),
          column: Type.Optional(Type.Integer()),
        }),
      ),
    ),
  },
  { title: "Problem", additionalProperties: true },
);
