/** What a script needs to show a form on another site, as data. */
import { brandColours } from "../document/brand-colours.ts";
import { ownColours, sheets } from "../document/style.ts";
import { formInputs, type SignUpForm } from "./form.ts";

/** It becomes part of a script, so it holds nothing but what is shown, and says it once. */
export function formForScript(form: SignUpForm, formId: string): object {
  const { words, sender } = form;
  const { trap, close, failed, tooMany, optional, privacy } = words.form;
  return {
    id: formId,
    action: form.action,
    lang: words.lang,
    dir: words.direction,
    title: form.title,
    intro: form.intro,
    fields: form.fields.map(({ name, label, type, isRequired, maxLength, autocomplete }) => ({
      name,
      label,
      type,
      required: isRequired,
      max: maxLength,
      autocomplete,
    })),
    consent: form.consent,
    tracking: form.tracking,
    button: form.button,
    note: form.note,
    privacy: form.privacyUrl,
    shown: form.shown,
    names: formInputs,
    words: { trap, close, failed, tooMany, optional, privacy },
    style: styleFor(sender.branding.colour),
  };
}

/** Letters and ground are the site's own; only the button has the account's colour. */
function styleFor(colour: string | null): string {
  const { ground, onGround, edge } = (brandColours(colour, sheets) ?? ownColours).light;
  return `*{box-sizing:border-box}:host{display:block;max-width:32em}
.body,form,.body div{display:grid;gap:6px;grid-template-columns:minmax(0,1fr);overflow-wrap:anywhere}.body,form{gap:16px}
[hidden]{display:none!important}h2,p{margin:0}h2{font-size:1.375em;line-height:1.25}h2:focus{outline:0}
label{font-weight:500}.tick{display:grid;grid-template-columns:20px minmax(0,1fr);gap:10px;font-weight:400}
input,button{font:inherit;color:inherit}input:not([type=checkbox]){width:100%;min-height:44px;padding:9px 11px;border:1px solid GrayText;border-radius:7px;background:Field;color:FieldText}
[type=checkbox]{width:18px;height:18px;margin:2px 0 0;accent-color:${ground}}
.main{min-height:44px;padding:10px 16px;border-radius:7px;border:1px solid ${edge};background:${ground};color:${onGround};font-weight:500;cursor:pointer}
.main[aria-disabled]{opacity:.6}:focus-visible{outline:2px solid;outline-offset:2px}
.fault{font-size:.875em;font-weight:500}.fault:empty{display:none}.fault::before{content:"⚠ "}[aria-invalid]{outline:2px solid}.small{font-size:.8125em}
dialog{width:min(468px,calc(100vw - 32px));max-height:calc(100vh - 32px);padding:32px;border:1px solid GrayText;border-radius:14px;background:Canvas;color:CanvasText;overflow:auto}
dialog h2{padding-inline-end:28px}dialog::backdrop{background:rgb(0 0 0/.5)}.close{position:absolute;top:8px;inset-inline-end:8px;width:44px;height:44px;border:0;background:none;font-size:1.5em;cursor:pointer}`;
}
