/**
 * A newsletter of 10 KB with 20 links and 5 variables, in the template language of each side, and people to send it
 * to.
 */
import { createHmac } from "node:crypto";
import type { ContentSource, MergeData } from "../../src/content/content.ts";
import type { MessageCopy } from "../../src/mail/mime/mime.ts";
import type { ReferenceCopy, ReferenceTemplate } from "../reference/liquidjs-mailcomposer.ts";

const LINKS = 20;

const sentence = "A sentence of a newsletter, neither short nor long, as they are. ";
const greeting = 'Hello {{ first_name | default: "there" }}';
const details = "{{ fields.city }}, {{ fields.plan | upcase }}, {{ list.name }}, {{ email }}";

/** Makes the HTML. `link` returns the `href` of a link by its number. */
function makeHtml(link: (number: number) => string, last: string): string {
  const blocks = Array.from({ length: LINKS }, (_, number) => {
    const text = `<p style="font:16px/24px sans-serif;color:#333333">${sentence.repeat(5)}</p>`;
    return `<tr><td>${text}<a href="${link(number)}">Read on, ${number}</a></td></tr>`;
  });
  return (
    `<!doctype html><html><body><h1>${greeting}</h1><p>${details}</p><table>${blocks.join("\n")}</table>` +
    `<a href="{{ unsubscribe_url }}">Unsubscribe</a>${last}</body></html>`
  );
}

function makeText(link: (number: number) => string): string {
  const blocks = Array.from(
    { length: LINKS },
    (_, number) => `${sentence.repeat(5)}\n\nRead on: ${link(number)}`,
  );
  return `${greeting}\n\n${details}\n\n${blocks.join("\n\n")}\n\nUnsubscribe: {{ unsubscribe_url }}`;
}

const subject = 'News for {{ first_name | default: "you" }}';

export const from = { name: "News", address: "news@example.org" };
export const listId = "lst-1.example.org";

export function ourNewsletter(): ContentSource {
  const link = (number: number) => `https://shop.example/item/${number}?from=news`;
  return {
    subject,
    preheader: null,
    html: makeHtml(link, ""),
    mjml: null,
    text: makeText(link),
    tracking: { opens: true, clicks: true },
    links: { utm: null, ownUrl: null, honeypot: false, areTokensPersonal: true },
    footer: { postalAddress: null, unsubscribeLabel: null },
  };
}

/** Makes the template with the same pixel as ours, because both sides must produce the same HTML. */
export function referenceNewsletter(): ReferenceTemplate {
  const link = (number: number) => `{{ link_base }}${number}`;
  const pixel =
    '<img src="{{ pixel_url }}" width="1" height="1" alt="" style="display:block;width:1px;height:1px;border:0">';
  return { from, listId, subject, html: makeHtml(link, pixel), text: makeText(link) };
}

/** The data that a row of a list has of one person; nothing of it is prepared for the mail yet. */
export type Person = { readonly number: number; readonly subscriber: MergeData["subscriber"] };

export function makePerson(number: number): Person {
  const subscriber = {
    email: `reader${number}@example.org`,
    first_name: number % 4 === 0 ? null : `Zoë ${number}`,
    last_name: null,
    fields: { city: "Köln", plan: "gold" },
  };
  return { number, subscriber };
}

const key = Buffer.alloc(32, 7);

/** Computes the one MAC of a message, in a token that all its addresses share. Both sides pay for it. */
function signUrls(number: number): MergeData["urls"] {
  const mac = createHmac("sha256", key).update(`campaign:${number}`).digest().subarray(0, 16);
  const token = `${number.toString(36)}.${mac.toString("base64url")}`;
  return {
    unsubscribe: `https://mail.example/u/${token}`,
    preferences: `https://mail.example/p/${token}`,
    view: `https://mail.example/v/${token}`,
    linkBase: `https://mail.example/c/${token}/`,
    pixel: `https://mail.example/o/${token}`,
  };
}

const list = { id: "lst_1", name: "News & more" };
const campaign = { name: "November" };
const FIRST_MS = Date.UTC(2026, 10, 14, 9, 30);

export function toRecipient({ number, subscriber }: Person): MergeData {
  return { subscriber, list, campaign, postalAddress: null, urls: signUrls(number) };
}

export function toCopy({ number, subscriber }: Person, values: readonly string[]): MessageCopy {
  return {
    to: [{ address: subscriber.email }],
    date: new Date(FIRST_MS + number * 1_000),
    messageId: `${number}.november@mail.example`,
    values,
  };
}

export function toReferenceCopy(person: Person): ReferenceCopy {
  const { subscriber, urls } = toRecipient(person);
  const { date, messageId } = toCopy(person, []);
  const scope = {
    email: subscriber.email,
    first_name: subscriber.first_name,
    fields: subscriber.fields,
    list,
    unsubscribe_url: urls.unsubscribe,
    link_base: urls.linkBase,
    pixel_url: urls.pixel,
  };
  return { to: subscriber.email, date, messageId, unsubscribeUrl: urls.unsubscribe, scope };
}
