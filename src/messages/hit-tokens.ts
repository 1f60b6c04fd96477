import type { HitTokens } from "./links/links.ts";
import { modeOfRevision, type Revision } from "./revision.ts";
import { isTrackedInPerson } from "./tracking-mode.ts";

/**
 * Chooses the tokens of one copy's pixel and links. Where an address depends on the recipient, also the links of somebody who refused
 * must say whom they lead; their clicks are counted as nobody's all the same. Other modes than `individual` have no such links.
 */
export function createHitTokens(
  revision: Revision,
  aggregate: () => string,
): (token: string, consent: boolean | null) => HitTokens {
  const mode = modeOfRevision(revision);
  const leadEachElsewhere = revision.compiled.links.some(({ liquid }) => liquid !== undefined);
  return (token, consent) => {
    if (isTrackedInPerson(mode, consent)) return { pixel: token, links: token };
    const pixel = aggregate();
    return { pixel, links: mode === "individual" && leadEachElsewhere ? token : pixel };
  };
}
