/** Describes the messages of the sandbox as the API returns them. */
import { Type } from "typebox";
import { Nullable, Page, PublicId, Timestamp } from "../../platform/http/schemas.ts";

const SandboxProperties = {
  object: Type.Literal("sandbox_message"),
  id: PublicId("msg"),
  campaign_id: Nullable(PublicId("cmp", "null for a test message, and for transactional mail.")),
  email_id: Nullable(PublicId("msg", "The transactional mail that it is a copy of; null for other mail.")),
  from: Type.String({ description: "The sender of the envelope." }),
  to: Type.String({ description: "The recipient of the envelope.", examples: ["ada@example.com"] }),
  subject: Nullable(Type.String()),
  created_at: Timestamp,
  updated_at: Timestamp,
};

const SandboxSummary = Type.Object(SandboxProperties, { title: "SandboxMessageSummary" });
export const SandboxPage = Page(SandboxSummary, "SandboxMessagePage");

export const SandboxMessage = Type.Object(
  {
    ...SandboxProperties,
    headers: Type.Array(Type.Object({ name: Type.String(), value: Type.String() }), {
      description: "As they stand in the message, decoded, in their order.",
    }),
    html: Nullable(Type.String()),
    text: Nullable(Type.String()),
    size: Type.Integer({ description: "In bytes." }),
  },
  { title: "SandboxMessage" },
);
