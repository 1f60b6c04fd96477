/** Describes every message that may be posted to an endpoint, for the `webhooks` of the OpenAPI document. */
import { type TSchema, Type } from "typebox";
import { EVENT_TYPES, type EventType, entryOf } from "../../events/events.ts";
import type { DocumentedMessage } from "../../platform/http/documents/openapi.ts";
import { Nullable, PublicId, Timestamp } from "../../platform/http/schemas.ts";
import { BATCH_TYPE, ENGAGEMENT } from "../event-patterns.ts";

const AN_ID = "01k9zq4t3xe8k8y0v6d3m2n1pq";
const AT = "2026-11-14T09:30:00.000Z";
/** Who has one of these in its data is an event about a person. */
const PERSONAL: readonly string[] = ["subscriber_id", "contact_id"];

const Email = Nullable(
  Type.String({
    description:
      "The person's address, only where the endpoint includes `email`; null for who is no longer kept.",
    examples: ["ada@example.com"],
  }),
);

export function documentedMessages(): readonly DocumentedMessage[] {
  return [...EVENT_TYPES.map(messageOf), batch()];
}

function messageOf(type: EventType): DocumentedMessage {
  const { says, example, required, nullable } = entryOf(type);
  const isPersonal = Object.keys(example).some((name) => PERSONAL.includes(name));
  const properties = Object.fromEntries(
    Object.entries(example).map(([name, value]): [string, TSchema] => {
      const schema = nullable.includes(name) ? Nullable(schemaOf(value)) : schemaOf(value);
      return [name, required.includes(name) ? schema : Type.Optional(schema)];
    }),
  );
  const data = Type.Object({ ...properties, ...(isPersonal && { email: Type.Optional(Email) }) });
  return {
    name: type,
    summary: says,
    schema: Type.Object({ id: PublicId("evt"), ...commonTo(type), data }),
    example: exampleOf(type),
  };
}

function batch(): DocumentedMessage {
  const types = [...ENGAGEMENT];
  const data = Type.Object({
    events: Type.Array(Type.Object({}, { additionalProperties: true }), {
      minItems: 1,
      maxItems: 100,
      description: `Messages such as ${types.map((type) => `\`${type}\``).join(" and ")}, in the order of the log.`,
    }),
  });
  const { id: _id, ...common } = exampleOf(types[0] ?? "email.opened");
  return {
    name: BATCH_TYPE,
    summary: "Some opens and clicks together, for an endpoint with `batch_engagement`.",
    schema: Type.Object({ ...commonTo(BATCH_TYPE), data }),
    example: { ...common, type: BATCH_TYPE, data: { events: types.map(exampleOf) } },
  };
}

function commonTo(type: string) {
  return { type: Type.Literal(type), timestamp: Timestamp, account_id: PublicId("acc") };
}

function exampleOf(type: EventType) {
  const { example } = entryOf(type);
  return { id: `evt_${AN_ID}`, type, timestamp: AT, account_id: `acc_${AN_ID}`, data: example };
}

/** A member's example says of what kind it is. */
function schemaOf(value: unknown): TSchema & { type: string } {
  if (typeof value === "string") return Type.String({ examples: [value] });
  if (typeof value === "boolean") return Type.Boolean();
  if (typeof value === "number")
    return Number.isInteger(value) ? Type.Integer({ examples: [value] }) : Type.Number({ examples: [value] });
  if (Array.isArray(value)) return Type.Array(Type.String(), { examples: [value] });
  return Type.Object({}, { additionalProperties: true, examples: [value] });
}
