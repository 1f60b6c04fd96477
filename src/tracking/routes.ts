/** What recipients reach: the links of a mail. Nothing that a machine may GET changes a subscription. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { createRateLimit } from "../platform/http/rate-limit.ts";
import type { HttpServer } from "../platform/http/server.ts";
import {
  askToUnsubscribe,
  notFound,
  type PublicPage,
  readUnsubscribeForm,
  recorded,
  testMail,
  tooMany,
  type Unsubscribed,
  unavailable,
  unsubscribed,
} from "../public-pages/public-pages.ts";
import {
  CLICK_ROUTE,
  CLICK_TO_ROUTE,
  createHitAnswers,
  type HitAnswers,
  type HitTools,
  OPEN_ROUTE,
} from "./answer-hits.ts";
import { COME_BACK_AFTER_SECONDS, isAway, PER_MINUTE, sendPage } from "./answering.ts";
import {
  type PageFacts,
  readPageFacts,
  takeBack,
  type UnsubscribeTools,
  type Unsubscribing,
} from "./unsubscribing/unsubscribing.ts";
import { type ViewTools, viewInBrowser } from "./view-in-browser.ts";

export { mountArchive } from "./archive/routes.ts";

export type TrackingTools = UnsubscribeTools &
  ViewTools &
  HitTools & { readonly unsubscribing: Unsubscribing };

/** A mailbox provider posts for all its people from few addresses, and a gateway's look at pages must not use that up. */
const POSTS_PER_MINUTE = 3_000;
const MOST_FORM_BYTES = 64 * 1_024;
/** Behind every link of a test mail and of a preview. */
const TEST = "test";

type ByToken = { Params: { token: string } };
type ByProof = { Params: { token: string; proof: string } };
type ByLink = { Params: { token: string; link: string } };
type ByAddress = { Params: { token: string; link: string; mac: string; url: string } };

export function mountTracking(server: HttpServer, tools: TrackingTools): void {
  const hits = createHitAnswers(tools);
  server.answerDirectly(hits.take);
  server.fastify.register(async (scope) => {
    // A mail program's one-click unsubscribe counts whatever it calls its form: a type that can't be read is no reason to refuse.
    scope.addHook("onRequest", (request, _reply, done) => {
      request.headers["content-type"] &&= readableType(request.headers["content-type"]);
      done();
    });
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      "*",
      { parseAs: "buffer", bodyLimit: MOST_FORM_BYTES },
      (_request, body, done) => done(null, body),
    );
    mountHits(scope, hits);
    mountUnsubscribe(scope, tools);
  });
}

function mountHits(scope: FastifyInstance, hits: HitAnswers): void {
  scope.get<ByToken>(OPEN_ROUTE, async (request, reply) =>
    sendPage(reply, await hits.open(request.params.token, request)),
  );
  scope.get<ByLink>(CLICK_ROUTE, async (request, reply) =>
    sendPage(reply, await hits.click(request.params.token, request.params.link, request)),
  );
  scope.get<ByAddress>(CLICK_TO_ROUTE, async (request, reply) => {
    const { token, link, mac, url } = request.params;
    return sendPage(reply, await hits.clickTo(token, link, mac, url, request));
  });
}

function mountUnsubscribe(scope: FastifyInstance, tools: TrackingTools): void {
  const pageLimit = createRateLimit(PER_MINUTE, tools.clock);
  const postLimit = createRateLimit(POSTS_PER_MINUTE, tools.clock);
  const limited = (request: FastifyRequest): PublicPage | undefined => {
    const taken = (request.method === "POST" ? postLimit : pageLimit).take(request.ip);
    return taken.allowed
      ? undefined
      : tooMany({ retryAfterSeconds: taken.resetSeconds, retryPath: request.url });
  };
  for (const path of ["/u/:token", "/p/:token"]) {
    scope.get<ByToken>(path, async (request, reply) =>
      sendPage(reply, limited(request) ?? (await showPage(tools, request.params.token))),
    );
    scope.post<ByToken>(path, async (request, reply) =>
      sendPage(reply, limited(request) ?? (await unsubscribe(tools, request.params.token, request))),
    );
  }
  scope.get<ByToken>("/v/:token", async (request, reply) =>
    sendPage(reply, limited(request) ?? (await view(tools, request.params.token))),
  );
  scope.post<ByProof>("/u/:token/undo/:proof", async (request, reply) =>
    sendPage(reply, limited(request) ?? (await undo(tools, request.params))),
  );
}

async function showPage(tools: TrackingTools, token: string): Promise<PublicPage> {
  if (token === TEST) return testMail({ sender: null });
  const target = tools.linkTokens.read(token);
  if (!target) return notFound();
  const facts = await readPageFacts(tools, target).catch((error) => {
    if (isAway(error)) return "away" as const;
    throw error;
  });
  if (facts === "away") {
    const path = `/u/${token}`;
    return unavailable({
      retryAfterSeconds: COME_BACK_AFTER_SECONDS,
      unsubscribePath: path,
      retryPath: path,
    });
  }
  if (!facts) return unsubscribedPage("nobody", undefined, token);
  if (facts.hasLeftAll) return unsubscribedPage("everything", facts, token);
  if (facts.status === "unsubscribed") return unsubscribedPage("already", facts, token);
  return askToUnsubscribe({ ...facts, unsubscribePath: `/u/${token}` });
}

/** RFC 8058 §3.2: the POST of a mail program has no cookie, is answered with 2xx, and is never redirected. */
async function unsubscribe(
  tools: TrackingTools,
  token: string,
  request: FastifyRequest,
): Promise<PublicPage> {
  if (token === TEST) return testMail({ sender: null });
  const target = tools.linkTokens.read(token);
  if (!target) return notFound();
  const form = readUnsubscribeForm(await readForm(request));
  const { kind, at } = await tools.unsubscribing.unsubscribe(target, form);
  if (kind === "recorded") return recorded();
  if (kind === "nowhere") {
    const path = `/u/${token}`;
    return unavailable({
      retryAfterSeconds: COME_BACK_AFTER_SECONDS,
      unsubscribePath: path,
      retryPath: path,
    });
  }
  const facts = await readPageFacts(tools, target).catch(() => undefined);
  if (kind === "nobody") return unsubscribedPage("nobody", facts, token);
  if (kind === "already")
    return unsubscribedPage(form.scope === "all" ? "everything" : "already", facts, token);
  const undoPath = `/u/${token}/undo/${tools.linkTokens.proofOf(token, at)}`;
  if (form.scope === "all") return unsubscribedPage("everything", facts, token, undoPath);
  return unsubscribedPage(facts?.isListDeleted ? "list_deleted" : "list", facts, token, undoPath);
}

async function view(tools: TrackingTools, token: string): Promise<PublicPage> {
  if (token === TEST) return testMail({ sender: null });
  const target = tools.linkTokens.read(token);
  if (!target) return notFound();
  return viewInBrowser(tools, target, token).catch((error) => {
    if (!isAway(error)) throw error;
    const page = {
      retryAfterSeconds: COME_BACK_AFTER_SECONDS,
      unsubscribePath: null,
      retryPath: `/v/${token}`,
    };
    return unavailable(page);
  });
}

async function undo(tools: TrackingTools, { token, proof }: ByProof["Params"]): Promise<PublicPage> {
  const target = tools.linkTokens.read(token);
  const at = target && tools.linkTokens.readProof(token, proof, tools.clock.now());
  if (!target || !at) return notFound();
  try {
    await takeBack(tools, target, at);
    const facts = await readPageFacts(tools, target);
    return unsubscribedPage(facts ? stateOf(facts) : "nobody", facts, token);
  } catch (error) {
    if (!isAway(error)) throw error;
    const path = `/u/${token}`;
    return unavailable({
      retryAfterSeconds: COME_BACK_AFTER_SECONDS,
      unsubscribePath: null,
      retryPath: path,
    });
  }
}

/** What holds now, however often it was asked for, and whatever happened since. */
function stateOf({ status, hasLeftAll }: PageFacts): Unsubscribed["state"] {
  if (hasLeftAll) return "everything";
  return status === null || status === "unsubscribed" ? "already" : "undone";
}

const NOBODY = { name: "", postalAddress: null, branding: { colour: null, logoUrl: null } };

function unsubscribedPage(
  state: Unsubscribed["state"],
  facts: PageFacts | undefined,
  token: string,
  undoPath: string | null = null,
): PublicPage {
  return unsubscribed({
    state,
    sender: facts?.sender ?? NOBODY,
    listName: facts?.listName ?? null,
    address: facts?.address ?? null,
    undoPath,
    unsubscribePath: `/u/${token}`,
  });
}

const URLENCODED = "application/x-www-form-urlencoded";

function readableType(type: string): string {
  if (/^\s*application\/x-www-form-urlencoded/i.test(type)) return URLENCODED;
  const boundary = /^\s*multipart\/form-data\s*;.*?boundary=(?:"([^"]{1,70})"|([\w'()+,./:=?-]{1,70}))/i.exec(
    type,
  );
  const found = boundary?.[1] ?? boundary?.[2];
  return found === undefined ? "application/octet-stream" : `multipart/form-data; boundary="${found}"`;
}

/** Urlencoded and multipart forms; anything else has no fields, and is a one-click unsubscribe all the same. */
async function readForm(request: FastifyRequest): Promise<URLSearchParams> {
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
    // A form that can't be read is still somebody who wants to leave.
    return new URLSearchParams();
  }
}
