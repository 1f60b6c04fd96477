/** How the public addresses of forms answer: as a page to a browser, and as JSON to a script. */
import type { FastifyReply, FastifyRequest } from "fastify";
import {
  AppError,
  type Fault,
  invalid,
  notFound as notFoundProblem,
  rateLimited,
} from "../platform/problems.ts";
import {
  closedForm,
  fillText,
  notFound,
  type Returned,
  senderOf,
  sendPage,
  tooMany,
  type Words,
} from "../public-pages/public-pages.ts";
import type { FoundForm } from "./open-form.ts";
import { formClosed } from "./problems.ts";
import type { FaultKind } from "./submitting/submitting.ts";

/** A script on another site reads the answer, and anybody may: there is no cookie, and nothing in it is about a person. */
export const OPEN_TO_ALL = {
  "access-control-allow-origin": "*",
  "cross-origin-resource-policy": "cross-origin",
};

/** What a browser asks before a script may send JSON. */
export const PREFLIGHT = {
  "access-control-allow-methods": "GET, POST",
  "access-control-allow-headers": "content-type",
  "access-control-max-age": "86400",
};

export function wantsJson({ headers }: FastifyRequest): boolean {
  const accept = headers.accept ?? "";
  if (/\btext\/html\b/i.test(accept)) return false;
  return /\bapplication\/json\b/i.test(accept) || /^application\/json\b/i.test(headers["content-type"] ?? "");
}

export function refuseTooMany(
  request: FastifyRequest,
  reply: FastifyReply,
  words: Words,
  retryAfterSeconds: number,
) {
  if (!wantsJson(request))
    return sendPage(reply, tooMany({ words, retryAfterSeconds, retryPath: request.url }));
  throw new AppError(rateLimited, "too many came from this network, or to this form; try again later", {
    headers: { "retry-after": String(retryAfterSeconds) },
  });
}

export function refuseNotOpen(
  request: FastifyRequest,
  reply: FastifyReply,
  words: Words,
  found: Exclude<FoundForm, { kind: "open" }>,
) {
  if (wantsJson(request)) {
    if (found.kind === "closed") throw new AppError(formClosed, "nobody can sign up by this form at present");
    throw new AppError(notFoundProblem, "there is no such form");
  }
  if (found.kind === "none") return sendPage(reply, notFound(words));
  return sendPage(reply, closedForm({ words, sender: senderOf(found.account, null) }));
}

/** Says in the form's language what is wrong with each input. */
export function describeFaults(
  faults: ReadonlyMap<string, FaultKind>,
  sent: ReadonlyMap<string, string>,
  words: Words,
  suggestion: string | null = null,
): Returned {
  const said = words.form.faults;
  const domain = (sent.get("email") ?? "").split("@").at(-1)?.trim().slice(0, 60) ?? "";
  const sentences = Array.from(faults, ([name, kind]): [string, string] => [
    name,
    fillText(said[kind], { domain, address: suggestion ?? "" }),
  ]);
  const kept = faults.get("email") === "meant" ? (sent.get("email") ?? "").trim() : null;
  return { values: sent, faults: new Map(sentences), kept };
}

export function faultsAsProblem(
  faults: ReadonlyMap<string, FaultKind>,
  { faults: said }: Returned,
): AppError {
  return invalid(
    ...Array.from(
      faults,
      ([name, kind]): Fault => ({ pointer: `/${name}`, code: kind, detail: said.get(name) ?? "" }),
    ),
  );
}
