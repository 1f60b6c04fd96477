/** Measures automations: what waiting runs cost, how fast steps are taken and mails queued, how soon, and what publishing, sums, rules relative to now and an installation's first minutes take. */
import type { Bench } from "../harness/bench.ts";
import { emailsFigures } from "./emails.ts";
import { freshFigures } from "./fresh.ts";
import { judgingFigures } from "./judging.ts";
import { latencyFigures } from "./latency.ts";
import { publishFigures } from "./publish.ts";
import { stepsFigures } from "./steps.ts";
import { waitingFigures } from "./waiting.ts";

export const automationsBench: Bench = {
  name: "automations",
  summary:
    "10 million waiting runs, steps against a bare update, e-mail steps against planning, how soon, publishing, sums, rules relative to now, and first minutes",
  parts: ["waiting", "steps", "emails", "latency", "publish", "judging", "fresh"],
  async *run(setting) {
    const has = (part: string) => !setting.part || setting.part === part;
    if (has("waiting")) yield* waitingFigures(setting);
    if (has("steps")) yield* stepsFigures(setting);
    if (has("emails")) yield* emailsFigures(setting);
    if (has("latency")) yield* latencyFigures(setting);
    if (has("publish")) yield* publishFigures(setting);
    if (has("judging")) yield* judgingFigures(setting);
    if (has("fresh")) yield* freshFigures(setting);
  },
};
