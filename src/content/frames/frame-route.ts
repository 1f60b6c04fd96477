/**
 * Shows HTML that nobody has saved. A page of ours posts it into a frame of its own as a form, and gets it back under the
 * policy by which nothing runs: a document that a script makes would have the policy of the page around it.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { AppError, forbidden, malformedRequest } from "../../platform/problems.ts";
import { MAX_MAIL_CHARACTERS } from "../compiled.ts";
import { authorFrame } from "./author-frame.ts";

export type FrameOptions = {
  readonly publicUrl: () => string;
  /** Throws unless the request comes from a person who is signed in, and from a page of ours. */
  readonly admit: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
};

const FRAME_PATH = "/author-frame";

/** A form of one field is sent as it is, without an escape for each "<": of other kinds a third would be escapes. */
const FORM = "text/plain";
const FIELD = "html=";
const MOST_BYTES = 2 * MAX_MAIL_CHARACTERS;

export function mountAuthorFrame(fastify: FastifyInstance, { publicUrl, admit }: FrameOptions): void {
  fastify.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(FORM, { parseAs: "string", bodyLimit: MOST_BYTES }, (_request, body, done) =>
      done(null, body),
    );
    scope.post(FRAME_PATH, {
      async onRequest(request, reply) {
        refuseOtherPages(request);
        await admit(request, reply);
      },
      async handler(request, reply) {
        const { pictures } = request.query as { readonly pictures?: unknown };
        const frame = authorFrame(readField(request.body), {
          publicUrl: publicUrl(),
          pictures: pictures === "all" ? "all" : "own",
          links: "dead",
        });
        return reply.headers(frame.headers).send(frame.body);
      },
    });
  });
}

/** Another site must not be able to show its words at our address, so what isn't framed by a page of ours is refused. */
function refuseOtherPages({ headers }: FastifyRequest): void {
  const [site, destination] = [headers["sec-fetch-site"], headers["sec-fetch-dest"]];
  if (site === "same-origin" && destination === "iframe") return;
  throw new AppError(forbidden, "only a page of this dashboard may show a mail here, in a frame");
}

/** HTML 4.10.22.8: the field's name, "=", its value, and a line break. */
function readField(body: unknown): string {
  if (typeof body !== "string" || !body.startsWith(FIELD))
    throw new AppError(malformedRequest, "send a form with the field html as text/plain");
  return body.slice(FIELD.length).replace(/\r\n$/, "");
}
