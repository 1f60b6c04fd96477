/** The public addresses of forms, under /f/: the page, what it takes, the scripts, and the challenges of the proof of work. */
import { isIP } from "node:net";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Clock } from "../platform/clock.ts";
import { createConcurrencyLimit } from "../platform/concurrency-limit.ts";
import type { Db } from "../platform/db/db.ts";
import { fromPublicId, toPublicId } from "../platform/ids.ts";
import { AppError, databaseBusy, notFound } from "../platform/problems.ts";
import {
  COME_BACK_AFTER_SECONDS,
  formInputs,
  isAway,
  type PageWords,
  sendPage,
  signedUpPage,
  signUpPage,
  unavailable,
  type Words,
} from "../public-pages/public-pages.ts";
import type { DomainFinder } from "../recipient-domains/recipient-domains.ts";
import {
  describeFaults,
  faultsAsProblem,
  OPEN_TO_ALL,
  PREFLIGHT,
  refuseNotOpen,
  refuseTooMany,
  wantsJson,
} from "./answering.ts";
import { createAddressAsker } from "./checking.ts";
import { findPublicForm, type OpenForm } from "./open-form.ts";
import { presentForm, thanksOf } from "./presenting.ts";
import { createLimits, createProofs } from "./protection/protection.ts";
import { embedScript, pageScript } from "./scripts.ts";
import {
  type Answers,
  type FaultKind,
  MOST_BODY_BYTES,
  readAnswers,
  readSent,
  type SignUpTools,
  storeSubmission,
} from "./submitting/submitting.ts";
import { readWording } from "./wording.ts";

export type PublicFormTools = SignUpTools & {
  readonly db: Db;
  readonly clock: Clock;
  readonly pageWords: PageWords;
  readonly publicUrl: () => string;
  readonly findDomains: DomainFinder;
};

type ByForm = { Params: { form: string } };
const PAGE_SCRIPT = "sign-up.js";
/** A form is changed now and then, and shown on every page of a site. */
const SCRIPT_HEADERS = {
  "content-type": "text/javascript; charset=utf-8",
  "cache-control": "public, max-age=300",
  vary: "accept-language",
};
/** Of submissions in the database. More than these wait in memory, and the rest are asked to come again. */
const AT_ONCE = 8;
const MOST_WAITING = 200;

export function mountForms(fastify: FastifyInstance, tools: PublicFormTools): void {
  const { db, pageWords, secrets } = tools;
  const limits = createLimits(tools);
  const proofs = createProofs(tools);
  const askAddress = createAddressAsker(tools);
  const inTurn = createConcurrencyLimit({
    atOnce: AT_ONCE,
    mostWaiting: MOST_WAITING,
    refuse: () =>
      new AppError(databaseBusy, "too many sign-ups at once; try again in a moment", {
        headers: { "retry-after": "2" },
      }),
  });
  const visitorsWords = ({ headers }: FastifyRequest) => pageWords.forVisitor(headers["accept-language"]);
  const wordsOf = ({ row, account }: OpenForm, { headers }: FastifyRequest): Promise<Words> =>
    pageWords.forAccount(db, account, row.locale ?? headers["accept-language"]);

  async function showPage(request: FastifyRequest, reply: FastifyReply, publicId: string) {
    const found = await findPublicForm(db, publicId);
    if (found.kind !== "open") return refuseNotOpen(request, reply, visitorsWords(request), found);
    const words = await wordsOf(found.form, request);
    return sendPage(reply, pageOf(found.form, words, null));
  }

  function pageOf(form: OpenForm, words: Words, returned: Parameters<typeof signUpPage>[0]["returned"]) {
    return signUpPage({
      ...presentForm(form, words, secrets, ""),
      returned,
      scriptPath: `/f/${PAGE_SCRIPT}`,
      redirectUrl: form.row.redirect_url,
    });
  }

  async function showScript(request: FastifyRequest, reply: FastifyReply, publicId: string) {
    const found = await findPublicForm(db, publicId);
    reply.headers(SCRIPT_HEADERS);
    if (found.kind !== "open") return reply.code(found.kind === "closed" ? 410 : 404).send("");
    const presented = presentForm(found.form, await wordsOf(found.form, request), secrets, tools.publicUrl());
    return reply.send(embedScript(presented, publicId));
  }

  /** Reads what was sent in, and answers where nothing more is to be done. */
  async function readForm(request: FastifyRequest<ByForm>, reply: FastifyReply) {
    const sent = await readSent(
      request.headers["content-type"],
      Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
    );
    const found = await findPublicForm(db, request.params.form);
    if (found.kind !== "open") return refuseNotOpen(request, reply, visitorsWords(request), found);
    const { form } = found;
    const words = await wordsOf(form, request);
    if (sent.get(formInputs.trap)?.trim()) return thank(request, reply, form, words);
    const read = readAnswers(form.fields, form.asksTracking, sent);
    if (read.faults) return refuseFaults(request, reply, { form, words, sent }, read.faults);
    return { form, words, sent, answers: read.answers };
  }

  type Filled = {
    readonly form: OpenForm;
    readonly words: Words;
    readonly sent: ReadonlyMap<string, string>;
  };

  function refuseFaults(
    request: FastifyRequest,
    reply: FastifyReply,
    { form, words, sent }: Filled,
    faults: ReadonlyMap<string, FaultKind>,
    suggestion: string | null = null,
  ) {
    const returned = describeFaults(faults, sent, words, suggestion);
    if (wantsJson(request)) throw faultsAsProblem(faults, returned);
    return sendPage(reply, pageOf(form, words, returned));
  }

  /** The DNS may be asked between the two, while nobody's place in the database is held. */
  async function takeForm(request: FastifyRequest<ByForm>, reply: FastifyReply) {
    const filled = await inTurn(() => readForm(request, reply));
    if (!("answers" in filled)) return filled;
    const { address } = filled.answers.address;
    const kept = filled.sent.get(formInputs.kept);
    // A script that knows nothing of the question could never answer it.
    const isKept = kept === address || (kept === undefined && wantsJson(request));
    const finding = await askAddress(filled.form.row, address, { isKept });
    if (finding)
      return refuseFaults(request, reply, filled, new Map([["email", finding.kind]]), finding.suggestion);
    return inTurn(() => finishForm(request, reply, filled));
  }

  async function finishForm(
    request: FastifyRequest,
    reply: FastifyReply,
    { form, words, sent, answers }: Filled & { readonly answers: Answers },
  ) {
    const { account_id: accountId, id } = form.row;
    const publicId = toPublicId("frm", id);
    const isProved = await proofs.accept(accountId, publicId, sent.get(formInputs.proof) ?? "");
    const submitted = {
      accountId,
      formId: publicId,
      ip: request.ip,
      addressKey: answers.address.key,
      isProved,
    };
    const verdict = await limits.count(submitted);
    if (typeof verdict === "object") return refuseTooMany(request, reply, words, verdict.retryAfterSeconds);
    if (verdict === "taken") {
      const shown = readWording(secrets, publicId, sent.get(formInputs.shown) ?? "") ?? null;
      await storeSubmission(tools, form.row, answers, { shown, ip: isIP(request.ip) ? request.ip : null });
    }
    return thank(request, reply, form, words);
  }

  /** The answer depends on the form alone, and not on who signed up. */
  function thank(request: FastifyRequest, reply: FastifyReply, form: OpenForm, words: Words) {
    const { redirect_url } = form.row;
    const { title, text } = thanksOf(form, words);
    if (wantsJson(request)) return reply.send({ object: "form_submission", title, text, redirect_url });
    if (redirect_url !== null) return reply.code(303).header("location", new URL(redirect_url).href).send();
    const { sender } = presentForm(form, words, secrets, "");
    return sendPage(reply, signedUpPage({ words, sender, title, text }));
  }

  /** Says to a browser when to come back; a script gets the problem. */
  function whileAway(request: FastifyRequest, reply: FastifyReply, error: unknown) {
    if (!isAway(error) || wantsJson(request)) throw error;
    const page = {
      retryAfterSeconds: COME_BACK_AFTER_SECONDS,
      unsubscribePath: null,
      retryPath: request.url,
    };
    return sendPage(reply, unavailable({ words: visitorsWords(request), ...page }));
  }

  fastify.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      "*",
      { parseAs: "buffer", bodyLimit: MOST_BODY_BYTES },
      (_request, body, done) => done(null, body),
    );
    // Before a body is read and before the database is asked: a flood costs little more than its headers.
    scope.addHook<ByForm>("onRequest", async (request, reply) => {
      reply.headers(OPEN_TO_ALL);
      const wait =
        request.method === "POST"
          ? limits.refusePost(request.ip, fromPublicId("frm", request.params.form) ?? "")
          : limits.refuseRead(request.ip);
      if (wait !== undefined) return refuseTooMany(request, reply, visitorsWords(request), wait);
    });
    scope.get<ByForm>("/f/:form", (request, reply) => {
      const { form } = request.params;
      if (form === PAGE_SCRIPT) return reply.headers(SCRIPT_HEADERS).send(pageScript);
      if (form.endsWith(".js")) return showScript(request, reply, form.slice(0, -".js".length));
      return showPage(request, reply, form).catch((error: unknown) => whileAway(request, reply, error));
    });
    scope.post<ByForm>("/f/:form", (request, reply) =>
      takeForm(request, reply).catch((error: unknown) => whileAway(request, reply, error)),
    );
    scope.get<ByForm>("/f/:form/challenge", async (request) => {
      const { form } = request.params;
      // Any id will do: whether there is such a form is asked when it is sent in.
      if (!fromPublicId("frm", form)) throw new AppError(notFound, "there is no such form");
      return proofs.challenge(form);
    });
    for (const path of ["/f/:form", "/f/:form/challenge"]) {
      scope.options(path, (_request, reply) => reply.code(204).headers(PREFLIGHT).send());
    }
  });
}
