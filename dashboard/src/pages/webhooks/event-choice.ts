/** Which events an endpoint wants: each pattern is a type, all types of a group such as `email.*`, or `*`. */
import type { Event } from "../../api/openapi.ts";
import { TYPES } from "../events/event-types.ts";

export type EventType = Event["type"];
type FirstWord<T extends string> = T extends `${infer Word}.${string}` ? Word : never;
export type Group = FirstWord<EventType>;

export const EVERYTHING = "*";

const groupOf = (type: EventType) => type.slice(0, type.indexOf(".")) as Group;
export const allOf = (group: Group) => `${group}.*`;

/** What most endpoints are for comes first; the rest follows as the log has it. */
const FIRST: readonly Group[] = ["subscriber", "campaign", "email", "list", "import"];
export const GROUPS: readonly Group[] = [...new Set([...FIRST, ...TYPES.map(groupOf)])];

export const typesOfGroup = (group: Group) => TYPES.filter((type) => groupOf(type) === group);

/** The types that the patterns stand for, in the order of the groups. */
export function typesWanted(patterns: readonly string[]): readonly EventType[] {
  const wanted = new Set(patterns);
  return GROUPS.flatMap(typesOfGroup).filter(
    (type) => wanted.has(EVERYTHING) || wanted.has(allOf(groupOf(type))) || wanted.has(type),
  );
}
