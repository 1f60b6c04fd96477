/** Renders a frozen revision as a page: as it was sent to somebody, or for the whole world. */
import { randomUUID } from "node:crypto";
import {
  type ContentFault,
  type ContentWorkers,
  escapeHtml,
  type LinkMark,
  markLinks,
  prepareLink,
} from "../content/content.ts";
import { fillSlots } from "../mail/mime/pieces.ts";
import { type MergeValues, NO_MERGE_VALUES } from "../subscribers/subscribers.ts";
import type { RenderedMessage } from "./checking/checking.ts";
import { type HitTokens, INERT_TOKEN, linksFor, type MailLinks, NO_URLS } from "./links/links.ts";
import type { Revision } from "./revision.ts";

/** A picture of one pixel that is fetched from nowhere: looking at the page is no open of the mail. */
const NO_PIXEL = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";

type Workers = Pick<ContentWorkers, "render">;
type Rendered = { ok: true; message: RenderedMessage } | { ok: false; fault: ContentFault };

/** The links in it are those of the mail, so that clicks on the page count as those in the mail do. */
export function renderRevision(
  workers: Workers,
  accountId: string,
  revision: Revision,
  subscriber: MergeValues,
  { token, hitTokens }: { readonly token: string; readonly hitTokens: HitTokens },
): Promise<Rendered> {
  const urls = { ...linksFor(revision.publicUrl, token, hitTokens), pixel: NO_PIXEL };
  return render(workers, accountId, revision, subscriber, urls);
}

/**
 * The mail as nobody in particular gets it: the template's own defaults show, links lead straight to the author's addresses,
 * and what is personal in a mail leads to the pages given.
 */
export function renderForNobody(
  workers: Workers,
  accountId: string,
  revision: Revision,
  pages: { readonly archive: string; readonly mail: string },
): Promise<Rendered> {
  const { archive, mail } = pages;
  const urls = { unsubscribe: archive, preferences: archive, view: mail };
  return renderWithTargets(workers, accountId, revision, NO_MERGE_VALUES, urls);
}

/**
 * Renders the mail as its author looks at it later: links show where they lead, and those that act for somebody lead nowhere. Links
 * may be marked, by their number.
 */
export function renderForAuthor(
  workers: Workers,
  accountId: string,
  revision: Revision,
  subscriber: MergeValues | null,
  markOf?: MarkOf,
): Promise<Rendered> {
  const urls = linksFor(revision.publicUrl, INERT_TOKEN);
  return renderWithTargets(workers, accountId, revision, subscriber ?? NO_MERGE_VALUES, urls, markOf);
}

type MarkOf = (number: number) => LinkMark | undefined;

async function renderWithTargets(
  workers: Workers,
  accountId: string,
  revision: Revision,
  subscriber: MergeValues,
  { unsubscribe, preferences, view }: Pick<MailLinks, "unsubscribe" | "preferences" | "view">,
  markOf?: MarkOf,
): Promise<Rendered> {
  // No author can have written this address, so that each link is found by it and its number.
  const linkBase = `https://${randomUUID()}.invalid/`;
  const urls = { unsubscribe, preferences, view, linkBase, pixel: NO_PIXEL };
  const rendered = await render(workers, accountId, revision, subscriber, urls);
  if (!rendered.ok) return rendered;
  const { subject, text } = rendered.message;
  const html =
    rendered.message.html &&
    (markOf ? markLinks(rendered.message.html, linkBase, markOf) : rendered.message.html);
  const targets = await findTargets(workers, accountId, revision, subscriber);
  const targetOf = (number: number) => targets[number] ?? view;
  const filled = html && fillLinks(html, linkBase, (number) => escapeHtml(targetOf(number)));
  const plain = fillLinks(text, linkBase, targetOf);
  if (filled === undefined || plain === undefined) return { ok: false, fault: OVERGROWN };
  return { ok: true, message: { subject, html: filled, text: plain } };
}

/** A mail has a few addresses with Liquid; beyond so many the rest lead to the mail itself. */
const MOST_LIQUID_ADDRESSES = 100;

/** Where each link leads this subscriber; undefined for what leads only recipients, and machines. */
async function findTargets(
  workers: Workers,
  accountId: string,
  { compiled, list, campaign, postalAddress }: Revision,
  subscriber: MergeValues,
): Promise<readonly (string | undefined)[]> {
  const recipient = { subscriber, list, campaign, postalAddress, urls: NO_URLS };
  const withLiquid = new Set(compiled.links.filter(({ liquid }) => liquid).slice(0, MOST_LIQUID_ADDRESSES));
  return Promise.all(
    compiled.links.map(async (link) => {
      if (link.isHoneypot) return undefined;
      if (!link.isDynamic) return link.target ?? link.url;
      if (!link.liquid || !withLiquid.has(link)) return undefined;
      const content = prepareLink(link.liquid);
      const rendered = await workers.render(content.compiled, recipient, accountId);
      return rendered.ok ? content.toLocation(rendered.values) : undefined;
    }),
  );
}

const MOST_CHARACTERS = 5_000_000;
const OVERGROWN: ContentFault = {
  code: "too_large",
  part: null,
  line: null,
  column: null,
  detail: "With the addresses of its links the mail grew beyond 5,000,000 characters.",
};

/** Puts an address in the place of each number. In a loop one long address makes gigabytes of a small mail: undefined then. */
function fillLinks(text: string, linkBase: string, targetOf: (number: number) => string): string | undefined {
  const [first = "", ...rest] = text.split(linkBase);
  const parts = [first];
  let length = first.length;
  for (const part of rest) {
    const [number = ""] = /^\d*/.exec(part) ?? [];
    const filled = targetOf(Number(number)) + part.slice(number.length);
    length += filled.length;
    if (length > MOST_CHARACTERS) return undefined;
    parts.push(filled);
  }
  return parts.join("");
}

async function render(
  workers: Workers,
  accountId: string,
  { compiled, list, campaign, postalAddress }: Revision,
  subscriber: MergeValues,
  urls: MailLinks,
): Promise<Rendered> {
  const recipient = { subscriber, list, campaign, postalAddress, urls };
  const rendered = await workers.render(compiled, recipient, accountId);
  if (!rendered.ok) return rendered;
  const { values } = rendered;
  return {
    ok: true,
    message: {
      subject: fillSlots(compiled.subject, values),
      html: compiled.html && fillSlots(compiled.html, values),
      text: fillSlots(compiled.text, values),
    },
  };
}
