/** Examines a message: compiles it, renders it for somebody, and says everything that is wrong with it at once. */
import type { CompiledContent, ContentFault, ContentWorkers, Finding } from "../../content/content.ts";
import type { SigningKeys } from "../../domains/domains.ts";
import type { Ctx } from "../../platform/context.ts";
import type { Queryable } from "../../platform/db/db.ts";
import type { Fault } from "../../platform/problems.ts";
import { INERT_TOKEN, linksFor } from "../links/links.ts";
import { type Message, type Served, trackingOf, UNTRACKED } from "../message.ts";
import { contentOf } from "../message-content.ts";
import type { Check } from "../schema.ts";
import { postalAddressOf, readSenderDefaults, type SenderDefaults, senderOf } from "../sender-defaults.ts";
import {
  checkSenderDomain,
  readSenderDomain,
  type SenderDomain,
  type UnverifiedSenders,
} from "../sender-domain.ts";
import { trackingModeOf } from "../tracking-mode.ts";
import { inBlocks } from "./block-places.ts";
import { checkBlocks } from "./blocks-checks.ts";
import { guardrailChecks } from "./guardrail-checks.ts";
import { readProbed } from "./probe-store.ts";
import { type RenderedMessage, renderFor, renderPreviewText } from "./render-for.ts";
import { isKnownVariable, sampleSubscriber } from "./sample-recipient.ts";
import { checkUnsubscribeLink } from "./unsubscribe-checks.ts";
import { checkUntrackedLinks } from "./untracked-links.ts";

/** The tools that messages need beside the database. */
export type MessageTools = {
  readonly workers: Pick<ContentWorkers, "compile" | "writeMjml" | "check" | "render">;
  /** The address where recipients reach us. It is known for certain once the service listens. */
  readonly publicUrl: () => string;
  /** The domain of return paths and `mailto:` unsubscribes; undefined where there are none. */
  readonly inboundDomain: string | undefined;
  /** Says whether bounces and complaints about an account's mail come back here by any way. */
  readonly hasBouncePath: (db: Queryable, accountId: string) => Promise<boolean>;
  /** The host of the instance's SMTP server, by which mail leaves where an account has none of its own. */
  readonly relayHost: string | undefined;
  /** The hosts that INTERNAL_HOSTS lists. */
  readonly internalHosts: readonly string[];
  readonly served: Served;
  /** Says what the account has proved of a sender's domain. Test mail is signed by it, as the mail itself will be. */
  readonly signing: Pick<SigningKeys, "identityOf" | "readFacts">;
  readonly unverifiedSenders: UnverifiedSenders;
};

export type Examined = {
  readonly checks: readonly Check[];
  readonly defaults: SenderDefaults;
  /** Undefined where it has no sender. */
  readonly sender: SenderDomain | undefined;
  /** The compiled content; null where it doesn't compile. */
  readonly compiled: CompiledContent | null;
};

export async function examineMessage(ctx: Ctx, tools: MessageTools, message: Message): Promise<Examined> {
  const defaults = await readSenderDefaults(ctx, tools, message);
  const ofCampaigns = message.stream !== "transactional" ? await campaignChecks(ctx, tools, defaults) : [];
  const sender = await readSenderDomain(ctx, tools, message, defaults);
  const ofSending = [
    ...(await unsubscribeChecks(ctx, tools, defaults)),
    ...ofCampaigns,
    ...checkSenderDomain(sender, defaults, tools.unverifiedSenders),
  ];
  const made = await tools.workers.compile(
    contentOf(message, defaults, UNTRACKED, tools.publicUrl()),
    ctx.accountId,
  );
  if (!made.ok) {
    const envelope = await envelopeChecks(ctx, tools, message, defaults);
    const checks = [...ofSending, ...made.faults.map(toCheck), ...envelope];
    return { checks: worstFirst(checks), defaults, sender, compiled: null };
  }
  const { compiled } = made;
  const subscriber = sampleSubscriber(defaults.fields);
  const [rendered, previewText] = await Promise.all([
    renderFor(ctx, tools, { message, defaults, compiled, subscriber }),
    renderPreviewText(ctx, tools, { message, defaults, subscriber }),
  ]);
  const found = rendered.ok
    ? inBlocks(
        message,
        { html: rendered.message.html, blocks: rendered.blocks },
        await checkRendered(ctx, tools, message, defaults, { ...rendered.message, previewText }),
      )
    : [
        toCheck(faultOfRendering(message, rendered.fault)),
        ...(await envelopeChecks(ctx, tools, message, defaults)),
      ];
  const uncounted = trackingOf(message, tools.served, trackingModeOf(defaults)).clicks
    ? checkUntrackedLinks(message, compiled)
    : [];
  const checks = worstFirst([
    ...ofSending,
    ...unknownNames(compiled, defaults),
    ...found,
    ...checkBlocks(message),
    ...uncounted,
  ]);
  return { checks, defaults, sender, compiled };
}

/** Says what stands in the way of any campaign of the account, and by which server of its own campaigns leave. */
export async function checkSending(
  ctx: Ctx,
  tools: MessageTools,
): Promise<{ readonly ownHost: string | undefined; readonly checks: readonly Check[] }> {
  const defaults = await readSenderDefaults(ctx, tools, { listId: null, topicId: null, stream: "campaign" });
  const [ofLink, ofCampaigns] = await Promise.all([
    unsubscribeChecks(ctx, tools, defaults),
    campaignChecks(ctx, tools, defaults),
  ]);
  return { ownHost: defaults.ownHost, checks: worstFirst([...ofLink, ...ofCampaigns]) };
}

async function campaignChecks(ctx: Ctx, tools: MessageTools, defaults: SenderDefaults): Promise<Check[]> {
  const holds = await guardrailChecks(ctx, defaults);
  // From the sandbox nothing leaves, so nothing comes back.
  const isDeaf = defaults.transportHost !== undefined && !(await tools.hasBouncePath(ctx.sql, ctx.accountId));
  return isDeaf ? [...holds, NO_BOUNCE_PATH] : holds;
}

const NO_BOUNCE_PATH: Check = {
  code: "no_bounce_path",
  severity: "warning",
  message: "Bounces that come after the mail was taken, and complaints, don't come back here.",
  remedy: "Set INBOUND_DOMAIN, connect the mailbox that they go to, or have your provider post them here.",
  place: null,
  count: 1,
};

/** No request is made here: what a look from outside found is kept. */
async function unsubscribeChecks(
  ctx: Ctx,
  tools: MessageTools,
  { transportHost }: SenderDefaults,
): Promise<Check[]> {
  if (transportHost === undefined) return [];
  const { internalHosts, served } = tools;
  const probed = await readProbed(ctx.sql);
  return checkUnsubscribeLink({
    publicUrl: tools.publicUrl(),
    isServed: served.unsubscribe,
    transportHost,
    internalHosts,
    probed,
  });
}

async function checkRendered(
  { accountId }: Ctx,
  tools: MessageTools,
  message: Pick<Message, "sender" | "stream">,
  defaults: SenderDefaults,
  rendered: RenderedMessage & { readonly previewText: string | null },
): Promise<Check[]> {
  const { name, email } = senderOf(message, defaults);
  const checked = await tools.workers.check(
    {
      subject: rendered.subject,
      preheader: rendered.previewText,
      html: rendered.html ?? "",
      text: rendered.text,
      from: email === null ? null : { name, email },
      stream: message.stream,
      unsubscribeUrl: linksFor(tools.publicUrl(), INERT_TOKEN).unsubscribe,
      postalAddress: postalAddressOf(defaults),
      transportHost: defaults.transportHost ?? null,
    },
    accountId,
  );
  return checked.ok
    ? checked.findings.map((finding) => lower(defaults, finding))
    : checked.faults.map(toCheck);
}

const OF_ENVELOPE = ["missing_from", "free_mail_sender", "missing_postal_address"];
/** With this code the threads had no answer, which says nothing about the message. */
const UNDECIDED = "worker_failed";

/** Of a message that can't be made, its sender and its postal address can be checked all the same. */
async function envelopeChecks(
  ctx: Ctx,
  tools: MessageTools,
  message: Message,
  defaults: SenderDefaults,
): Promise<Check[]> {
  const address = postalAddressOf(defaults) ?? "";
  const placeholder = { subject: "x", html: `<p>${address}</p>`, text: address, previewText: null };
  const checks = await checkRendered(ctx, tools, message, defaults, placeholder);
  return checks.filter(({ code }) => [...OF_ENVELOPE, UNDECIDED].includes(code));
}

/** In the sandbox, from which nothing leaves, what only matters outside is no error. */
function lower({ isSandbox }: SenderDefaults, finding: Finding): Check {
  const isLowered = isSandbox && OF_ENVELOPE.includes(finding.code);
  return { ...finding, severity: isLowered ? "warning" : finding.severity };
}

function unknownNames(compiled: CompiledContent, { fields }: SenderDefaults): Check[] {
  const keys = new Set(fields.map(({ key }) => key));
  return compiled.variables
    .filter(({ name }) => !isKnownVariable(name, keys))
    .map(({ name, part, line, column }) => ({
      code: "unresolved_variable",
      severity: "error",
      message: `Nothing is known by the name ${name.slice(0, 60)}.`,
      remedy: "Correct the name, or add the field that is meant.",
      place: { part, line, column, excerpt: name.slice(0, 60) },
      count: 1,
    }));
}

/** The place of a slot is the number of its block where there are blocks. */
function faultOfRendering({ blocks }: Pick<Message, "blocks">, fault: ContentFault): ContentFault {
  return blocks !== null && fault.part === "html" ? { ...fault, part: "blocks" } : fault;
}

function toCheck({ code, part, line, column, detail }: ContentFault): Check {
  const place = part && line !== null ? { part, line, column: column ?? 1, excerpt: "" } : null;
  // What it quotes may hold sentences too, so what to do is the last.
  const [, message = detail, remedy = ""] = /^(.*\.) ([^.].*)$/s.exec(detail) ?? [];
  return {
    code,
    severity: "error",
    message,
    remedy,
    place,
    count: 1,
  };
}

/** Turns faults of the content into those that an answer names. */
export function faultsOfContent(faults: readonly ContentFault[]): Fault[] {
  return faults.map(toCheck).map(toFault);
}

const ORDER = ["error", "warning", "info"];

function worstFirst(checks: readonly Check[]): Check[] {
  return checks.toSorted((one, other) => ORDER.indexOf(one.severity) - ORDER.indexOf(other.severity));
}

/** Whether the threads had no answer: then the message may be well, or not. */
export function isUndecided({ checks }: Pick<Examined, "checks">): boolean {
  return checks.some(({ code }) => code === UNDECIDED);
}

const POINTERS: Readonly<Record<string, string>> = {
  unsubscribe_not_served: "",
  public_url_not_reachable: "",
  guardrail_hold: "",
  missing_from: "/from_email",
  unverified_domain: "/from_email",
  missing_subject: "/subject",
  missing_postal_address: "/list_id",
  preheader: "/preview_text",
  from: "/from_email",
};

/** Turns the errors among checks into the faults by which an answer names what stands in the way of sending. */
export function faultsOfChecks(checks: readonly Check[]): Fault[] {
  return checks.filter(({ severity }) => severity === "error").map(toFault);
}

function toFault({ code, message, remedy, place }: Check): Fault {
  const part = place?.part ?? "html";
  const where = place ? ` (line ${place.line}, column ${place.column})` : "";
  return {
    pointer: POINTERS[code] ?? POINTERS[part] ?? `/${part}`,
    code,
    detail: `${message}${where} ${remedy}`.trim(),
    ...(place && { line: place.line, column: place.column }),
  };
}
