import { defineProblem } from "../platform/problems.ts";

export const MOST_WEBHOOKS = 20;

export const tooManyWebhooks = defineProblem(
  409,
  "too_many_webhooks",
  "Too many webhooks",
  `An account has at most ${MOST_WEBHOOKS} endpoints. Delete one, or have one endpoint take more types of event.`,
);
export const replayRunning = defineProblem(
  409,
  "replay_running",
  "A replay runs",
  "An endpoint has one replay at a time. `replay` of the endpoint says how far it is.",
);
export const webhookDisabled = defineProblem(
  409,
  "webhook_disabled",
  "Disabled",
  "The endpoint is disabled, so nothing is posted to it. Enable it first.",
);
export const eventGone = defineProblem(
  409,
  "event_gone",
  "No longer kept",
  "The events of this delivery are older than 30 days and no longer kept, so it can't be posted again.",
);
export const secretUnreadable = defineProblem(
  409,
  "secret_unreadable",
  "Secret unreadable",
  "The endpoint's secret was sealed under a SECRET_KEY that is gone, so nothing can be signed. Replace the secret.",
);
