/**
 * Writes the header fields by which a provider takes a value that its webhooks give back, and by which its own tracking of
 * opens and clicks is switched off. Providers remove them before they send the mail on.
 */
import type { HeaderField } from "../mime/mime.ts";
import type { Provider } from "./providers.ts";

/** Every provider takes letters and hyphens in a name, and Postmark at most 20 characters. */
export const METADATA_KEY = "return-path";

const FIELDS: Readonly<Record<Provider, (value: string) => Readonly<Record<string, string>>>> = {
  ses: (value) => ({ "X-SES-MESSAGE-TAGS": `${METADATA_KEY}=${value}` }),
  postmark: (value) => ({
    [`X-PM-Metadata-${METADATA_KEY}`]: value,
    // Postmark writes a Message-ID of its own otherwise.
    "X-PM-KeepID": "true",
    "X-PM-TrackOpens": "false",
    "X-PM-TrackLinks": "None",
  }),
  mailgun: (value) => ({
    "X-Mailgun-Variables": JSON.stringify({ [METADATA_KEY]: value }),
    "X-Mailgun-Track": "no",
    "X-Mailgun-Track-Opens": "no",
    "X-Mailgun-Track-Clicks": "no",
  }),
  sendgrid: (value) => ({
    "X-SMTPAPI": JSON.stringify({
      unique_args: { [METADATA_KEY]: value },
      filters: {
        clicktrack: { settings: { enable: 0 } },
        opentrack: { settings: { enable: 0 } },
        subscriptiontrack: { settings: { enable: 0 } },
        ganalytics: { settings: { enable: 0 } },
      },
    }),
  }),
  brevo: (value) => ({ "X-Mailin-custom": `${METADATA_KEY}:${value}`, "X-Mailin-Track": "0" }),
  sparkpost: (value) => ({
    "X-MSYS-API": JSON.stringify({
      metadata: { [METADATA_KEY]: value },
      options: { open_tracking: false, click_tracking: false },
    }),
  }),
};

/** `value` has letters and digits alone. */
export function metadataFields(provider: Provider, value: string): HeaderField[] {
  return Object.entries(FIELDS[provider](value)).map(([name, text]) => ({
    name,
    kind: "token",
    value: [text],
  }));
}
