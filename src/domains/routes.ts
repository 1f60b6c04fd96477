import { Readable } from "node:stream";
import { Type } from "typebox";
import { pageByAge } from "../platform/http/paging/page-by-age.ts";
import { type Answer, type Route, readRoute, writeRoute } from "../platform/http/route.ts";
import { PublicId, Strict } from "../platform/http/schemas.ts";
import { requireId } from "../platform/ids.ts";
import { type DomainTools, lookOnRequest, zoneOf } from "./commands.ts";
import {
  createDomain,
  deleteDomain,
  domainEtag,
  type FindCampaignFrom,
  mustFind,
  prepareDomain,
  prepareEdit,
  updateDomain,
} from "./edit.ts";
import { prepareRotation, rotateKeys } from "./keys/rotation.ts";
import { WATCHED_EVERY_MS, WATCHED_FOR_MS } from "./looks/status.ts";
import {
  domainExists,
  domainInUse,
  hostTaken,
  standbyNotPublished,
  tooManyDomains,
  tooManyKeys,
  verifiedLately,
} from "./problems.ts";
import { Domain, DomainCreate, DomainPage, DomainPatch, DomainQuery } from "./schema.ts";
import { shapeDomain } from "./shape.ts";
import { countDomains, type DomainWithKeys, listDomains, markWatched } from "./store.ts";

const Params = Strict({ id: PublicId("dom") });
const tag = "Domains";
const read = "domains:read";
const write = "domains:write";
/** A page that is open reads every few seconds, and not each read has to write. */
const REWRITE_AFTER_MS = 3_000;

const domainId = (text: string) => requireId("dom", text, "domain");

type RouteTools = DomainTools & { readonly findCampaignFrom: FindCampaignFrom };

export function domainRoutes(tools: RouteTools): readonly Route[] {
  return [
    readRoute({
      path: "/v1/domains",
      scope: read,
      tag,
      summary: "List domains",
      description: "The account's sender domains, newest first.",
      query: DomainQuery,
      success: { status: 200, schema: DomainPage, description: "A page of domains." },
      handler: (call) =>
        pageByAge(call, {
          list: (db, accountId, page) => listDomains(db, accountId, call.query.status, page),
          count: (db, accountId) => countDomains(db, accountId, call.query.status),
          shape: shapeDomain,
        }),
    }),
    writeRoute({
      method: "POST",
      path: "/v1/domains",
      scope: write,
      audit: { action: "domain.created", of: "answer" },
      tag,
      summary: "Add a domain",
      description:
        "Makes the keys that its mail will be signed with. Publish what `records` shows: the domain is verified once your active key " +
        "stands in its DNS, which is looked for by itself. Two accounts may both prove the same domain, each by its own key.",
      body: DomainCreate,
      success: { status: 201, schema: Domain, description: "The domain." },
      problems: [domainExists, hostTaken, tooManyDomains],
      prepare: ({ ctx, body }) => prepareDomain(ctx, tools, body),
      async handler({ ctx, baseUrl }, prepared) {
        const answer = answerWith(await createDomain(ctx, tools, prepared), 201);
        return { ...answer, headers: { location: `${baseUrl}/v1/domains/${answer.body?.id}` } };
      },
    }),
    readRoute({
      path: "/v1/domains/:id",
      scope: read,
      tag,
      summary: "Get a domain",
      description: "Whoever reads it has its DNS looked at every 5 seconds, for the next 15 seconds.",
      params: Params,
      success: { status: 200, schema: Domain, description: "The domain." },
      async handler({ ctx, params }) {
        const domain = await mustFind(ctx, domainId(params.id));
        const now = ctx.clock.now();
        const inMs = (ms: number) => new Date(now.getTime() + ms);
        await markWatched(tools.db, ctx.accountId, domain.id, {
          now,
          until: inMs(WATCHED_FOR_MS),
          rewriteBefore: inMs(WATCHED_FOR_MS - REWRITE_AFTER_MS),
          everyMs: WATCHED_EVERY_MS,
        });
        return answerWith(domain, 200);
      },
    }),
    writeRoute({
      method: "PATCH",
      path: "/v1/domains/:id",
      scope: write,
      audit: { action: "domain.updated", of: "path" },
      tag,
      summary: "Change a domain",
      description:
        "What is left out stays as it is; null clears. A new host is used once its record is right. Its name stays.",
      params: Params,
      body: DomainPatch,
      success: { status: 200, schema: Domain, description: "The domain as it now is." },
      problems: [hostTaken, tooManyKeys],
      prepare: ({ ctx, params, body }) => prepareEdit(ctx, tools, domainId(params.id), body),
      async handler({ ctx, params, body, ifMatch }, keys) {
        return answerWith(await updateDomain(ctx, tools, domainId(params.id), body, keys, ifMatch), 200);
      },
    }),
    writeRoute({
      method: "DELETE",
      path: "/v1/domains/:id",
      scope: write,
      audit: { action: "domain.deleted", of: "path" },
      tag,
      summary: "Delete a domain",
      description:
        "Its keys are gone for good. Refused while a campaign that is scheduled, being sent or paused is from it.",
      params: Params,
      success: { status: 204, schema: null, description: "Gone." },
      problems: [domainInUse],
      async handler({ ctx, params }) {
        await deleteDomain(ctx, tools.findCampaignFrom, domainId(params.id));
        return { status: 204 };
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/domains/:id/verify",
      scope: write,
      audit: { action: "domain.checked", of: "path" },
      tag,
      summary: "Look into the DNS now",
      description:
        "Asks for all records and answers with what was found. Once in 10 seconds; it is looked at by itself too.",
      params: Params,
      success: { status: 200, schema: Domain, description: "The domain as it was found." },
      problems: [verifiedLately],
      async act({ ctx, params }) {
        const id = domainId(params.id);
        await lookOnRequest(ctx, tools, id);
        return id;
      },
      async handler({ ctx }, id) {
        return answerWith(await mustFind(ctx, id), 200);
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/domains/:id/rotate_key",
      scope: write,
      audit: { action: "domain.key_rotated", of: "path" },
      tag,
      summary: "Rotate the keys",
      description:
        "The standby key, whose record stands in the DNS already, signs from now on, and a new standby key is made: publish its record " +
        "for the next time. The record of the former key has to stay for 7 days, until the key is `retired`. An Ed25519 key whose record " +
        "isn't there stays as it is, and keeps nobody from rotating the RSA key.",
      params: Params,
      success: { status: 200, schema: Domain, description: "The domain with its new keys." },
      problems: [standbyNotPublished, tooManyKeys],
      prepare: ({ ctx, params }) => prepareRotation(ctx, tools, domainId(params.id)),
      async handler({ ctx, params }, prepared) {
        return answerWith(await rotateKeys(ctx, tools, domainId(params.id), prepared), 200);
      },
    }),
    readRoute({
      path: "/v1/domains/:id/zone",
      scope: read,
      tag,
      summary: "Get the records as a zone file",
      description: "The lines that a name server such as BIND takes.",
      params: Params,
      success: {
        status: 200,
        schema: Type.String(),
        contentType: "text/plain",
        description: "The lines.",
      },
      async handler({ ctx, params }) {
        const lines = Buffer.from(await zoneOf(ctx, tools, domainId(params.id)));
        const headers = { "content-type": "text/plain; charset=utf-8" };
        return { status: 200, headers, stream: Readable.from([lines], { objectMode: false }) };
      },
    }),
  ];
}

function answerWith(domain: DomainWithKeys, status: number): Answer<Domain> {
  return { status, body: shapeDomain(domain), etag: domainEtag(domain) };
}
