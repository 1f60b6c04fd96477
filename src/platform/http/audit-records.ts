/** Makes the audit records of a request from what its route declares. */
import type { TSchema } from "typebox";
import { networkOf } from "./address.ts";
import { type AuditedPerson, type AuditOrigin, type AuditRecord, INSTANCE } from "./audit.ts";
import type { Answer, Call, Client, Route } from "./route.ts";

/** Programs name themselves in a few words, and browsers in some hundred characters. */
const LONGEST_AGENT = 250;

export function auditOrigin({ ip, userAgent = "", requestId }: Client): AuditOrigin {
  return { network: networkOf(ip), userAgent: userAgent.slice(0, LONGEST_AGENT), requestId };
}

type WriteCall = Pick<Call<unknown, unknown, unknown, unknown>, "principal" | "params" | "body" | "client">;

/** Returns what is to be recorded of a write that succeeded. */
export function auditRecords(route: Route, call: WriteCall, answer: Answer<unknown>): readonly AuditRecord[] {
  const { audit } = route;
  if (!audit || "none" in audit || answer.changedNothing) return [];
  const { actor, accountId, operator } = call.principal;
  if (audit.onlyByPeople !== undefined && actor.kind !== "user") return [];
  const common = {
    action: audit.action,
    fields: givenFields(route, call.body),
    origin: auditOrigin(call.client),
  };
  if (audit.of === "people") {
    return peopleIn(route, answer).map((person) => ({
      ...common,
      accountId: person.accountId,
      actor: { kind: "user", id: person.userId },
      // They are passwords and tokens, whose names tell nothing beside the action.
      fields: [],
      targetId: person.userId,
    }));
  }
  const targetId = targetOf(route, audit.of, call, answer);
  if (operator) return recordsOfOperator({ ...common, targetId }, operator.id, answer);
  return [{ ...common, accountId, actor, targetId }];
}

/** What an operator does to an account stands in its own log, too, where its people aren't shown which operator it was. */
function recordsOfOperator(
  common: Omit<AuditRecord, "accountId" | "actor">,
  id: string,
  { about }: Answer<unknown>,
): readonly AuditRecord[] {
  const own = { ...common, accountId: INSTANCE, actor: { kind: "operator", id } } as const;
  if (about === undefined) return [own];
  const { accountId, targetId } = about;
  return [own, { ...common, accountId, targetId, actor: { kind: "operator", id: null } }];
}

function peopleIn({ method, path }: Route, { people }: Answer<unknown>): readonly AuditedPerson[] {
  if (!people) throw new Error(`${method} ${path} must say in its answer whom it is about`);
  return people;
}

function targetOf(
  { method, path }: Route,
  of: "path" | "answer" | "account",
  { params }: WriteCall,
  { body }: Answer<unknown>,
): string | null {
  if (of === "account") return null;
  const holder = (of === "path" ? params : body) as { readonly id?: unknown } | undefined;
  if (typeof holder?.id !== "string") throw new Error(`${method} ${path} has no id in its ${of}`);
  return holder.id;
}

const fieldsOf = new WeakMap<Route, ReadonlySet<string>>();

/** A name that the schema doesn't know may come from data, such as a subscriber's own fields, and isn't kept. */
function givenFields(route: Route, body: unknown): readonly string[] {
  if (!route.body || typeof body !== "object" || body === null) return [];
  const known = fieldsOf.get(route) ?? new Set(namesIn(route.body));
  fieldsOf.set(route, known);
  return Object.keys(body).filter((name) => known.has(name));
}

type Parts = {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly anyOf?: readonly TSchema[];
  readonly oneOf?: readonly TSchema[];
  readonly allOf?: readonly TSchema[];
};

function namesIn(schema: TSchema): readonly string[] {
  const { properties = {}, anyOf = [], oneOf = [], allOf = [] } = schema as Parts;
  return [...Object.keys(properties), ...[...anyOf, ...oneOf, ...allOf].flatMap(namesIn)];
}
