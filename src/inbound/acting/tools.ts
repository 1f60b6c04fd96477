import type { SourceOwner } from "../../delivery/delivery.ts";
import type { Secrets } from "../../platform/secrets.ts";
import type { MatchTools } from "../matching/match.ts";
import type { StormWatch } from "../storms/storms.ts";

/** What acting needs beside the context. A process has one of each. */
export type ActingTools = MatchTools & {
  readonly secrets: Secrets;
  readonly owner: SourceOwner;
  readonly storms: StormWatch;
};
