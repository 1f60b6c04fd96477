/** Every word that people read comes from here. English is complete; another language is another file like `en.ts`. */
import i18next from "i18next";
import { initReactI18next } from "react-i18next";
import { en } from "./en.ts";

export const LANGUAGE = "en-GB";

/** Embeddings, overrides and isolates, with their ends (UAX 9). */
const BIDI_CONTROLS = /[\u202A-\u202E\u2066-\u2069]/g;

void i18next.use(initReactI18next).init({
  lng: "en",
  fallbackLng: "en",
  resources: { en: { translation: en } },
  // All words are in the bundle, so nothing is waited for.
  initAsync: false,
  // React escapes markup. What somebody named themselves must not turn around the words after it, though.
  interpolation: { escape: (value: string) => value.replaceAll(BIDI_CONTROLS, "") },
});

declare module "i18next" {
  interface CustomTypeOptions {
    defaultNS: "translation";
    resources: { translation: typeof en };
  }
}
