/** Every word that people read comes from here. English is complete; another language is another file like `en.ts`. */
import i18next from "i18next";
import { initReactI18next } from "react-i18next";
import { en } from "./en.ts";
import type { campaigns } from "./later/campaigns.ts";
import type { composer } from "./later/composer.ts";
import type { deliverability } from "./later/deliverability.ts";
import type { domains } from "./later/domains.ts";
import type { editor } from "./later/editor.ts";
import type { emails } from "./later/emails.ts";
import type { forms } from "./later/forms.ts";
import type { inbound } from "./later/inbound.ts";
import type { mailPreview } from "./later/mail-preview.ts";
import type { recipients } from "./later/recipients.ts";
import type { report } from "./later/report.ts";
import type { sending } from "./later/sending.ts";
import type { templates } from "./later/templates.ts";

export const LANGUAGE = "en-GB";

/** Embeddings, overrides and isolates, with their ends (UAX 9). */
const BIDI_CONTROLS = /[\u202A-\u202E\u2066-\u2069]/g;

void i18next.use(initReactI18next).init({
  lng: "en",
  fallbackLng: "en",
  resources: { en: { translation: en } },
  // Words are in the bundle, or come with the page that says them, so nothing is waited for.
  initAsync: false,
  // React escapes markup. What somebody named themselves must not turn around the words after it, though.
  interpolation: { escape: (value: string) => value.replaceAll(BIDI_CONTROLS, "") },
});

type LaterWords = typeof campaigns &
  typeof composer &
  typeof editor &
  typeof emails &
  typeof mailPreview &
  typeof recipients &
  typeof report &
  typeof sending &
  typeof templates &
  typeof forms &
  typeof inbound &
  typeof deliverability &
  typeof domains;

declare module "i18next" {
  interface CustomTypeOptions {
    defaultNS: "translation";
    resources: { translation: typeof en & LaterWords };
  }
}
