/**
 * Keeps each tracking host to its own account. Whoever may send by this instance could else have their links and pages answered under
 * a name that is somebody else's. Only what mail leads to by such a host is answered there; all the rest is under PUBLIC_URL.
 */
import type { FastifyInstance } from "fastify";
import type { TrackingHosts } from "../domains/domains.ts";
import { FILE_KIND } from "../files/files.ts";
import { INERT_TOKEN, type LinkTokens } from "../messages/messages.ts";
import type { Queryable } from "../platform/db/db.ts";
import { findPublicName } from "../platform/public-names.ts";
import { isAway, notFound, type PageWords, sendPage } from "../public-pages/public-pages.ts";

type GuardTools = {
  readonly db: Queryable;
  readonly hosts: TrackingHosts;
  readonly linkTokens: LinkTokens;
  readonly pageWords: PageWords;
};

/** Says whether what is this account's may be answered under the host. */
type MayAnswer = (host: string, accountId: string) => Promise<boolean>;

export function createMayAnswer(hosts: TrackingHosts): MayAnswer {
  return async (host, accountId) => (await ownersOf(hosts, host))?.has(accountId) ?? true;
}

const OF_MAIL = /^\/[ocupv]\/([^/?]+)/;
const OF_FILE = /^\/files\/([^/?]+)/;
/** By it we ask whether a host leads here, and web servers whether we are alive. */
const OF_ANYBODY = /^\/healthz(?:$|\?)/;

/** Stands before all routes of this process. What is answered before the framework asks by itself. */
export function guardHosts(fastify: FastifyInstance, { db, hosts, linkTokens, pageWords }: GuardTools): void {
  async function accountOf(url: string): Promise<string | undefined> {
    const [, token = ""] = OF_MAIL.exec(url) ?? [];
    if (token !== "") return linkTokens.readHit(token)?.accountId;
    const [, file = ""] = OF_FILE.exec(url) ?? [];
    return file === "" ? undefined : (await findPublicName(db, FILE_KIND, file))?.account_id;
  }

  fastify.addHook("onRequest", async (request, reply) => {
    const { url = "" } = request.raw;
    const owners = await ownersOf(hosts, request.hostname);
    if (!owners || OF_ANYBODY.test(url) || OF_MAIL.exec(url)?.[1] === INERT_TOKEN) return undefined;
    const accountId = await accountOf(url);
    if (accountId !== undefined && owners.has(accountId)) return undefined;
    return sendPage(reply, notFound(pageWords.forVisitor(request.headers["accept-language"])));
  });
}

/** While the database is away, links lead on all the same. */
async function ownersOf(hosts: TrackingHosts, host: string): Promise<ReadonlySet<string> | undefined> {
  return hosts.ownersOf(host).catch((error) => {
    if (isAway(error)) return undefined;
    throw error;
  });
}
