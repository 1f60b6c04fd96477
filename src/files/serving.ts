/** `/files/{id}`: the images themselves, for mail programs and browsers. No key, no cookie, nothing of the account. */
import { hash } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { createByteCache } from "../platform/byte-cache.ts";
import { createConcurrencyLimit } from "../platform/concurrency-limit.ts";
import type { Queryable } from "../platform/db/db.ts";
import type { Listener } from "../platform/db/listen.ts";
import { isUnchanged } from "../platform/http/etag.ts";
import { fromPublicId } from "../platform/ids.ts";
import { AppError, notFound } from "../platform/problems.ts";
import { findPublicName } from "../platform/public-names.ts";
import { tooBusy } from "./problems.ts";
import { createSending } from "./sending.ts";
import { readContent } from "./store.ts";

/** In public_names. */
export const KIND = "file";
/** Its payload is the public id. */
export const FILE_DELETED = "file_deleted";

const CACHE_BYTES = 64 * 1_048_576;
/** Of images on their way to their readers, also to those who read slowly. */
const MOST_SENT_BYTES = 256 * 1_048_576;
/** From the database, each a slice at a time. */
const READ_AT_ONCE = 4;
const MOST_WAITING = 1_000;

type Served = { readonly contentType: string; readonly content: Buffer; readonly etag: string };

// An id's bytes never change, so any cache may keep them for as long as it likes (RFC 8246).
const HEADERS = {
  "cache-control": "public, max-age=31536000, immutable",
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'",
  // Mail programs and archives show them inside pages of any other origin.
  "cross-origin-resource-policy": "cross-origin",
};

export function mountFiles(
  fastify: FastifyInstance,
  deps: { readonly db: Queryable; readonly listener: Pick<Listener, "listen"> },
): void {
  const find = createFinder(deps);
  const sending = createSending<Served>(MOST_SENT_BYTES);
  fastify.get<{ Params: { id: string } }>("/files/:id", async ({ params, headers }, reply) => {
    const file = await find(params.id);
    if (!file) throw new AppError(notFound, "there is no such file");
    const known = { ...HEADERS, etag: file.etag };
    if (isUnchanged(headers["if-none-match"], file.etag)) return reply.code(304).headers(known).send();
    const end = sending.begin(file);
    if (!end) throw tooBusy("too many images are being sent at this moment");
    // Who has hung up meanwhile won't close again.
    if (reply.raw.closed) end();
    else reply.raw.once("close", end);
    return reply.headers(known).type(file.contentType).send(file.content);
  });
}

/** From memory, else from the database; whoever asks for the same file at the same time waits for one reading. */
function createFinder({
  db,
  listener,
}: {
  readonly db: Queryable;
  readonly listener: Pick<Listener, "listen">;
}): (publicId: string) => Promise<Served | undefined> {
  const cache = createByteCache<Served>(CACHE_BYTES);
  const inTurn = createConcurrencyLimit({
    atOnce: READ_AT_ONCE,
    mostWaiting: MOST_WAITING,
    refuse: () => tooBusy("too many images are being read at this moment"),
  });
  const reading = new Map<string, Promise<Served | undefined>>();
  listener.listen(FILE_DELETED, (publicId) => {
    // What is being read may have been found before the delete: it is handed out, but not kept.
    if (publicId === "") {
      cache.clear();
      reading.clear();
    } else {
      cache.delete(publicId);
      reading.delete(publicId);
    }
  });

  async function read(publicId: string): Promise<Served | undefined> {
    const named = await findPublicName(db, KIND, publicId);
    const found = named && (await inTurn(() => readContent(db, named.account_id, named.id)));
    return found && { ...found, etag: `"${hash("sha256", found.content, "base64url").slice(0, 22)}"` };
  }

  return async (publicId) => {
    if (!fromPublicId("fil", publicId)) return undefined;
    const known = cache.get(publicId) ?? reading.get(publicId);
    if (known) return known;
    const begun = read(publicId);
    reading.set(publicId, begun);
    try {
      const served = await begun;
      if (served && reading.get(publicId) === begun) cache.set(publicId, served);
      return served;
    } finally {
      if (reading.get(publicId) === begun) reading.delete(publicId);
    }
  };
}
