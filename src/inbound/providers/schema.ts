import { type Static, Type } from "typebox";
import {
  Name,
  Nullable,
  oneOf,
  Page,
  PageQuery,
  PublicId,
  Strict,
  Timestamp,
} from "../../platform/http/schemas.ts";
import { PROVIDERS } from "../types.ts";
import { REFUSALS, type Refusal } from "./signatures/timeliness.ts";

const Secret = Type.String({
  minLength: 1,
  maxLength: 1_000,
  pattern: "^[^\\u0000\\r\\n]+$",
  writeOnly: true,
  description:
    "Mailgun: the HTTP webhook signing key. SendGrid: the verification key of the signed event webhook. Both are needed. " +
    "Postmark, Brevo, SparkPost: `user:password` for basic authentication, or a token that comes as a bearer token or in " +
    "`X-Webhook-Token`; without it, the URL is what proves who posts. SES needs none, since SNS signs. Kept encrypted.",
});

const Fields = {
  object: Type.Literal("inbound_endpoint"),
  id: PublicId("iep"),
  provider: oneOf(PROVIDERS),
  name: Name(200, "Our SES account"),
  has_secret: Type.Boolean({ description: "The secret itself is never shown." }),
  topic_arn: Nullable(
    Type.String({ description: "The SNS topic that was confirmed first. Nothing of another one is taken." }),
  ),
  last_received_at: Nullable(Timestamp),
  last_refused_at: Nullable(Timestamp),
  last_refused_why: Type.Unsafe<Refusal | null>({
    type: ["string", "null"],
    enum: [...REFUSALS, null],
    description: "Why a request with the right URL was refused.",
  }),
  created_at: Timestamp,
  updated_at: Timestamp,
};

export const InboundEndpoint = Type.Object(Fields, { title: "InboundEndpoint" });
export type InboundEndpoint = Static<typeof InboundEndpoint>;
export const InboundEndpointPage = Page(InboundEndpoint, "InboundEndpointPage");
export const InboundEndpointQuery = PageQuery({});

export const InboundEndpointWithUrl = Type.Object(
  {
    ...Fields,
    url: Type.String({
      description: "What the provider is to post to. It is shown only now: whoever knows it can post.",
      examples: ["https://mail.example.com/inbound/ses/pri_…"],
    }),
  },
  { title: "InboundEndpointWithUrl" },
);
export type InboundEndpointWithUrl = Static<typeof InboundEndpointWithUrl>;

export const InboundEndpointCreate = Strict(
  {
    provider: oneOf(PROVIDERS),
    name: Type.Optional(Name(200, "Our SES account")),
    secret: Type.Optional(Secret),
  },
  { title: "InboundEndpointCreate", examples: [{ provider: "ses", name: "Our SES account" }] },
);
export type InboundEndpointCreate = Static<typeof InboundEndpointCreate>;

export const InboundEndpointRotate = Strict(
  { secret: Type.Optional(Secret) },
  { title: "InboundEndpointRotate", examples: [{}] },
);
export type InboundEndpointRotate = Static<typeof InboundEndpointRotate>;
