/** Subjects and preview texts as the archive shows them. Where they hold Liquid, they are rendered for nobody, once. */
import type { ContentFault, ContentWorkers } from "../../content/content.ts";
import { fillSlots } from "../../mail/mime/pieces.ts";
import { NO_URLS } from "../../messages/messages.ts";
import { createConcurrencyLimit } from "../../platform/concurrency-limit.ts";
import { toPublicId } from "../../platform/ids.ts";
import { createLruCache } from "../../platform/lru-cache.ts";
import { type ListRow, NO_MERGE_VALUES } from "../../subscribers/subscribers.ts";
import type { ArchivedMail } from "./archived-mails.ts";

type Heading = { readonly subject: string; readonly summary: string | null };

export type Headings = {
  /** In the order of the mails. */
  of(list: ListRow, mails: readonly ArchivedMail[]): Promise<Heading[]>;
};

/** Of both texts, each at most a thousand characters: some megabytes. */
const MOST_KEPT = 2_000;
/** One page must not take all threads from those who send. */
const AT_ONCE = 2;
const MOST_WAITING = 500;
const UNTRACKED = { opens: false, clicks: false };

export function createHeadings(workers: Pick<ContentWorkers, "compile" | "render">): Headings {
  const known = createLruCache<Heading>(MOST_KEPT);
  const inTurn = createConcurrencyLimit({
    atOnce: AT_ONCE,
    mostWaiting: MOST_WAITING,
    refuse: () => new Crowded(),
  });

  /** Answers undefined where it may be tried again later. */
  async function render(list: ListRow, mail: ArchivedMail): Promise<Heading | undefined> {
    const { id, name, subject, previewText } = mail;
    const source = {
      subject,
      text: previewText ?? "",
      preheader: null,
      html: null,
      mjml: null,
      footer: null,
      tracking: UNTRACKED,
      links: { utm: null, ownUrl: null, honeypot: false, areTokensPersonal: false },
    };
    const made = await workers.compile(source, list.account_id);
    if (!made.ok) return made.faults.some(isPassing) ? undefined : withoutLiquid(mail);
    const recipient = {
      subscriber: NO_MERGE_VALUES,
      list: { id: toPublicId("lst", list.id), name: list.name },
      campaign: { id: toPublicId("cmp", id), name },
      postalAddress: list.postal_address,
      urls: NO_URLS,
    };
    const rendered = await workers.render(made.compiled, recipient, list.account_id);
    if (!rendered.ok) return isPassing(rendered.fault) ? undefined : withoutLiquid(mail);
    return {
      subject: fillSlots(made.compiled.subject, rendered.values),
      summary: previewText === null ? null : fillSlots(made.compiled.text, rendered.values),
    };
  }

  async function headingOf(list: ListRow, mail: ArchivedMail): Promise<Heading> {
    const { id, subject, previewText } = mail;
    if (!LIQUID.test(subject + (previewText ?? ""))) return { subject, summary: previewText };
    const key = `${list.account_id} ${id}`;
    const found = known.get(key) ?? (await inTurn(() => render(list, mail)).catch(passOver));
    // What can't be rendered is kept too: trying it anew for each visitor would cost as much each time.
    if (found) known.set(key, found);
    return found ?? withoutLiquid(mail);
  }

  return { of: (list, mails) => Promise.all(mails.map((mail) => headingOf(list, mail))) };
}

class Crowded extends Error {}

function passOver(error: unknown): undefined {
  if (!(error instanceof Crowded)) throw error;
}

function isPassing({ code }: ContentFault): boolean {
  return code === "worker_failed";
}

const LIQUID = /\{[{%]/;

/** What stands between the Liquid, which is as near as one gets to a text that can't be rendered. */
function withoutLiquid({ subject, previewText }: ArchivedMail): Heading {
  const cut = (text: string) => text.replaceAll(/\{\{.*?\}\}|\{%.*?%\}/gs, "");
  return { subject: cut(subject), summary: previewText === null ? null : cut(previewText) };
}
