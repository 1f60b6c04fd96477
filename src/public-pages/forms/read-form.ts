/** How a public page's form is read, whatever a browser or a mail program calls it. */
import type { FastifyInstance, FastifyRequest } from "fastify";

const MOST_FORM_BYTES = 64 * 1_024;
const URLENCODED = "application/x-www-form-urlencoded";

/** A type that can't be read is no reason to refuse: a mail program's one-click unsubscribe counts whatever it calls its form. */
export function takeAnyForm(scope: FastifyInstance): void {
  scope.addHook("onRequest", (request, _reply, done) => {
    request.headers["content-type"] &&= readableType(request.headers["content-type"]);
    done();
  });
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("*", { parseAs: "buffer", bodyLimit: MOST_FORM_BYTES }, (_request, body, done) =>
    done(null, body),
  );
}

function readableType(type: string): string {
  if (/^\s*application\/x-www-form-urlencoded/i.test(type)) return URLENCODED;
  const boundary = /^\s*multipart\/form-data\s*;.*?boundary=(?:"([^"]{1,70})"|([\w'()+,./:=?-]{1,70}))/i.exec(
    type,
  );
  const found = boundary?.[1] ?? boundary?.[2];
  return found === undefined ? "application/octet-stream" : `multipart/form-data; boundary="${found}"`;
}

/** Urlencoded and multipart forms; anything else has no fields. */
export async function readForm(request: FastifyRequest): Promise<URLSearchParams> {
  const body = request.body;
  const type = request.headers["content-type"] ?? "";
  if (!Buffer.isBuffer(body) || body.length === 0) return new URLSearchParams();
  if (/^application\/x-www-form-urlencoded/i.test(type)) return new URLSearchParams(body.toString("utf8"));
  if (!/^multipart\/form-data/i.test(type)) return new URLSearchParams();
  try {
    const form = await new Response(body, { headers: { "content-type": type } }).formData();
    const fields = [...form].filter((field): field is [string, string] => typeof field[1] === "string");
    return new URLSearchParams(fields);
  } catch {
    // A form that can't be read has no fields either.
    return new URLSearchParams();
  }
}
