/** The addresses of the public archives. They take GET and HEAD, and change nothing. */
import { hash } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Clock } from "../../platform/clock.ts";
import { isUnchanged } from "../../platform/http/etag.ts";
import { createRateLimit } from "../../platform/http/limits/rate-limit.ts";
import {
  COME_BACK_AFTER_SECONDS,
  inFrame,
  isAway,
  PER_MINUTE,
  type PublicPage,
  sendPage,
  tooMany,
  unavailable,
} from "../../public-pages/public-pages.ts";
import { type ArchiveTools, createArchive } from "./archive.ts";

type BySlug = { Params: { slug: string } };
type ByMail = { Params: { slug: string; mail: string } };

export function mountArchive(
  fastify: FastifyInstance,
  tools: ArchiveTools & { readonly clock: Clock },
): void {
  const archive = createArchive(tools);
  const rateLimit = createRateLimit(PER_MINUTE, tools.clock);

  async function pageFor(
    { ip, url, headers }: FastifyRequest,
    show: () => Promise<PublicPage>,
  ): Promise<PublicPage> {
    const words = tools.pageWords.forVisitor(headers["accept-language"]);
    const { allowed, resetSeconds } = rateLimit.take(ip);
    if (!allowed) return tooMany({ words, retryAfterSeconds: resetSeconds, retryPath: url });
    return show().catch((error: unknown) => {
      if (!isAway(error)) throw error;
      const retry = { retryAfterSeconds: COME_BACK_AFTER_SECONDS, unsubscribePath: null };
      return unavailable({ words, ...retry, retryPath: url });
    });
  }

  async function answer(request: FastifyRequest, reply: FastifyReply, show: () => Promise<PublicPage>) {
    const page = await pageFor(request, show);
    return page.status === 200 ? sendIfChanged(request, reply, page) : sendPage(reply, page);
  }

  fastify.get<BySlug>("/archive/:slug", (request, reply) => {
    const query = new URLSearchParams(request.url.split("?")[1] ?? "");
    const cursor = { before: query.get("before"), after: query.get("after") };
    return answer(request, reply, () => archive.showList(request.params.slug, cursor, languageOf(request)));
  });
  for (const [file, format] of [
    ["feed.xml", "rss"],
    ["atom.xml", "atom"],
  ] as const) {
    fastify.get<BySlug>(`/archive/:slug/${file}`, (request, reply) =>
      answer(request, reply, () => archive.showFeed(request.params.slug, format, languageOf(request))),
    );
  }
  fastify.get<ByMail>("/archive/:slug/:mail", (request, reply) =>
    answer(request, reply, () =>
      archive.showMail(request.params.slug, request.params.mail, languageOf(request)),
    ),
  );
  fastify.get<ByMail>("/archive/:slug/:mail/mail", async (request, reply) => {
    const show = () => archive.showDocument(request.params.slug, request.params.mail, languageOf(request));
    const page = await pageFor(request, show);
    return page.status === 200 ? sendIfChanged(request, reply, page) : sendPage(reply, inFrame(page));
  });
}

function languageOf({ headers }: FastifyRequest): string | undefined {
  return headers["accept-language"];
}

/** Caches may keep a page, but must ask each time: what is taken out of the archive is gone at once. */
function sendIfChanged(request: FastifyRequest, reply: FastifyReply, page: PublicPage) {
  const etag = `"${hash("sha256", page.body, "base64url").slice(0, 22)}"`;
  const headers = { ...page.headers, "cache-control": "no-cache", etag };
  if (isUnchanged(request.headers["if-none-match"], etag)) return reply.code(304).headers(headers).send();
  return sendPage(reply, { ...page, headers });
}
