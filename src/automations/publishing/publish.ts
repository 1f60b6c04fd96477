/** Publishes a draft: it becomes a version with frozen mails, and people inside follow it when they are next looked at. */
import { refuseWhileHeld, requireFeature } from "../../accounts/accounts.ts";
import { holdDomainsAbove } from "../../domains/domains.ts";
import { recordEvent } from "../../events/events.ts";
import { type MessageTools, storeRevision } from "../../messages/messages.ts";
import type { Ctx, TxCtx } from "../../platform/context.ts";
import { escapePointer } from "../../platform/http/bodies/validation.ts";
import { requireMatch } from "../../platform/http/etag.ts";
import { toPublicId } from "../../platform/ids.ts";
import { addJob } from "../../platform/jobs/jobs.ts";
import { AppError, type Fault, invalid, missing } from "../../platform/problems.ts";
import { allFields, findList, type SentCampaigns } from "../../subscribers/subscribers.ts";
import { automationEtag } from "../automations.ts";
import { readDraft } from "../draft.ts";
import { keepWanted } from "../feed/feed.ts";
import { readGraph } from "../graph/graph.ts";
import type { Graph } from "../graph-types.ts";
import { nodesInUse, notReady, refuse } from "../problems.ts";
import { nextStatus } from "../status.ts";
import { type AutomationRow, findAutomation, lockAutomation, moveAutomation } from "../store.ts";
import { type Comparison, compareGraphs, hasOtherWait } from "./compare.ts";
import { countDueNow } from "./due-now.ts";
import { standingIn } from "./following.ts";
import { type PreparedMails, prepareMails } from "./mails.ts";
import { recountWaits } from "./recount.ts";
import {
  countInside,
  countStanding,
  findVersion,
  insertVersion,
  type People,
  readFollowing,
  type VersionRow,
  type Waits,
} from "./version-store.ts";

export type PublishingTools = MessageTools & {
  readonly sent: SentCampaigns;
  /** Says what is wrong with a URL that a step posts to; undefined where it may. A name is resolved for it. */
  readonly findUrlFault: (url: string) => Promise<Fault | undefined>;
};

/** A draft that was examined; it holds for this very draft alone. */
export type Prepared = {
  readonly draft: string;
  readonly faults: readonly Fault[];
  /** Undefined where there are faults. */
  readonly ready: { readonly graph: Graph; readonly mails: PreparedMails } | undefined;
};

/** Examines a draft. It is slow, because it compiles, so it comes before the transaction. */
export async function preparePublishing(
  ctx: Ctx,
  tools: PublishingTools,
  id: string,
): Promise<Prepared | undefined> {
  const row = await findAutomation(ctx.sql, ctx.accountId, id);
  if (!row || !nextStatus(row.state, "publish")) return undefined;
  const draft = JSON.stringify(row.draft);
  const { graph, faults } = await readDraft(ctx, row.draft, tools.sent);
  if (!graph) return { draft, faults, ready: undefined };
  const mails = await prepareMails(ctx, tools, { id, listId: row.list_id }, graph);
  const found = [
    ...(await faultsOfUrls(tools, graph)),
    ...((await findList(ctx.sql, ctx.accountId, row.list_id)) ? [] : [listIsGone]),
    ...mails.faults,
  ];
  return { draft, faults: found, ready: found.length === 0 ? { graph, mails } : undefined };
}

const listIsGone: Fault = {
  pointer: "/list_id",
  code: "not_found",
  detail: "the list was deleted, with everybody on it",
};

/** A URL that leads inside the operator's network is refused here, and once more whenever it is posted to. */
async function faultsOfUrls({ findUrlFault }: PublishingTools, { nodes }: Graph): Promise<readonly Fault[]> {
  const faults: Fault[] = [];
  for (const [name, node] of nodes) {
    const fault = node.type === "webhook" ? await findUrlFault(node.url) : undefined;
    if (fault) faults.push({ ...fault, pointer: `/draft/nodes/${escapePointer(name)}/url` });
  }
  return faults;
}

type How = {
  readonly people: People;
  readonly waits: Waits;
  readonly mapping: Readonly<Record<string, string>>;
  readonly isDryRun: boolean;
};

const PLAIN: How = { people: "follow", waits: "recount", mapping: {}, isDryRun: false };

/** What a publication does, or would do. */
export type Publication = {
  readonly row: AutomationRow;
  readonly version: number;
  readonly publishedAt: Date | null;
  /** True where the published version is the same already, so that none was made. */
  readonly isUnchanged: boolean;
  readonly steps: Comparison;
  readonly inside: number;
  /** How many leave their wait at once, because they have waited for long enough by the new version. */
  readonly dueNow: number;
  /** False where so many wait that only some were counted. */
  readonly isDueNowExact: boolean;
  /** Whether its mail goes into the sandbox for ever. */
  readonly isSandbox: boolean;
  /** Who stands on steps that are gone and has nowhere to go; a publication with any is refused. */
  readonly stranded: readonly { readonly node: string; readonly people: number }[];
};

export async function publishAutomation(
  ctx: TxCtx,
  tools: PublishingTools,
  id: string,
  prepared: Prepared | undefined,
  how: How,
  ifMatch: string | undefined,
): Promise<Publication> {
  const row = await lockAutomation(ctx.sql, ctx.accountId, id);
  if (!row) throw missing("automation");
  const to = nextStatus(row.state, "publish");
  if (!to) throw refuse(row.state, `an automation that is ${row.state} can't be published`);
  requireMatch(ifMatch, automationEtag(row));
  await requireFeature(ctx, "automations");
  const ready = requireReady(row, prepared);
  const plan = await planPublication(ctx, tools, row, ready.graph, how);
  const isSandbox = ready.mails.isSandbox === true;
  if (how.isDryRun) return { row, publishedAt: null, isUnchanged: false, isSandbox, ...plan };
  const same = await findSame(ctx, row, ready, how);
  if (same) {
    const { number: version, published_at: publishedAt } = same;
    const nobody = { dueNow: 0, isDueNowExact: true, stranded: [] };
    return { row, isUnchanged: true, isSandbox, ...plan, ...nobody, version, publishedAt };
  }
  if (plan.stranded.length > 0) throw strand(plan.stranded);
  const moved = await writeVersion(ctx, tools, row, ready, how, plan);
  return { row: moved, publishedAt: moved.updated_at, isUnchanged: false, isSandbox, ...plan };
}

/** Returns the version that is published where another would be the very same: its steps, each of its mails, and how people take to it. */
async function findSame(
  { sql, accountId, clock }: TxCtx,
  row: AutomationRow,
  { mails }: NonNullable<Prepared["ready"]>,
  { people, waits, mapping }: How,
): Promise<VersionRow | undefined> {
  const current = await findVersion(sql, accountId, row.id, row.version);
  if (!current || JSON.stringify(current.graph) !== JSON.stringify(row.draft)) return undefined;
  if (current.people !== people || current.waits !== waits || Object.keys(mapping).length > 0)
    return undefined;
  // One that mails into the sandbox is published again once there is a server.
  if (current.is_sandbox !== mails.isSandbox) return undefined;
  // The same content has the same revision, and a mail may have changed with its template or its sender.
  for (const [name, revision] of mails.revisions)
    if ((await storeRevision(sql, accountId, revision, clock)) !== current.emails[name]) return undefined;
  return current;
}

function requireReady(row: AutomationRow, prepared: Prepared | undefined): NonNullable<Prepared["ready"]> {
  if (!prepared || prepared.draft !== JSON.stringify(row.draft))
    throw refuse(row.state, "it changed a moment ago; look at it and try again");
  if (!prepared.ready) throw notReady(prepared.faults);
  return prepared.ready;
}

type Plan = Pick<Publication, "version" | "steps" | "inside" | "dueNow" | "isDueNowExact" | "stranded"> & {
  readonly waiting: readonly string[];
};

/** Finds out what a publication means for those inside, of whom nobody is changed by it. */
async function planPublication(
  ctx: TxCtx,
  tools: PublishingTools,
  row: AutomationRow,
  graph: Graph,
  how: How,
): Promise<Plan> {
  const { sql, accountId } = ctx;
  const [chain, inside, fields, current] = [
    await readFollowing(sql, accountId, row.id),
    await countInside(sql, accountId, row.id),
    await allFields(sql, accountId),
    await findVersion(sql, accountId, row.id, row.version),
  ];
  const next = {
    number: row.version + 1,
    follows: how.people === "follow",
    keepsWaits: how.waits === "keep",
    mapping: how.mapping,
    steps: new Set(graph.nodes.keys()),
  };
  refuseFaultyMapping(
    how.mapping,
    chain.flatMap(({ steps }) => [...steps]),
    next.steps,
  );
  const former = current && readGraph(current.graph, fields, "").graph;
  const steps = compareVersions(former, chain.at(-1)?.steps ?? new Set(), graph);
  const base = { version: next.number, steps, inside };
  if (!next.follows || inside === 0)
    return { ...base, dueNow: 0, isDueNowExact: true, stranded: [], waiting: [] };
  // Rows say where people arrived, which a later version may have led elsewhere.
  const places = new Map(
    chain.flatMap((version) =>
      [...version.steps].map((node) => {
        const place = standingIn(chain, { version: version.number, node });
        return [`${version.number} ${node}`, place] as const;
      }),
    ),
  );
  const leadsTo = (node: string) => how.mapping[node] ?? node;
  const lost = new Set<string>();
  const waiting = new Set<string>();
  for (const [key, place] of places) {
    const physical = key.slice(key.indexOf(" ") + 1);
    if (!next.steps.has(leadsTo(place.node))) lost.add(physical);
    else if (
      !former ||
      place.wait.version !== row.version ||
      hasOtherWait(former, place.node, graph, leadsTo(place.node))
    )
      waiting.add(physical);
  }
  const standing = await countStanding(sql, accountId, row.id, [...lost]);
  const stranded = new Map<string, number>();
  for (const { version, node, people } of standing) {
    const place = places.get(`${version} ${node}`);
    if (place && !next.steps.has(leadsTo(place.node)))
      stranded.set(place.node, (stranded.get(place.node) ?? 0) + people);
  }
  const recounted = next.keepsWaits ? [] : [...waiting];
  const due = await countDueNow(ctx, tools.sent, row, [...chain, next], graph, recounted);
  return {
    ...base,
    ...due,
    stranded: [...stranded].map(([node, people]) => ({ node, people })),
    waiting: recounted,
  };
}

/** A version that can't be read any more, because a field of it was deleted, is compared by the names of its steps. */
function compareVersions(former: Graph | undefined, names: ReadonlySet<string>, graph: Graph): Comparison {
  if (former) return compareGraphs(former, graph);
  const kept = [...names].filter((name) => graph.nodes.has(name));
  return {
    added: [...graph.nodes.keys()].filter((name) => !names.has(name)),
    removed: [...names].filter((name) => !graph.nodes.has(name)),
    changed: kept,
    waits: kept,
  };
}

function refuseFaultyMapping(
  mapping: How["mapping"],
  former: readonly string[],
  steps: ReadonlySet<string>,
): void {
  const faults = Object.entries(mapping).flatMap(([from, to]) => {
    const pointer = `/mapping/${escapePointer(from)}`;
    if (!former.includes(from))
      return [{ pointer, code: "unknown_node", detail: "no version has had such a step" }];
    return steps.has(to)
      ? []
      : [{ pointer, code: "unknown_node", detail: "leads to a step that isn't in the draft" }];
  });
  if (faults.length > 0) throw invalid(...faults);
}

function strand(nodes: Publication["stranded"]): AppError {
  const people = nodes.reduce((sum, one) => sum + one.people, 0);
  const who = people === 1 ? "one person stands" : `${people} people stand`;
  return new AppError(nodesInUse, `${who} on steps that are gone; say in mapping where they go on`, {
    members: { nodes },
  });
}

/** Writes the version and makes it the published one, in the transaction of the caller, who has locked the automation. */
async function writeVersion(
  ctx: TxCtx,
  { sent }: PublishingTools,
  row: AutomationRow,
  { graph, mails }: NonNullable<Prepared["ready"]>,
  { people, waits, mapping }: How,
  { version, waiting }: Plan,
): Promise<AutomationRow> {
  const { sql, accountId, actor, clock } = ctx;
  if (row.state !== "draft") await refuseWhileHeld(ctx);
  await holdDomains(ctx, row, mails);
  const emails: Record<string, string> = {};
  for (const [name, revision] of mails.revisions)
    emails[name] = await storeRevision(sql, accountId, revision, clock);
  const at = clock.now();
  const content = { graph: row.draft, emails, is_sandbox: mails.isSandbox };
  const made = { number: version, people, waits, mapping, ...content, published_at: at };
  await insertVersion(sql, accountId, row.id, made, actor);
  const moved = await moveAutomation(sql, row, { state: row.state, version }, at, actor);
  if (row.state !== "draft") await keepWanted(ctx, sent, { id: row.id, listId: row.list_id }, graph);
  if (waiting.length > 0) {
    const payload = { account_id: accountId, automation_id: row.id, version, nodes: [...waiting] };
    await addJob(sql, recountWaits, payload, { key: `recount ${row.id} ${version}` });
  }
  const data = { automation_id: toPublicId("aut", row.id), version };
  await recordEvent(ctx, { type: "automation.published", data });
  return moved;
}

/** Keeps the domains that its mails are from. One that is gone since they were examined would let them leave unsigned. */
async function holdDomains(
  { sql, accountId }: TxCtx,
  row: AutomationRow,
  { from }: PreparedMails,
): Promise<void> {
  for (const { domain, domainIds } of from) {
    const held = new Set(await holdDomainsAbove(sql, accountId, domain));
    if (domainIds.some((id) => !held.has(id)))
      throw refuse(
        row.state,
        "a domain that it mails from was deleted a moment ago; look at it and try again",
      );
  }
}

/** Publishes what isn't published yet, for a start: a draft that is published as it is isn't again. */
export async function publishIfNeeded(
  ctx: TxCtx,
  tools: PublishingTools,
  row: AutomationRow,
  prepared: Prepared | undefined,
): Promise<{ readonly row: AutomationRow; readonly graph: Graph }> {
  const ready = requireReady(row, prepared);
  const current = await findVersion(ctx.sql, ctx.accountId, row.id, row.version);
  const isSame = current && JSON.stringify(current.graph) === JSON.stringify(row.draft);
  if (isSame && current.is_sandbox === ready.mails.isSandbox) return { row, graph: ready.graph };
  const plan = await planPublication(ctx, tools, row, ready.graph, PLAIN);
  return { row: await writeVersion(ctx, tools, row, ready, PLAIN, plan), graph: ready.graph };
}
