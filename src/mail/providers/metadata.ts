/**
 * Writes the header fields by which a provider takes a value that its webhooks give back, and by which its own tracking of
 * opens and clicks is switched off. Providers remove them before they send the mail on.
 */
import { formatField } from "../mime/headers.ts";
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

/**
 * Puts the fields in front of a message that is ready to be sent, and of its signatures, which don't cover them: the provider
 * takes them away. A field that the message has already is left as its author wrote it. `value` has letters and digits alone.
 */
export function addMetadata(provider: Provider, value: string, message: Buffer): Buffer {
  const end = message.indexOf("\r\n\r\n");
  const head = `\n${message.toString("latin1", 0, end < 0 ? message.length : end)}`.toLowerCase();
  const fields = Object.entries(FIELDS[provider](value))
    .filter(([name]) => !head.includes(`\n${name.toLowerCase()}:`))
    .map(([name, text]) => `${formatField({ name, kind: "token", value: text }, [])}\r\n`);
  return Buffer.concat([Buffer.from(fields.join("")), message]);
}
