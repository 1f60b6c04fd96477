/** Lists every rule that a mail must pass. */
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

export { isFreeMail } from "./free-mail.ts";
export type { Rule } from "./rule.ts";

/**
 * Returns the rules in the order in which findings of one severity are reported. Those on client support need a file
 * of measurements, which is read at the first call.
 */
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
