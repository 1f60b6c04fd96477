/** Says how the jobs of mail by provider are run, for the `jobs` role. */
import { defineJob } from "../../platform/jobs/jobs.ts";
import { watchAllProviders } from "./watch.ts";

/** It is for a timer. */
export const watchProvidersJob = defineJob<Record<string, never>>({
  name: "watch_providers",
  run: watchAllProviders,
});
