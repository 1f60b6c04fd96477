/** Says which triggers of an automation something that happened is. */
import type { EventType } from "../../events/events.ts";
import { tagKey } from "../../subscribers/subscribers.ts";
import type { Graph, Trigger } from "../graph-types.ts";
import { segmentsIn } from "../members/members.ts";
import type { LiveAutomation } from "../runs/runs.ts";
import type { Happening } from "./happenings.ts";

type Properties = Readonly<Record<string, unknown>>;

/** What must be known beside the log: tags by their keys, and the properties of custom events by their ids. */
export type Known = {
  readonly tagIds: ReadonlyMap<string, string>;
  readonly properties: ReadonlyMap<string, Properties>;
};

export function isTrigger(
  trigger: Trigger,
  { what }: Happening,
  automation: Pick<LiveAutomation, "id">,
  known: Known,
): boolean {
  switch (trigger.type) {
    case "list_joined":
      return what.kind === "joined";
    case "tag_added":
    case "tag_removed":
      return what.kind === trigger.type && known.tagIds.get(tagKey(trigger.tag)) === what.tagId;
    case "field_changed":
      return what.kind === "fields_changed" && what.fields.includes(trigger.field);
    case "segment_entered":
    case "segment_left":
      return what.kind === trigger.type && what.segmentId === trigger.segmentId;
    case "email_opened":
    case "email_clicked":
      if (what.kind !== trigger.type) return false;
      if (trigger.node !== undefined)
        return what.automationId === automation.id && what.node === trigger.node;
      return trigger.campaignId === undefined || what.campaignId === trigger.campaignId;
    case "event": {
      // The properties of who was forgotten are gone, and nobody is there to be let in.
      const properties = what.kind === "event" ? known.properties.get(what.id) : undefined;
      if (what.kind !== "event" || what.name !== trigger.name || !properties) return false;
      return Object.entries(trigger.where).every(([name, value]) => properties[name] === value);
    }
    default:
      return false;
  }
}

/** The run that an event is about, where the automation has runs by a property of events; undefined is any of the person's. */
export function keyOf({ entry }: Graph, { what }: Happening, known: Known): string | undefined {
  if (entry.key === undefined || what.kind !== "event") return undefined;
  const value = known.properties.get(what.id)?.[entry.key];
  return typeof value === "string" || typeof value === "number"
    ? String(value).slice(0, LONGEST_KEY)
    : undefined;
}

const LONGEST_KEY = 255;

/** All triggers that a graph names: those that let in, those that wake, and those that lead out. */
export function triggersIn(graph: Graph): readonly Trigger[] {
  const waited = [...graph.nodes.values()].flatMap((node) => (node.type === "wait_for" ? node.on : []));
  const left = graph.exit.flatMap((exit) => ("on" in exit ? [exit.on] : []));
  return [...graph.entry.on, ...waited, ...left];
}

/** Whether people may be led on by a rule, which anything that happens can make true. */
function hasRules(graph: Graph): boolean {
  const isAsked = graph.exit.some((exit) => !("on" in exit));
  return isAsked || [...graph.nodes.values()].some((node) => node.type === "wait_for" && node.rule);
}

const BY_RULES = ["email.opened", "email.clicked", "subscriber.event_tracked"] as const;

/** The types of event that are written only where somebody wants them, and that one of these versions of an automation does. */
export function wantedTypes(graphs: readonly Graph[]): readonly EventType[] {
  if (graphs.some((graph) => segmentsIn(graph).length > 0)) return [...BY_RULES, "subscriber.imported"];
  if (graphs.some(hasRules)) return BY_RULES;
  const types = new Set(graphs.flatMap(triggersIn).map(({ type }) => type));
  return [
    ...(types.has("email_opened") ? (["email.opened"] as const) : []),
    ...(types.has("email_clicked") ? (["email.clicked"] as const) : []),
    ...(types.has("event") ? (["subscriber.event_tracked"] as const) : []),
  ];
}
