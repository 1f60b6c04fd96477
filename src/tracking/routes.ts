/** What recipients reach: the links of a mail. Nothing that a machine may GET changes a subscription. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { createRateLimit } from "../platform/http/limits/rate-limit.ts";
import type { HttpServer } from "../platform/http/server.ts";
import {
  askToUnsubscribe,
  COME_BACK_AFTER_SECONDS,
  isAway,
  notFound,
  type PageWords,
  PER_MINUTE,
  type PublicPage,
  readForm,
  readUnsubscribeForm,
  recorded,
  sendPage,
  takeAnyForm,
  testMail,
  tooMany,
  type Unsubscribed,
  unavailable,
  unsubscribed,
  type Words,
} from "../public-pages/public-pages.ts";
import {
  CLICK_ROUTE,
  CLICK_TO_ROUTE,
  createHitAnswers,
  type HitAnswers,
  type HitTools,
  OPEN_ROUTE,
} from "./answer-hits.ts";
import type { PreferencePages } from "./preference-pages.ts";
import {
  type LinkTarget,
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
  HitTools & {
    readonly unsubscribing: Unsubscribing;
    readonly pageWords: PageWords;
    readonly preferences: PreferencePages;
  };

/** A mailbox provider posts for all its people from few addresses, and a gateway's look at pages must not use that up. */
const POSTS_PER_MINUTE = 3_000;
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
    takeAnyForm(scope);
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
      : tooMany({
          words: nobodysWords(tools, request),
          retryAfterSeconds: taken.resetSeconds,
          retryPath: request.url,
        });
  };
  const show = (request: FastifyRequest<ByToken>) => showPage(tools, request.params.token, request);
  const act = (request: FastifyRequest<ByToken>) => unsubscribe(tools, request.params.token, request);
  scope.get<ByToken>("/u/:token", async (request, reply) =>
    sendPage(reply, limited(request) ?? (await show(request))),
  );
  scope.post<ByToken>("/u/:token", async (request, reply) =>
    sendPage(reply, limited(request) ?? (await act(request))),
  );
  scope.get<ByToken>("/p/:token", async (request, reply) =>
    sendPage(reply, limited(request) ?? (await preferences(tools, request)) ?? (await show(request))),
  );
  scope.post<ByToken>("/p/:token", async (request, reply) =>
    sendPage(reply, limited(request) ?? (await preferences(tools, request)) ?? (await act(request))),
  );
  scope.get<ByToken>("/v/:token", async (request, reply) =>
    sendPage(reply, limited(request) ?? (await view(tools, request.params.token, request))),
  );
  scope.post<ByProof>("/u/:token/undo/:proof", async (request, reply) =>
    sendPage(reply, limited(request) ?? (await undo(tools, request.params, request))),
  );
}

/** The preference page, where there is anything to choose; whoever then asks to unsubscribe is answered as by that link. */
async function preferences(
  tools: TrackingTools,
  request: FastifyRequest<ByToken>,
): Promise<PublicPage | undefined> {
  const { token } = request.params;
  const target = tools.linkTokens.read(token);
  if (!target) return undefined;
  const visit = { token, acceptLanguage: request.headers["accept-language"], ip: request.ip };
  try {
    return request.method === "POST"
      ? await tools.preferences.act(target, visit, await readForm(request))
      : await tools.preferences.show(target, visit);
  } catch (error) {
    if (!isAway(error)) throw error;
    return away(nobodysWords(tools, request), `/p/${token}`, `/u/${token}`);
  }
}

/** For what is said before an account is known, or when it can't be asked. */
function nobodysWords({ pageWords }: TrackingTools, { headers }: FastifyRequest): Words {
  return pageWords.forVisitor(headers["accept-language"]);
}

/** What the page says of the person, in the account's words; undefined where there is nothing behind the link any more. */
async function readPage(tools: TrackingTools, target: LinkTarget, { headers }: FastifyRequest) {
  const facts = await readPageFacts(tools, target);
  if (!facts) return undefined;
  const words = await tools.pageWords.forAccount(tools.db, facts.account, headers["accept-language"]);
  return { ...facts, words };
}

type ReadPage = Awaited<ReturnType<typeof readPage>>;

async function showPage(tools: TrackingTools, token: string, request: FastifyRequest): Promise<PublicPage> {
  const words = nobodysWords(tools, request);
  if (token === TEST) return testMail({ words, sender: null });
  const target = tools.linkTokens.read(token);
  if (!target) return notFound(words);
  const page = await readPage(tools, target, request).catch((error) => {
    if (isAway(error)) return "away" as const;
    throw error;
  });
  const path = `/u/${token}`;
  if (page === "away") return away(words, path, path);
  const shown = { words, page, token };
  if (!page) return unsubscribedPage("nobody", shown);
  if (page.hasLeftAll) return unsubscribedPage("everything", shown);
  if (page.status === "unsubscribed") return unsubscribedPage("already", shown);
  if (page.topic?.hasLeft) return unsubscribedPage("already", shown, { topicName: page.topic.name });
  return askToUnsubscribe({ ...page, topicName: page.topic?.name ?? null, unsubscribePath: path });
}

/** RFC 8058 §3.2: the POST of a mail program has no cookie, is answered with 2xx, and is never redirected. */
async function unsubscribe(
  tools: TrackingTools,
  token: string,
  request: FastifyRequest,
): Promise<PublicPage> {
  const words = nobodysWords(tools, request);
  if (token === TEST) return testMail({ words, sender: null });
  const target = tools.linkTokens.read(token);
  if (!target) return notFound(words);
  const form = readUnsubscribeForm(await readForm(request));
  const { kind, scope, at } = await tools.unsubscribing.unsubscribe(target, form);
  if (kind === "recorded") return recorded(words);
  if (kind === "nowhere") return away(words, `/u/${token}`, `/u/${token}`);
  const page = await readPage(tools, target, request).catch(() => undefined);
  const shown = { words, page, token };
  if (kind === "nobody") return unsubscribedPage("nobody", shown);
  const topicName = (scope === "topic" && page?.topic?.name) || null;
  if (kind === "already")
    return unsubscribedPage(scope === "all" ? "everything" : "already", shown, { topicName });
  const undoPath = `/u/${token}/undo/${tools.linkTokens.proofOf(token, at)}`;
  if (scope === "all") return unsubscribedPage("everything", shown, { undoPath });
  const isListDeleted = topicName === null && page?.isListDeleted;
  return unsubscribedPage(isListDeleted ? "list_deleted" : "list", shown, { topicName, undoPath });
}

async function view(tools: TrackingTools, token: string, request: FastifyRequest): Promise<PublicPage> {
  const words = nobodysWords(tools, request);
  if (token === TEST) return testMail({ words, sender: null });
  const target = tools.linkTokens.read(token);
  if (!target) return notFound(words);
  const viewed = { target, token, acceptLanguage: request.headers["accept-language"] };
  return viewInBrowser(tools, viewed).catch((error) => {
    if (!isAway(error)) throw error;
    return away(words, `/v/${token}`, null);
  });
}

async function undo(
  tools: TrackingTools,
  { token, proof }: ByProof["Params"],
  request: FastifyRequest,
): Promise<PublicPage> {
  const words = nobodysWords(tools, request);
  const target = tools.linkTokens.read(token);
  const at = target && tools.linkTokens.readProof(token, proof, tools.clock.now());
  if (!target || !at) return notFound(words);
  try {
    await takeBack(tools, target, at);
    const page = await readPage(tools, target, request);
    if (!page) return unsubscribedPage("nobody", { words, page, token });
    const state = stateOf(page);
    const isOffList = page.status === null || page.status === "unsubscribed";
    const topicName = isOffList ? null : (page.topic?.name ?? null);
    return unsubscribedPage(state, { words, page, token }, { topicName });
  } catch (error) {
    if (!isAway(error)) throw error;
    return away(words, `/u/${token}`, null);
  }
}

function away(words: Words, retryPath: string, unsubscribePath: string | null): PublicPage {
  return unavailable({ words, retryAfterSeconds: COME_BACK_AFTER_SECONDS, unsubscribePath, retryPath });
}

/** What holds now, however often it was asked for, and whatever happened since. */
function stateOf({ status, hasLeftAll, topic }: PageFacts): Unsubscribed["state"] {
  if (hasLeftAll) return "everything";
  return status === null || status === "unsubscribed" || topic?.hasLeft ? "already" : "undone";
}

const NOBODY = { name: "", postalAddress: null, branding: { colour: null, logoUrl: null } };

/** `words` are for where there is no page of an account. */
type Shown = { readonly words: Words; readonly page: ReadPage; readonly token: string };

function unsubscribedPage(
  state: Unsubscribed["state"],
  { words, page, token }: Shown,
  { topicName = null, undoPath = null }: Partial<Pick<Unsubscribed, "topicName" | "undoPath">> = {},
): PublicPage {
  return unsubscribed({
    words: page?.words ?? words,
    state,
    sender: page?.sender ?? NOBODY,
    listName: page?.listName ?? null,
    topicName,
    address: page?.address ?? null,
    undoPath,
    unsubscribePath: `/u/${token}`,
  });
}
