/** Every rule that a mail is held against. Findings of one severity are reported in the order of this list. */
import { loadFeatures } from "./client-support.ts";
import { clientSupportRules } from "./client-support-rules.ts";
import { contrastRules } from "./contrast-rules.ts";
import { documentRules } from "./document-rules.ts";
import { headerRules } from "./header-rules.ts";
import { imageRules } from "./image-rules.ts";
import { linkRules } from "./link-rules.ts";
import { obligationRules } from "./obligation-rules.ts";
import type { Rule } from "./rule.ts";
import { spamRules } from "./spam-rules.ts";
import { variableRules } from "./variable-rules.ts";

export type { Rule } from "./rule.ts";

/** The rules on client support need a file of measurements, which is read at the first call. */
export async function listRules(): Promise<readonly Rule[]> {
  return [
    ...headerRules,
    ...obligationRules,
    ...documentRules,
    ...variableRules,
    ...linkRules,
    ...imageRules,
    ...contrastRules,
    ...spamRules,
    ...clientSupportRules(await loadFeatures()),
  ];
}
