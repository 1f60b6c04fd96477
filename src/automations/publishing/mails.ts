/** Makes the mails of a draft ready to be frozen: each e-mail step is examined as a campaign is at its launch. */
import { readSenderAddresses } from "../../accounts/accounts.ts";
import type { BlocksDocument } from "../../content/content.ts";
import { listDomainsAbove } from "../../domains/domains.ts";
import {
  contentBusy,
  examineMessage,
  faultsOfChecks,
  isUndecided,
  type Message,
  type MessageTools,
  makeRevision,
  type Revision,
} from "../../messages/messages.ts";
import type { Ctx } from "../../platform/context.ts";
import { escapePointer } from "../../platform/http/bodies/validation.ts";
import { fromPublicId, toPublicId } from "../../platform/ids.ts";
import { AppError, type Fault } from "../../platform/problems.ts";
import { hasMarkup, markupFaults, readPublished } from "../../templates/templates.ts";
import type { EmailMessage, Graph } from "../graph-types.ts";

type AutomationOf = { readonly id: string; readonly listId: string };

/** The domain that a mail is from, and those of the account that it is or is below. */
type FromDomain = { readonly domain: string; readonly domainIds: readonly string[] };

export type PreparedMails = {
  readonly faults: readonly Fault[];
  /** By the names of their steps; empty where there are faults. */
  readonly revisions: ReadonlyMap<string, Revision>;
  readonly from: readonly FromDomain[];
  /** Whether they were examined for the sandbox, from which nothing leaves; null where it sends no mail. */
  readonly isSandbox: boolean | null;
};

/** So many are compiled at once: the threads that do it serve others too. */
const AT_ONCE = 4;

/** Prepares all mails, and names what is wrong with any of them. It compiles, so it comes before the transaction. */
export async function prepareMails(
  ctx: Ctx,
  tools: MessageTools,
  automation: AutomationOf,
  graph: Graph,
): Promise<PreparedMails> {
  const steps = [...graph.nodes].flatMap(([name, node]) => (node.type === "email" ? [{ name, node }] : []));
  const made: Made[] = [];
  for (let at = 0; at < steps.length; at += AT_ONCE) {
    const some = steps.slice(at, at + AT_ONCE);
    made.push(
      ...(await Promise.all(
        some.map(({ name, node }) => prepareOne(ctx, tools, automation, name, node.message)),
      )),
    );
  }
  const faults = distinct(made.flatMap((one) => one.faults));
  if (faults.length > 0) return { faults, revisions: new Map(), from: [], isSandbox: null };
  const domains = new Map(made.flatMap(({ from }) => (from ? [[from.domain, from] as const] : [])));
  const revisions = made.flatMap(({ name, revision }) => (revision ? [[name, revision] as const] : []));
  const ways = made.flatMap(({ isSandbox }) => (isSandbox === undefined ? [] : [isSandbox]));
  // Where a server came or went in between, nothing leaves of it.
  const isSandbox = ways.length === 0 ? null : ways.includes(true);
  return { faults, revisions: new Map(revisions), from: [...domains.values()], isSandbox };
}

type Made = {
  readonly name: string;
  readonly faults: readonly Fault[];
  readonly revision?: Revision;
  readonly from?: FromDomain | undefined;
  readonly isSandbox?: boolean;
};

async function prepareOne(
  ctx: Ctx,
  tools: MessageTools,
  automation: AutomationOf,
  name: string,
  written: EmailMessage,
): Promise<Made> {
  const read = await readMessage(ctx, automation, name, written);
  if ("faults" in read) return { name, faults: read.faults };
  const examined = await examineMessage(ctx, tools, read.message);
  if (isUndecided(examined)) {
    const headers = { "retry-after": "5" };
    throw new AppError(contentBusy, "it could not be compiled just now; try again in a moment", { headers });
  }
  const faults = faultsOfChecks(examined.checks).map((fault) => inStep(name, fault, written));
  if (faults.length > 0) return { name, faults };
  const domain = examined.sender?.domain;
  const from =
    domain === undefined
      ? undefined
      : { domain, domainIds: await listDomainsAbove(ctx.sql, ctx.accountId, domain) };
  const { isSandbox } = examined.defaults;
  const revision = await makeRevision(ctx, tools, read.message, examined);
  return { name, faults, revision, from, isSandbox };
}

/** Turns a step into the message that it sends. A template gives the content of its published version. */
export async function readMessage(
  ctx: Ctx,
  { id, listId }: AutomationOf,
  name: string,
  written: EmailMessage,
): Promise<{ readonly message: Message } | { readonly faults: readonly Fault[] }> {
  const { addresses, faults: addressFaults } = readSenderAddresses(written);
  const template =
    written.template_id === undefined ? undefined : await readPublished(ctx, written.template_id);
  const taken = template && "content" in template ? template.content : undefined;
  const content = {
    html: written.html ?? taken?.html ?? null,
    mjml: written.mjml ?? taken?.mjml ?? null,
    blocks: (written.blocks as BlocksDocument | undefined) ?? taken?.blocks ?? null,
    text: written.text ?? taken?.text ?? null,
  };
  const faults: Fault[] = [...addressFaults, ...(template && "fault" in template ? [template.fault] : [])];
  if (taken && !hasMarkup(taken)) {
    const detail = "the template has no HTML, which a step needs";
    faults.push({ pointer: "/template_id", code: "template_without_html", detail });
  }
  if (faults.length === 0) faults.push(...markupFaults(content, taken?.blocks ?? null));
  if (faults.length > 0) return { faults: faults.map((fault) => inStep(name, fault, written)) };
  const message: Message = {
    stream: "automation",
    subject: written.subject,
    previewText: written.preview_text ?? taken?.preview_text ?? null,
    ...content,
    sender: {
      name: written.from_name ?? null,
      email: addresses.from_email ?? null,
      replyTo: addresses.reply_to ?? null,
    },
    tracking: { opens: true, clicks: true },
    utm: null,
    listId,
    topicId: written.topic_id === undefined ? null : (fromPublicId("top", written.topic_id) ?? null),
    ownerId: toPublicId("aut", id),
    campaign: null,
  };
  return { message };
}

/** Faults of the account and of the list are the same for every step, and have no place in one. */
const ELSEWHERE = ["", "/list_id"];
const CONTENTS = ["/html", "/mjml", "/blocks", "/text"];

/** Puts a fault at its place in the draft. What is wrong with the content of a template is wrong with naming that template. */
export function inStep(name: string, fault: Fault, { template_id: templateId }: EmailMessage): Fault {
  const { pointer = "" } = fault;
  if (ELSEWHERE.includes(pointer)) return fault;
  const own = templateId !== undefined && CONTENTS.includes(pointer) ? "/template_id" : pointer;
  return { ...fault, pointer: `/draft/nodes/${escapePointer(name)}${own}` };
}

function distinct(faults: readonly Fault[]): readonly Fault[] {
  return [
    ...new Map(faults.map((fault) => [`${fault.pointer} ${fault.code} ${fault.detail}`, fault])).values(),
  ];
}
