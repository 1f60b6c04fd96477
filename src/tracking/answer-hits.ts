/** Answers the pixel and the links of mail: each is recorded, then answered. A link leads on whatever becomes of its hit. */
import { toLocation } from "../content/content.ts";
import type { LinkTokens } from "../messages/messages.ts";
import type { Clock } from "../platform/clock.ts";
import type { DirectAnswer, DirectRequest, TakePath } from "../platform/http/direct.ts";
import {
  COME_BACK_AFTER_SECONDS,
  isAway,
  notFound,
  type PageWords,
  unavailable,
  type Words,
} from "../public-pages/public-pages.ts";
import type { Hit, HitRecorder } from "./hits/hits.ts";
import { type FollowTools, followLink, type LinkTargets } from "./links/links.ts";

type HitTarget = Pick<Hit, "accountId" | "sourceId" | "contactId">;

export type HitTools = FollowTools & {
  readonly clock: Clock;
  readonly linkTokens: LinkTokens;
  readonly linkTargets: LinkTargets;
  readonly recorder: HitRecorder;
  readonly pageWords: PageWords;
  /** Whether what is this account's may be answered under the host: another account's tracking host answers nothing of it. */
  readonly mayAnswer: (host: string, accountId: string) => Promise<boolean>;
};

export const OPEN_ROUTE = "/o/:token";
export const CLICK_ROUTE = "/c/:token/:link";
export const CLICK_TO_ROUTE = "/c/:token/:link/:mac/:url";

export type HitAnswers = {
  /** Takes the paths of hits with a token of ours, as they stand in a mail. Others are for the routes, which refuse them. */
  readonly take: TakePath;
  open(token: string, request: DirectRequest): Promise<DirectAnswer>;
  click(token: string, link: string, request: DirectRequest): Promise<DirectAnswer>;
  /** The same for a link that carries where it leads. */
  clickTo(
    token: string,
    link: string,
    mac: string,
    url: string,
    request: DirectRequest,
  ): Promise<DirectAnswer>;
};

export function createHitAnswers(tools: HitTools): HitAnswers {
  const { linkTokens } = tools;
  const nothing = (request: DirectRequest) => notFound(wordsFor(tools, request));
  // The routes stand behind the rule already, and what is answered before them asks for itself.
  const guarded =
    (target: HitTarget, answer: (request: DirectRequest) => Promise<DirectAnswer>) =>
    async (request: DirectRequest): Promise<DirectAnswer> =>
      (await tools.mayAnswer(request.hostname, target.accountId)) ? answer(request) : nothing(request);
  return {
    async clickTo(token, number, mac, url, request) {
      const target = linkTokens.readHit(token);
      const link = readLinkNumber(number);
      if (!target || link === undefined) return nothing(request);
      const location = toLocation(linkTokens.readPath(token, link, mac, url) ?? "");
      return location === undefined ? nothing(request) : leadOn(tools, target, link, location, request);
    },
    take(path) {
      if (path.startsWith("/o/")) {
        const target = linkTokens.readHit(path.slice(3));
        const answer = target && guarded(target, (request) => answerOpen(tools, target, request));
        return answer && { route: OPEN_ROUTE, answer };
      }
      if (!path.startsWith("/c/")) return undefined;
      const end = path.indexOf("/", 3);
      const link = end < 0 ? undefined : readLinkNumber(path.slice(end + 1));
      const target = link === undefined ? undefined : linkTokens.readHit(path.slice(3, end));
      if (!target || link === undefined) return undefined;
      const answer = guarded(target, (request) => answerClick(tools, target, link, request));
      return { route: CLICK_ROUTE, answer };
    },
    async open(token, request) {
      const target = linkTokens.readHit(token);
      return target ? answerOpen(tools, target, request) : nothing(request);
    },
    async click(token, number, request) {
      const target = linkTokens.readHit(token);
      const link = readLinkNumber(number);
      return target && link !== undefined ? answerClick(tools, target, link, request) : nothing(request);
    },
  };
}

async function answerOpen(tools: HitTools, target: HitTarget, request: DirectRequest): Promise<DirectAnswer> {
  await tools.recorder.record(toHit(tools, request, target, null));
  return PIXEL;
}

async function answerClick(
  tools: HitTools,
  target: HitTarget,
  link: number,
  request: DirectRequest,
): Promise<DirectAnswer> {
  const links = await tools.linkTargets
    .find(target.accountId, target.sourceId, target.contactId)
    .catch((error: unknown) => {
      if (isAway(error)) return "away" as const;
      throw error;
    });
  const words = wordsFor(tools, request);
  if (links === "away") {
    return unavailable({
      words,
      retryAfterSeconds: COME_BACK_AFTER_SECONDS,
      unsubscribePath: null,
      retryPath: request.url,
    });
  }
  const found = links?.[link];
  if (!found) return notFound(words);
  const followed =
    typeof found === "string"
      ? { location: found }
      : await followLink(tools, target, found, { words, path: request.url });
  if ("page" in followed && !followed.isHit) return followed.page;
  if ("location" in followed) return leadOn(tools, target, link, followed.location, request);
  await tools.recorder.record(toHit(tools, request, target, link));
  return followed.page;
}

async function leadOn(
  tools: HitTools,
  target: HitTarget,
  link: number,
  location: string,
  request: DirectRequest,
): Promise<DirectAnswer> {
  await tools.recorder.record(toHit(tools, request, target, link));
  return { status: 302, headers: { location, "x-robots-tag": "noindex" }, body: "" };
}

/** Hits are many, and these pages few: they are in the visitor's language, and no account is looked up for its own words. */
function wordsFor({ pageWords }: HitTools, { headers }: DirectRequest): Words {
  return pageWords.forVisitor(headers["accept-language"]);
}

/** A number as it was written into the mail: no sign, no leading zero, no other notation. */
function readLinkNumber(text: string): number | undefined {
  return /^(?:0|[1-9]\d{0,4})$/.test(text) ? Number(text) : undefined;
}

const PIXEL: DirectAnswer = {
  status: 200,
  headers: {
    "content-type": "image/gif",
    "cache-control": "no-store, private",
    // Mail is read on other sites, which fetch the pixel from there.
    "cross-origin-resource-policy": "cross-origin",
  },
  body: Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64"),
};

const MOST_USER_AGENT = 500;
/** The longest address as text is an IPv6 one that ends as an IPv4 one. Anything longer is no address. */
const MOST_ADDRESS = 45;

function toHit(
  { clock }: HitTools,
  { method, headers, ip }: DirectRequest,
  target: HitTarget,
  link: number | null,
): Hit {
  return {
    accountId: target.accountId,
    sourceId: target.sourceId,
    contactId: target.contactId,
    link,
    at: clock.now(),
    times: 1,
    isHead: method === "HEAD",
    isPrefetch: ["sec-purpose", "purpose", "x-purpose", "x-moz"].some((name) => isPrefetch(headers[name])),
    hasFrom: headers.from !== undefined,
    userAgent: toStorable(headers["user-agent"] ?? ""),
    address: ip.length <= MOST_ADDRESS ? ip : "",
  };
}

function isPrefetch(purpose: string | string[] | undefined): boolean {
  return purpose !== undefined && /prefetch|prerender|preview/i.test(String(purpose).slice(0, 100));
}

/** PostgreSQL takes no NUL and no half of a surrogate pair. */
function toStorable(text: string): string {
  return text.slice(0, MOST_USER_AGENT).replaceAll("\0", "").toWellFormed();
}
