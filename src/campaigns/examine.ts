/** Looks a campaign over: compiles it, renders it for somebody, and says everything that is wrong with it at once. */
import type { CompiledContent, ContentFault, ContentWorkers, Finding } from "../content/content.ts";
import type { DkimKey } from "../mail/dkim/dkim.ts";
import { fillSlots } from "../mail/mime/pieces.ts";
import type { Ctx } from "../platform/context.ts";
import type { Fault } from "../platform/problems.ts";
import { findSegment, hasMailable } from "../subscribers/subscribers.ts";
import type { Editable } from "./input.ts";
import { INERT_TOKEN, linksFor } from "./links.ts";
import { readProbed } from "./probe-store.ts";
import { isKnownVariable, type Reader, sampleReader } from "./readers.ts";
import type { Check } from "./schema.ts";
import {
  contentOf,
  namesOf,
  postalAddressOf,
  readSetting,
  type Served,
  type Setting,
  senderOf,
  UNTRACKED,
} from "./setting.ts";
import { checkWayOut } from "./way-out.ts";

/** What campaigns need beside the database. */
export type Tools = {
  readonly workers: Pick<ContentWorkers, "compile" | "check" | "render">;
  /** Where recipients reach us; known for certain once the service listens. */
  readonly publicUrl: () => string;
  /** Of the instance's SMTP server, by which mail leaves where an account has none of its own; undefined: the sandbox. */
  readonly relayHost: string | undefined;
  /** What INTERNAL_HOSTS lists. */
  readonly internalHosts: readonly string[];
  readonly served: Served;
  /** Test mail is signed as the campaign's will be. */
  readonly dkimKeys: readonly DkimKey[];
};

export type Letter = { readonly subject: string; readonly html: string | null; readonly text: string };

export type Examined = {
  readonly checks: readonly Check[];
  readonly setting: Setting;
  /** Null when it doesn't compile. */
  readonly compiled: CompiledContent | null;
};

type Subject = Editable & { readonly id: string };

export async function examine(ctx: Ctx, tools: Tools, campaign: Subject): Promise<Examined> {
  const setting = await readSetting(ctx, tools, campaign.list_id);
  const ofWayOut = await wayOutChecks(ctx, tools, setting);
  const made = await tools.workers.compile(contentOf(campaign, setting, UNTRACKED), ctx.accountId);
  if (!made.ok) {
    const envelope = await envelopeChecks(ctx, tools, campaign, setting);
    const checks = [...ofWayOut, ...made.faults.map(toCheck), ...envelope];
    return { checks: worstFirst(checks), setting, compiled: null };
  }
  const { compiled } = made;
  const letter = await renderFor(ctx, tools, campaign, setting, compiled, sampleReader(setting.fields));
  const found = letter.ok
    ? await checkLetter(ctx, tools, campaign, setting, letter.letter)
    : [toCheck(letter.fault), ...(await envelopeChecks(ctx, tools, campaign, setting))];
  const checks = worstFirst([...ofWayOut, ...unknownNames(compiled, setting), ...found]);
  return { checks, setting, compiled };
}

/** Makes no request: what a look from outside found is kept. */
async function wayOutChecks(ctx: Ctx, tools: Tools, { transportHost }: Setting): Promise<Check[]> {
  if (transportHost === undefined) return [];
  const { internalHosts, served } = tools;
  const probed = await readProbed(ctx.sql);
  return checkWayOut({
    publicUrl: tools.publicUrl(),
    isServed: served.unsubscribe,
    transportHost,
    internalHosts,
    probed,
  });
}

/** With an inert way out: whoever sees this is not the recipient. */
export async function renderFor(
  { accountId }: Ctx,
  tools: Tools,
  campaign: Subject,
  setting: Setting,
  compiled: CompiledContent,
  reader: Reader,
): Promise<{ ok: true; letter: Letter; values: readonly string[] } | { ok: false; fault: ContentFault }> {
  const recipient = {
    subscriber: reader,
    ...namesOf(campaign, setting),
    postalAddress: postalAddressOf(setting),
    urls: linksFor(tools.publicUrl(), INERT_TOKEN),
  };
  // In a thread, also what is fast for each recipient: it must be parsed first, and may be half a megabyte.
  const rendered = await tools.workers.render(compiled, recipient, accountId);
  if (!rendered.ok) return rendered;
  const { values } = rendered;
  const letter = {
    subject: fillSlots(compiled.subject, values),
    html: compiled.html && fillSlots(compiled.html, values),
    text: fillSlots(compiled.text, values),
  };
  return { ok: true, letter, values };
}

async function checkLetter(
  { accountId }: Ctx,
  tools: Tools,
  campaign: Subject,
  setting: Setting,
  letter: Letter,
): Promise<Check[]> {
  const { name, email } = senderOf(campaign, setting);
  const checked = await tools.workers.check(
    {
      subject: letter.subject,
      preheader: campaign.preview_text,
      html: letter.html ?? "",
      text: letter.text,
      from: email === null ? null : { name, email },
      stream: "campaign",
      unsubscribeUrl: linksFor(tools.publicUrl(), INERT_TOKEN).unsubscribe,
      postalAddress: postalAddressOf(setting),
    },
    accountId,
  );
  return checked.ok
    ? checked.findings.map((finding) => lower(setting, finding))
    : checked.faults.map(toCheck);
}

const OF_ENVELOPE = ["missing_from", "missing_postal_address"];
/** The threads had no answer, which says nothing about the campaign. */
const UNDECIDED = "worker_failed";

/** What can be said of a mail that can't be made. */
async function envelopeChecks(ctx: Ctx, tools: Tools, campaign: Subject, setting: Setting): Promise<Check[]> {
  const address = postalAddressOf(setting) ?? "";
  const stand = { subject: "x", html: `<p>${address}</p>`, text: address };
  const checks = await checkLetter(ctx, tools, campaign, setting, stand);
  return checks.filter(({ code }) => [...OF_ENVELOPE, UNDECIDED].includes(code));
}

/** Where nothing leaves the machine, what only matters outside stops nobody. */
function lower({ isSandbox }: Setting, finding: Finding): Check {
  const isLowered = isSandbox && OF_ENVELOPE.includes(finding.code);
  return { ...finding, severity: isLowered ? "warning" : finding.severity };
}

function unknownNames(compiled: CompiledContent, { fields }: Setting): Check[] {
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

function toCheck({ code, part, line, column, detail }: ContentFault): Check {
  const place = part && line !== null ? { part, line, column: column ?? 1, excerpt: "" } : null;
  const [message, ...rest] = detail.split(/(?<=\.) /);
  return {
    code,
    severity: "error",
    message: message ?? detail,
    remedy: rest.join(" "),
    place,
    count: 1,
  };
}

/** The same, as an answer names them. */
export function faultsOfContent(faults: readonly ContentFault[]): Fault[] {
  return faults.map(toCheck).map(toFault);
}

const ORDER = ["error", "warning", "info"];

function worstFirst(checks: readonly Check[]): Check[] {
  return checks.toSorted((one, other) => ORDER.indexOf(one.severity) - ORDER.indexOf(other.severity));
}

export function isUndecided({ checks }: Examined): boolean {
  return checks.some(({ code }) => code === UNDECIDED);
}

/** Everything that stands in the way of sending: what the checks call an error, and who it would go to. */
export async function preflight(
  ctx: Ctx,
  campaign: Subject,
  { checks, setting }: Examined,
  mayBeEmpty: boolean,
): Promise<Fault[]> {
  const errors = checks.filter(({ severity }) => severity === "error").map(toFault);
  return [...errors, ...(await audienceFaults(ctx, campaign, setting, mayBeEmpty))];
}

async function audienceFaults(
  ctx: Ctx,
  { list_id, segment_id }: Subject,
  { list }: Setting,
  mayBeEmpty: boolean,
): Promise<Fault[]> {
  const faults: Fault[] = [];
  if (!list) faults.push({ pointer: "/list_id", code: "not_found", detail: "the list is gone" });
  if (segment_id && !(await findSegment(ctx.sql, ctx.accountId, segment_id)))
    faults.push({ pointer: "/segment_id", code: "not_found", detail: "the segment is gone" });
  if (faults.length > 0 || mayBeEmpty || (await hasMailable(ctx, list_id, segment_id))) return faults;
  const detail = "nobody would get it: no one here may be mailed";
  return [{ pointer: "/list_id", code: "no_recipients", detail }];
}

const POINTERS: Readonly<Record<string, string>> = {
  unsubscribe_not_served: "",
  public_url_not_reachable: "",
  missing_from: "/from_email",
  missing_subject: "/subject",
  missing_postal_address: "/list_id",
  preheader: "/preview_text",
  from: "/from_email",
};

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
