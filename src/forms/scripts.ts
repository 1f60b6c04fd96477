/** The scripts that browsers get: one for the form's own page, and one for each form that is shown on another site. */
import { readFileSync } from "node:fs";
import { formForScript, type SignUpForm } from "../public-pages/public-pages.ts";

/** Each file is a module on disk, so that tools understand it; what is sent is one plain script without names of its own. */
function readScript(name: string): string {
  return readFileSync(new URL(`browser/${name}`, import.meta.url), "utf8")
    .replaceAll(/^import .*\n/gm, "")
    .replaceAll(/^export /gm, "")
    .replaceAll(/^\s*(?:\/\/|\/\*\*).*\n/gm, "")
    .replaceAll(/^\s+/gm, "");
}

const proof = readScript("proof.js");
const embed = readScript("embed.js");

export const pageScript = `(()=>{${proof}${readScript("page.js")}})();`;

export function embedScript(form: SignUpForm, formId: string): string {
  return `(()=>{${proof}${embed}showForm(${JSON.stringify(formForScript(form, formId))},document.currentScript)})();\n`;
}
