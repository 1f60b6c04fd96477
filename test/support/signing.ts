/** What says that nothing is proved of any domain, for tests of mail that nobody signs. */
import type { SigningKeys } from "../../src/domains/domains.ts";

const NOTHING = { isProved: false, returnPath: null, trackingHost: null };

export const UNSIGNED: SigningKeys = {
  keysFor: async () => [],
  identityOf: async () => ({ ...NOTHING, keys: [] }),
  ofInstance: () => [],
  readFacts: async () => NOTHING,
};
