/** A newsletter of 10 KB with 20 links and 5 variables, in the words of each side, and people to send it to. */
import type { ContentSource, Recipient } from "../../src/content/content.ts";
import type { ReferenceTemplate } from "../reference/liquidjs-mailcomposer.ts";

const LINKS = 20;

const sentence = "A sentence of a newsletter, neither short nor long, as they are. ";
const greeting = 'Hello {{ first_name | default: "there" }}';
const details = "{{ fields.city }}, {{ fields.plan | upcase }}, {{ list.name }}, {{ email }}";

/** `link` is what stands in the href of a number. */
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
  return `${greeting}\n\n${details}\n\n${blocks.join("\n\n")}\n\nUnsubscribe: {{ unsubscribe_url }}\n`;
}

const subject = 'News for {{ first_name | default: "you" }}';

export function ourNewsletter(): ContentSource {
  const link = (number: number) => `https://shop.example/item/${number}?from=news`;
  return {
    subject,
    preheader: null,
    html: makeHtml(link, ""),
    mjml: null,
    text: makeText(link),
    tracking: { opens: true, clicks: true },
    footer: { postalAddress: null, unsubscribeLabel: null },
  };
}

export function referenceNewsletter(): ReferenceTemplate {
  const link = (number: number) => `{{ link_base }}${number}`;
  const pixel = '<img src="{{ pixel_url }}" width="1" height="1" alt="">';
  return { subject, html: makeHtml(link, pixel), text: makeText(link) };
}

export function makeRecipient(number: number): Recipient {
  const token = `${number}`.padStart(24, "k3Jq");
  return {
    subscriber: {
      email: `reader${number}@example.org`,
      first_name: number % 4 === 0 ? null : `Zoë ${number}`,
      last_name: null,
      fields: { city: "Köln", plan: "gold" },
    },
    list: { id: "lst_1", name: "News & more" },
    campaign: { name: "November" },
    postalAddress: null,
    urls: {
      unsubscribe: `https://mail.example/u/${token}`,
      preferences: `https://mail.example/p/${token}`,
      view: `https://mail.example/v/${token}`,
      linkBase: `https://mail.example/c/${token}/`,
      pixel: `https://mail.example/o/${token}`,
    },
  };
}

export function referenceScope({ subscriber, list, urls }: Recipient) {
  return {
    email: subscriber.email,
    first_name: subscriber.first_name,
    fields: subscriber.fields,
    list,
    unsubscribe_url: urls.unsubscribe,
    link_base: urls.linkBase,
    pixel_url: urls.pixel,
  };
}
