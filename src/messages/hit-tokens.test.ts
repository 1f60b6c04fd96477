import assert from "node:assert/strict";
import { test } from "node:test";
import { createHitTokens } from "./hit-tokens.ts";
import type { Revision } from "./revision.ts";
import type { TrackingMode } from "./tracking-mode.ts";

const OWN = "own";
const SHARED = "shared";

function tokensIn(mode: TrackingMode, hasLiquidLink: boolean, consent: boolean | null) {
  const links = hasLiquidLink ? [{ liquid: {} }] : [{}];
  const revision = { tracking: { opens: true, clicks: true, mode }, compiled: { links } };
  return createHitTokens(revision as unknown as Revision, () => SHARED)(OWN, consent);
}

test("whoever is tracked in person has their own token everywhere", () => {
  assert.deepEqual(tokensIn("individual", true, null), { pixel: OWN, links: OWN });
  assert.deepEqual(tokensIn("consented", false, true), { pixel: OWN, links: OWN });
});

test("whoever isn't has the token that all share", () => {
  assert.deepEqual(tokensIn("individual", false, false), { pixel: SHARED, links: SHARED });
  assert.deepEqual(tokensIn("consented", false, null), { pixel: SHARED, links: SHARED });
  assert.deepEqual(tokensIn("aggregate", true, true), { pixel: SHARED, links: SHARED });
});

test("a link whose address depends on the recipient leads also those who refused where it should", () => {
  assert.deepEqual(tokensIn("individual", true, false), { pixel: SHARED, links: OWN });
});
