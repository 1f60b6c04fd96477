/** Which events an endpoint wants: each pattern is a type, the beginning of several such as `email.*`, or `*`. */
import { EVENT_TYPES, type EventType } from "../events/events.ts";
import type { Fault } from "../platform/problems.ts";

/** Opens and clicks are the many: an endpoint may have them in batches. */
export const ENGAGEMENT: ReadonlySet<EventType> = new Set(["email.opened", "email.clicked"]);
/** What such a batch is posted as. */
export const BATCH_TYPE = "email.batch";

/** Returns the types that a pattern stands for, and none where it stands for nothing. */
function typesOf(pattern: string): readonly EventType[] {
  if (pattern === "*") return EVENT_TYPES;
  if (!pattern.endsWith(".*")) return EVENT_TYPES.filter((type) => type === pattern);
  return EVENT_TYPES.filter((type) => type.startsWith(pattern.slice(0, -1)));
}

export function typesOfPatterns(patterns: readonly string[]): readonly EventType[] {
  return [...new Set(patterns.flatMap(typesOf))];
}

/** Returns a fault for each pattern that means no event; `pointer` is where in the body the list stands. */
export function unknownTypeFaults(pointer: string, patterns: readonly string[]): Fault[] {
  return patterns.flatMap((pattern, at) =>
    typesOf(pattern).length === 0 ? [{ pointer: `${pointer}/${at}`, ...UNKNOWN_TYPE }] : [],
  );
}

export const UNKNOWN_TYPE = {
  code: "unknown_event_type",
  detail: "there is no such type of event; GET /openapi.json lists them under `webhooks`",
} as const;
