/** This route gives an automation the secret by which receivers know that its webhook steps are ours. */
import { type Static, Type } from "typebox";
import { type Route, writeRoute } from "../../platform/http/route.ts";
import { Nullable, PublicId, Timestamp } from "../../platform/http/schemas.ts";
import { toPublicId } from "../../platform/ids.ts";
import type { Secrets } from "../../platform/secrets.ts";
import { automationId, Params, tag } from "../route-parts.ts";
import { rotateStepSecret } from "./secret.ts";

const StepSecret = Type.Object(
  {
    object: Type.Literal("automation_webhook_secret"),
    automation_id: PublicId("aut"),
    secret: Nullable(Type.String({ description: "Is shown in this answer alone.", examples: ["whsec_…"] })),
    previous_until: Nullable(Timestamp),
  },
  {
    title: "AutomationWebhookSecret",
    description: "What is posted is signed with the former secret too until `previous_until`.",
  },
);

export function webhookSecretRoutes({ secrets }: { readonly secrets: Secrets }): readonly Route[] {
  return [
    writeRoute({
      method: "POST",
      path: "/v1/automations/:id/rotate_webhook_secret",
      scope: "webhooks:write",
      audit: { action: "automation.webhook_secret_rotated", of: "path" },
      tag,
      summary: "Give an automation's webhook steps another secret",
      description:
        "Or their first one: until then what they post isn't signed. They are signed as Standard Webhooks says, as events are, and for a day with the " +
        "former secret too.",
      params: Params,
      success: { status: 200, schema: StepSecret, description: "The new secret." },
      shownOnce: ["secret"],
      async handler({ ctx, params }) {
        const id = automationId(params.id);
        const { secret, previousUntil } = await rotateStepSecret(ctx, secrets, id);
        const body: Static<typeof StepSecret> = {
          object: "automation_webhook_secret",
          automation_id: toPublicId("aut", id),
          secret,
          previous_until: previousUntil?.toISOString() ?? null,
        };
        return { status: 200, body };
      },
    }),
  ];
}
