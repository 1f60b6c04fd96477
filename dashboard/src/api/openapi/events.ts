// Made by `npm run client-types` from the OpenAPI document. Don't edit it: `npm run check` compares.

export type Event = { object: "event"; id: string; type: "account.created" | "account.updated" | "api_key.created" | "api_key.updated" | "api_key.revoked" | "user.created" | "user.updated" | "user.deleted" | "user.signed_in" | "user.password_changed" | "list.created" | "list.updated" | "list.deleted" | "field.created" | "field.updated" | "field.deleted" | "subscriber.created" | "subscriber.updated" | "subscriber.deleted" | "subscriber.confirmed" | "subscriber.unsubscribed" | "subscriber.resubscribed" | "subscriber.suppressed" | "subscriber.unsuppressed" | "subscriber.tag_added" | "subscriber.tag_removed" | "import.completed" | "import.failed" | "bulk_change.completed" | "bulk_change.failed" | "bulk_change.canceled" | "bulk_change.undone" | "campaign.created" | "campaign.updated" | "campaign.deleted" | "campaign.scheduled" | "campaign.unscheduled" | "campaign.sending" | "campaign.paused" | "campaign.warned" | "campaign.resumed" | "campaign.sent" | "campaign.canceled" | "campaign.failed" | "email.queued" | "email.sent" | "email.deferred" | "email.bounced" | "email.complained" | "email.failed" | "email.opened" | "email.clicked" | "bounces.held" | "bounces.released" | "bounces.dismissed" | "template.created" | "template.updated" | "template.published" | "template.deleted" | "transport.created" | "transport.updated" | "transport.deleted" | "inbound.mailbox_created" | "inbound.mailbox_updated" | "inbound.mailbox_deleted" | "inbound.mailbox_failing" | "inbound.mailbox_recovered" | "file.created" | "file.deleted"; timestamp: string; account_id: string; actor: { kind: "api_key" | "user" | "system"; id: string | null }; data: Record<string, unknown>; created_at: string; updated_at: string };

export type EventPage = { object: "list"; data: readonly (Event)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type EventsOperations = {
  /** List events */
  "GET /v1/events": {
    path: undefined;
    query: { type?: readonly ("account.created" | "account.updated" | "api_key.created" | "api_key.updated" | "api_key.revoked" | "user.created" | "user.updated" | "user.deleted" | "user.signed_in" | "user.password_changed" | "list.created" | "list.updated" | "list.deleted" | "field.created" | "field.updated" | "field.deleted" | "subscriber.created" | "subscriber.updated" | "subscriber.deleted" | "subscriber.confirmed" | "subscriber.unsubscribed" | "subscriber.resubscribed" | "subscriber.suppressed" | "subscriber.unsuppressed" | "subscriber.tag_added" | "subscriber.tag_removed" | "import.completed" | "import.failed" | "bulk_change.completed" | "bulk_change.failed" | "bulk_change.canceled" | "bulk_change.undone" | "campaign.created" | "campaign.updated" | "campaign.deleted" | "campaign.scheduled" | "campaign.unscheduled" | "campaign.sending" | "campaign.paused" | "campaign.warned" | "campaign.resumed" | "campaign.sent" | "campaign.canceled" | "campaign.failed" | "email.queued" | "email.sent" | "email.deferred" | "email.bounced" | "email.complained" | "email.failed" | "email.opened" | "email.clicked" | "bounces.held" | "bounces.released" | "bounces.dismissed" | "template.created" | "template.updated" | "template.published" | "template.deleted" | "transport.created" | "transport.updated" | "transport.deleted" | "inbound.mailbox_created" | "inbound.mailbox_updated" | "inbound.mailbox_deleted" | "inbound.mailbox_failing" | "inbound.mailbox_recovered" | "file.created" | "file.deleted")[]; sort?: "-created_at" | "created_at"; limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: EventPage;
  };
  /** Get an event */
  "GET /v1/events/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Event;
  };
  /** Watch events */
  "GET /v1/events/stream": {
    path: undefined;
    query: { type?: readonly ("account.created" | "account.updated" | "api_key.created" | "api_key.updated" | "api_key.revoked" | "user.created" | "user.updated" | "user.deleted" | "user.signed_in" | "user.password_changed" | "list.created" | "list.updated" | "list.deleted" | "field.created" | "field.updated" | "field.deleted" | "subscriber.created" | "subscriber.updated" | "subscriber.deleted" | "subscriber.confirmed" | "subscriber.unsubscribed" | "subscriber.resubscribed" | "subscriber.suppressed" | "subscriber.unsuppressed" | "subscriber.tag_added" | "subscriber.tag_removed" | "import.completed" | "import.failed" | "bulk_change.completed" | "bulk_change.failed" | "bulk_change.canceled" | "bulk_change.undone" | "campaign.created" | "campaign.updated" | "campaign.deleted" | "campaign.scheduled" | "campaign.unscheduled" | "campaign.sending" | "campaign.paused" | "campaign.warned" | "campaign.resumed" | "campaign.sent" | "campaign.canceled" | "campaign.failed" | "email.queued" | "email.sent" | "email.deferred" | "email.bounced" | "email.complained" | "email.failed" | "email.opened" | "email.clicked" | "bounces.held" | "bounces.released" | "bounces.dismissed" | "template.created" | "template.updated" | "template.published" | "template.deleted" | "transport.created" | "transport.updated" | "transport.deleted" | "inbound.mailbox_created" | "inbound.mailbox_updated" | "inbound.mailbox_deleted" | "inbound.mailbox_failing" | "inbound.mailbox_recovered" | "file.created" | "file.deleted")[]; cursor?: string };
    body: undefined;
    answer: unknown;
  };
};
