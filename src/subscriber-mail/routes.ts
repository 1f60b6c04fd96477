/** What the links of mails to subscribers lead to. Nothing that a machine may GET confirms anything, or unsubscribes anybody. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { createRateLimit } from "../platform/http/limits/rate-limit.ts";
import {
  COME_BACK_AFTER_SECONDS,
  isAway,
  PER_MINUTE,
  type PublicPage,
  sendPage,
  takeAnyForm,
  tooMany,
  unavailable,
} from "../public-pages/public-pages.ts";
import { confirm, type LinkPageTools, showConfirm } from "./answer-confirm.ts";
import { leave, showLeave } from "./answer-leave.ts";

type ByToken = { Params: { token: string } };
type Answer = (tools: LinkPageTools, token: string, request: FastifyRequest<ByToken>) => Promise<PublicPage>;

/** A mailbox provider posts for all its people from few addresses. */
const UNSUBSCRIBES_PER_MINUTE = 3_000;

export function mountSubscriberLinks(fastify: FastifyInstance, tools: LinkPageTools): void {
  fastify.register(async (scope) => {
    takeAnyForm(scope);
    const pageLimit = createRateLimit(PER_MINUTE, tools.clock);
    const leaveLimit = createRateLimit(UNSUBSCRIBES_PER_MINUTE, tools.clock);
    const answering =
      (answer: Answer, limit = pageLimit) =>
      async (request: FastifyRequest<ByToken>) => {
        const words = tools.pageWords.forVisitor(request.headers["accept-language"]);
        const taken = limit.take(request.ip);
        if (!taken.allowed)
          return tooMany({ words, retryAfterSeconds: taken.resetSeconds, retryPath: request.url });
        return answer(tools, request.params.token, request).catch((error) => {
          if (!isAway(error)) throw error;
          return unavailable({
            words,
            retryAfterSeconds: COME_BACK_AFTER_SECONDS,
            unsubscribePath: null,
            retryPath: request.url,
          });
        });
      };
    const mount = (path: string, show: ReturnType<typeof answering>, act: ReturnType<typeof answering>) => {
      scope.get<ByToken>(path, async (request, reply) => sendPage(reply, await show(request)));
      scope.post<ByToken>(path, async (request, reply) => sendPage(reply, await act(request)));
    };
    mount("/confirm/:token", answering(showConfirm), answering(confirm));
    mount("/leave/:token", answering(showLeave), answering(leave, leaveLimit));
  });
}
