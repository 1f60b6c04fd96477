/** The mails of the archive as HTML. A mail that was sent never changes, so each is rendered once and kept for a while. */
import type { ContentWorkers } from "../../content/content.ts";
import { listSourceRevisions } from "../../delivery/delivery.ts";
import { type Revision, readRevision, renderForNobody } from "../../messages/messages.ts";
import { createByteCache } from "../../platform/byte-cache.ts";
import { createConcurrencyLimit } from "../../platform/concurrency-limit.ts";
import type { Db } from "../../platform/db/db.ts";
import { toHtml } from "../../public-pages/public-pages.ts";

/** `busy`: it may be tried again. `failed`: it can't be rendered for nobody, however often. */
type ArchivedDocument =
  | { readonly kind: "rendered"; readonly content: Buffer }
  | { readonly kind: "busy" | "failed"; readonly content: Buffer };

export type Documents = {
  read(
    accountId: string,
    campaignId: string,
    urls: { readonly archive: string; readonly mail: string },
  ): Promise<ArchivedDocument>;
};

const CACHE_BYTES = 32 * 1_048_576;
/** One mail that takes long must not take all threads from those who send. */
const AT_ONCE = 2;
const MOST_WAITING = 200;
const BUSY = { kind: "busy", content: Buffer.alloc(0) } as const;
/** What failed is kept by the same bound, so it counts for what its entry takes. */
const FAILED = { kind: "failed", content: Buffer.alloc(1_024) } as const;

export function createDocuments(db: Db, workers: Pick<ContentWorkers, "render">): Documents {
  const known = createByteCache<ArchivedDocument>(CACHE_BYTES);
  const rendering = new Map<string, Promise<ArchivedDocument>>();
  const inTurn = createConcurrencyLimit({
    atOnce: AT_ONCE,
    mostWaiting: MOST_WAITING,
    refuse: () => new Busy(),
  });

  async function render(
    accountId: string,
    revisionId: string,
    urls: { readonly archive: string; readonly mail: string },
  ): Promise<ArchivedDocument> {
    const revision = (await readRevision(db, accountId, revisionId)) as Revision;
    const rendered = await renderForNobody(workers, accountId, revision, urls);
    if (!rendered.ok) {
      return rendered.fault.code === "worker_failed" ? BUSY : FAILED;
    }
    const { html, text } = rendered.message;
    return { kind: "rendered", content: Buffer.from(html ?? toHtml(text)) };
  }

  /** Whoever asks for the same mail at the same time waits for one rendering. */
  function renderOnce(key: string, work: () => Promise<ArchivedDocument>): Promise<ArchivedDocument> {
    const begun = rendering.get(key) ?? inTurn(work).finally(() => rendering.delete(key));
    rendering.set(key, begun);
    return begun;
  }

  return {
    async read(accountId, campaignId, urls) {
      const sources = await listSourceRevisions(db, accountId, campaignId);
      // Of several tries the last one is what was sent in the end.
      const revisionId = sources.at(-1)?.revisionId;
      if (revisionId === undefined) return FAILED;
      const key = `${accountId} ${revisionId} ${urls.mail}`;
      const kept = known.get(key);
      if (kept) return kept;
      try {
        const made = await renderOnce(key, () => render(accountId, revisionId, urls));
        if (made.kind !== "busy") known.set(key, made);
        return made;
      } catch (error) {
        if (error instanceof Busy) return BUSY;
        throw error;
      }
    },
  };
}

class Busy extends Error {}
