/** Every word that people read comes from here. English is complete; another language is another file like `en.ts`. */
import i18next from "i18next";
import { initReactI18next } from "react-i18next";
import { en } from "./en.ts";

export const LANGUAGE = "en-GB";

void i18next.use(initReactI18next).init({
  lng: "en",
  fallbackLng: "en",
  resources: { en: { translation: en } },
  // All words are in the bundle, so nothing is waited for.
  initAsync: false,
  interpolation: { escapeValue: false },
});

declare module "i18next" {
  interface CustomTypeOptions {
    defaultNS: "translation";
    resources: { translation: typeof en };
  }
}
