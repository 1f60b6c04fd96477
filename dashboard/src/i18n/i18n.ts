/** Every word that people read comes from here. English is complete; another language is another file like `en.ts`. */
import i18next from "i18next";
import { initReactI18next } from "react-i18next";
import { en } from "./en.ts";
import type { automations } from "./later/automations/automations.ts";
import type { automationCanvas } from "./later/automations/canvas.ts";
import type { automationEnrolling } from "./later/automations/enrolling.ts";
import type { automationLifecycle } from "./later/automations/lifecycle.ts";
import type { automationRuns } from "./later/automations/runs.ts";
import type { automationTrials } from "./later/automations/simulating.ts";
import type { automationStarts } from "./later/automations/starts.ts";
import type { automationSteps } from "./later/automations/steps.ts";
import type { automationVersions } from "./later/automations/versions.ts";
import type { billingLines } from "./later/billing-lines.ts";
import type { campaigns } from "./later/campaigns/campaigns.ts";
import type { recipients } from "./later/campaigns/recipients.ts";
import type { report } from "./later/campaigns/report.ts";
import type { sending } from "./later/campaigns/sending.ts";
import type { deliverability } from "./later/deliverability.ts";
import type { domains } from "./later/domains.ts";
import type { emails } from "./later/emails.ts";
import type { eventTypes } from "./later/event-types.ts";
import type { forms } from "./later/forms.ts";
import type { holds } from "./later/holds.ts";
import type { identity } from "./later/identity.ts";
import type { importWizard } from "./later/import-wizard.ts";
import type { inbound } from "./later/inbound.ts";
import type { planFeatureWords } from "./later/plan-features.ts";
import type { accountDataWords } from "./later/settings/account-data.ts";
import type { addressWords } from "./later/settings/address.ts";
import type { audit } from "./later/settings/audit.ts";
import type { billingWords } from "./later/settings/billing.ts";
import type { failoverWords } from "./later/settings/failover.ts";
import type { instanceWords } from "./later/settings/instance.ts";
import type { pageWords } from "./later/settings/page-words.ts";
import type { securityWords } from "./later/settings/security.ts";
import type { ssoWords } from "./later/settings/single-sign-on.ts";
import type { usageWords } from "./later/settings/usage.ts";
import type { warmupWords } from "./later/settings/warmup.ts";
import type { signUp } from "./later/sign-up.ts";
import type { webhooks } from "./later/webhooks.ts";
import type { blocksEditor } from "./later/writing/blocks-editor.ts";
import type { composer } from "./later/writing/composer.ts";
import type { editor } from "./later/writing/editor.ts";
import type { mailPreview } from "./later/writing/mail-preview.ts";
import type { mailStyle } from "./later/writing/mail-style.ts";
import type { templates } from "./later/writing/templates.ts";

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

type LaterWords = typeof accountDataWords &
  typeof addressWords &
  typeof failoverWords &
  typeof warmupWords &
  typeof audit &
  typeof automations &
  typeof automationCanvas &
  typeof automationEnrolling &
  typeof automationLifecycle &
  typeof automationRuns &
  typeof automationVersions &
  typeof importWizard &
  typeof automationStarts &
  typeof automationSteps &
  typeof automationTrials &
  typeof billingLines &
  typeof billingWords &
  typeof planFeatureWords &
  typeof blocksEditor &
  typeof campaigns &
  typeof composer &
  typeof editor &
  typeof emails &
  typeof mailPreview &
  typeof mailStyle &
  typeof recipients &
  typeof report &
  typeof securityWords &
  typeof sending &
  typeof signUp &
  typeof ssoWords &
  typeof templates &
  typeof usageWords &
  typeof forms &
  typeof holds &
  typeof identity &
  typeof inbound &
  typeof instanceWords &
  typeof pageWords &
  typeof deliverability &
  typeof domains &
  typeof eventTypes &
  typeof webhooks;

declare module "i18next" {
  interface CustomTypeOptions {
    defaultNS: "translation";
    resources: { translation: typeof en & LaterWords };
  }
}
