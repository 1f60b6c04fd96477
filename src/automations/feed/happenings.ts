/** Reads from events of the log what happened to people, as triggers of automations name it. */
import type { EventRow, EventType } from "../../events/events.ts";
import { fromPublicId } from "../../platform/ids.ts";

export type Happening = {
  readonly subscriberId: string;
  readonly at: Date;
  /** The automation whose step did it. */
  readonly causedBy: string | undefined;
  readonly what:
    | { readonly kind: "joined" }
    | { readonly kind: "tag_added" | "tag_removed"; readonly tagId: string }
    /** Built-in names, and `field:<uuid>` of custom fields. */
    | { readonly kind: "fields_changed"; readonly fields: readonly string[] }
    | {
        readonly kind: "email_opened" | "email_clicked";
        readonly campaignId: string | undefined;
        readonly automationId: string | undefined;
        readonly node: string | undefined;
      }
    | {
        readonly kind: "event";
        readonly id: string;
        readonly name: string;
        readonly occurredAt: Date;
      }
    | { readonly kind: "segment_entered" | "segment_left"; readonly segmentId: string }
    /** By an import that lets nobody in: what it brought about is only noted. */
    | { readonly kind: "imported" }
    /** Something that no trigger names, after which rules may hold that didn't. */
    | { readonly kind: "other" };
};

/** The types of event that are read; what else happens concerns nobody in an automation. */
export const READ_TYPES: readonly EventType[] = [
  "subscriber.created",
  "subscriber.updated",
  "subscriber.confirmed",
  "subscriber.unsubscribed",
  "subscriber.resubscribed",
  "subscriber.suppressed",
  "subscriber.unsuppressed",
  "subscriber.tag_added",
  "subscriber.tag_removed",
  "subscriber.topics_changed",
  "subscriber.event_tracked",
  "subscriber.imported",
  "email.opened",
  "email.clicked",
  "email.bounced",
  "email.complained",
];

export function readHappenings({ type, created_at, actor_kind, actor_id, data }: EventRow): Happening[] {
  const subscriberId = idIn("sub", data["subscriber_id"]);
  if (!subscriberId) return [];
  const causedBy = actor_kind === "system" ? idIn("aut", actor_id) : undefined;
  const of = (what: Happening["what"]): Happening => ({ subscriberId, at: created_at, causedBy, what });
  switch (type) {
    case "subscriber.created": {
      const tags = idsIn("tag", data["tag_ids"]).map((tagId) => of({ kind: "tag_added", tagId }));
      return [...(data["status"] === "active" ? [of({ kind: "joined" })] : [of({ kind: "other" })]), ...tags];
    }
    case "subscriber.confirmed":
      return [of({ kind: "joined" })];
    case "subscriber.resubscribed": {
      const { status = "active" } = data;
      return [of({ kind: status === "active" ? "joined" : "other" })];
    }
    case "subscriber.tag_added":
    case "subscriber.tag_removed": {
      const tagId = idIn("tag", data["tag_id"]);
      return tagId
        ? [of({ kind: type === "subscriber.tag_added" ? "tag_added" : "tag_removed", tagId })]
        : [];
    }
    case "subscriber.updated": {
      const named = Array.isArray(data["changed"]) ? data["changed"].map(String) : [];
      const custom = idsIn("fld", data["field_ids"]).map((id) => `field:${id}`);
      return [of({ kind: "fields_changed", fields: [...named, ...custom] })];
    }
    case "email.opened":
    case "email.clicked": {
      // What machines do says nothing of the person.
      if (data["human"] !== true) return [];
      const node = typeof data["node"] === "string" ? data["node"] : undefined;
      const automationId = idIn("aut", data["automation_id"]);
      const campaignId = idIn("cmp", data["campaign_id"]);
      const kind = type === "email.opened" ? "email_opened" : "email_clicked";
      return [of({ kind, campaignId, automationId, node })];
    }
    case "subscriber.event_tracked": {
      const id = idIn("cev", data["custom_event_id"]);
      const occurredAt = new Date(String(data["at"]));
      return id ? [of({ kind: "event", id, name: String(data["name"]), occurredAt })] : [];
    }
    case "subscriber.imported":
      return [of({ kind: data["trigger_automations"] === true ? "other" : "imported" })];
    default:
      return [of({ kind: "other" })];
  }
}

function idIn(prefix: string, value: unknown): string | undefined {
  return typeof value === "string" ? fromPublicId(prefix, value) : undefined;
}

function idsIn(prefix: string, value: unknown): string[] {
  return Array.isArray(value) ? value.flatMap((one) => idIn(prefix, one) ?? []) : [];
}
