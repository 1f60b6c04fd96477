// Made by `npm run client-types` from the OpenAPI document. Don't edit it: `npm run check` compares.

import type { AccessOperations } from "./openapi/access.ts";
import type { AuditOperations } from "./openapi/audit.ts";
import type { SessionsOperations } from "./openapi/sessions.ts";
import type { EventsOperations } from "./openapi/events.ts";
import type { InstanceOperations } from "./openapi/instance.ts";
import type { SubscribersOperations } from "./openapi/subscribers.ts";
import type { TransfersOperations } from "./openapi/transfers.ts";
import type { TopicsOperations } from "./openapi/topics.ts";
import type { SegmentsOperations } from "./openapi/segments.ts";
import type { SendingOperations } from "./openapi/sending.ts";
import type { DomainsOperations } from "./openapi/domains.ts";
import type { ContentOperations } from "./openapi/content.ts";
import type { TemplatesOperations } from "./openapi/templates.ts";
import type { CampaignsOperations } from "./openapi/campaigns.ts";
import type { EmailsOperations } from "./openapi/emails.ts";
import type { FormsOperations } from "./openapi/forms.ts";
import type { InboundOperations } from "./openapi/inbound.ts";
import type { DeliverabilityOperations } from "./openapi/deliverability.ts";
import type { WebhooksOperations } from "./openapi/webhooks.ts";

export type * from "./openapi/access.ts";
export type * from "./openapi/audit.ts";
export type * from "./openapi/sessions.ts";
export type * from "./openapi/events.ts";
export type * from "./openapi/instance.ts";
export type * from "./openapi/subscribers.ts";
export type * from "./openapi/transfers.ts";
export type * from "./openapi/topics.ts";
export type * from "./openapi/segments.ts";
export type * from "./openapi/sending.ts";
export type * from "./openapi/domains.ts";
export type * from "./openapi/content.ts";
export type * from "./openapi/templates.ts";
export type * from "./openapi/campaigns.ts";
export type * from "./openapi/emails.ts";
export type * from "./openapi/forms.ts";
export type * from "./openapi/inbound.ts";
export type * from "./openapi/deliverability.ts";
export type * from "./openapi/webhooks.ts";
export type * from "./openapi/common.ts";

export interface Operations
  extends AccessOperations,
    AuditOperations,
    SessionsOperations,
    EventsOperations,
    InstanceOperations,
    SubscribersOperations,
    TransfersOperations,
    TopicsOperations,
    SegmentsOperations,
    SendingOperations,
    DomainsOperations,
    ContentOperations,
    TemplatesOperations,
    CampaignsOperations,
    EmailsOperations,
    FormsOperations,
    InboundOperations,
    DeliverabilityOperations,
    WebhooksOperations {}
