/** The addresses of links that were mailed to a person. A GET shows; only a POST acts. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { createRateLimit } from "../platform/http/limits/rate-limit.ts";
import {
  COME_BACK_AFTER_SECONDS,
  isAway,
  PER_MINUTE,
  type PublicPage,
  readForm,
  sendPage,
  takeAnyForm,
  tooMany,
  unavailable,
} from "../public-pages/public-pages.ts";
import { type LinkVisit, type PersonalTools, showLink, useLink } from "./personal-links.ts";

type ByToken = { Params: { token: string } };

export function mountPreferences(fastify: FastifyInstance, tools: PersonalTools): void {
  const rateLimit = createRateLimit(PER_MINUTE, tools.clock);

  async function answer(
    request: FastifyRequest<ByToken>,
    work: (visit: LinkVisit) => Promise<PublicPage>,
  ): Promise<PublicPage> {
    const acceptLanguage = request.headers["accept-language"];
    const words = tools.pageWords.forVisitor(acceptLanguage);
    const { allowed, resetSeconds } = rateLimit.take(request.ip);
    if (!allowed) return tooMany({ words, retryAfterSeconds: resetSeconds, retryPath: request.url });
    try {
      return await work({ token: request.params.token, acceptLanguage, ip: request.ip });
    } catch (error) {
      if (!isAway(error)) throw error;
      const retry = { retryAfterSeconds: COME_BACK_AFTER_SECONDS, unsubscribePath: null };
      return unavailable({ words, ...retry, retryPath: request.url });
    }
  }

  fastify.register(async (scope) => {
    takeAnyForm(scope);
    scope.get<ByToken>("/p/link/:token", async (request, reply) =>
      sendPage(reply, await answer(request, (visit) => showLink(tools, visit))),
    );
    scope.post<ByToken>("/p/link/:token", async (request, reply) => {
      const sent = await readForm(request);
      return sendPage(reply, await answer(request, (visit) => useLink(tools, visit, sent)));
    });
  });
}
