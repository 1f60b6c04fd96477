/**
 * The steps of one message: it waits for the dispatcher, is transmitted, its reply is judged, and the outcome is written
 * down.
 */
import { addMetadata } from "../../mail/providers/metadata.ts";
import { idInReply } from "../../mail/providers/providers.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Db } from "../../platform/db/db.ts";
import type { Log } from "../../platform/log.ts";
import type { Worker } from "../../platform/workers/workers.ts";
import { OTHER_PROVIDER, type ProviderDirectory } from "../../recipient-domains/recipient-domains.ts";
import type { LeaveReason } from "../failover/failover.ts";
import type { OnFaultPoint } from "../fault-points.ts";
import type { GuardrailWatch } from "../guardrails/guardrails.ts";
import {
  type Entry,
  type HeldBack,
  type Journal,
  type Lease,
  type LedgerRow,
  type OpenAdmission,
  openAdmission,
  type ProviderMessage,
  type Runnable,
  type Settlement,
} from "../ledger/ledger.ts";
import {
  asIfNotTried,
  awaitingMend,
  countsForDay,
  isTooLarge,
  isUnmailable,
  type Judging,
  settlementOf,
  skippedAsInvalid,
  tooLarge,
  unrenderable,
  type Verdict,
} from "../outcomes/outcomes.ts";
import type { DailyLimits, SendingRight, TransportCaps } from "../pacing/pacing.ts";
import type { ProviderClosings } from "../providers/providers.ts";
import type { FlowDirectory } from "../reputation/reputation.ts";
import type { Outcome } from "../transports/transports.ts";
import type { Composed } from "../types.ts";
import { cleanReply } from "./clean-reply.ts";
import { notBefore, putOff } from "./closed-provider.ts";
import type { ComposeGate } from "./compose-gate.ts";
import type { OpenTransport, OpenTransports } from "./open-transports.ts";
import { isUrgent } from "./round-robin.ts";
import type { SendRates } from "./send-rates.ts";
import type { OpenSource, SourceComposer } from "./source-composer.ts";
import { destinationOf, domainOf, flowOf, fromDomainOf } from "./where-to.ts";

/** Makes the token of a message that a provider is given, to name the message by it in its webhooks. */
export type TokenFor = (accountId: string, sourceId: string, contactId: string) => string;

export type Sender = {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly worker: Worker;
  readonly transports: OpenTransports;
  readonly sourceComposer: SourceComposer;
  readonly composing: ComposeGate;
  readonly sendRates: SendRates;
  /** How long a deferred message waits for its second attempt. */
  readonly firstRetryMs: number;
  /** Without it, providers are given no token. */
  readonly tokenFor: TokenFor | undefined;
  readonly onFaultPoint: OnFaultPoint;
  readonly guardrails: GuardrailWatch;
  readonly dailyLimits: DailyLimits;
  readonly transportCaps: TransportCaps;
  /** Whose mailboxes the recipients' are; what it knows of a batch's domains is read before the batch is composed. */
  readonly providers: ProviderDirectory;
  /** The flows that mail is counted in; without it, nothing is counted by provider. */
  readonly flows: FlowDirectory | undefined;
  readonly closings: ProviderClosings;
  journalOf(accountId: string, source: OpenSource): Journal;
  /**
   * Leaves the transport of a batch that refuses us or can't be reached. Returns false where there is no other by which the
   * source could go on.
   */
  leave(batch: Batch, reason: LeaveReason, detail: string, isAlone?: boolean): Promise<boolean>;
  /**
   * Looks at what these sources leave by, which no batch would show while a server is silent: one that is lost is left as soon as
   * there is another. `busy` names the transports of the batches that are under way.
   */
  lookAfter(sources: readonly Runnable[], busy: Iterable<string>): Promise<void>;
  /** Begins nothing more of a batch whose source has moved to another transport; what isn't begun is given back. */
  leaveBatch(lease: Lease, transportId: string): void;
  hasLeft(lease: Lease): boolean;
  /** Moves the source away from a transport that is put out or gone. Returns false where it stays. */
  moveFromOut(lease: Lease, transportId: string): Promise<boolean>;
  /** Pauses the source until somebody has mended its transport; everybody not yet sent to is still to be sent to. */
  pause(lease: Lease, reason: PauseReason, detail: string): Promise<void>;
  /** Fails the source, because its content ends senders. */
  failSourceOf(
    lease: Lease,
    failed: { readonly launch: number | null; readonly reason: string },
  ): Promise<void>;
  /** Returns whether this sender may begin no message any more. */
  isOver(): boolean;
};

type PauseReason = "transport_rejected" | "transport_missing" | "signing_key_unreadable";

export type Batch = {
  readonly lease: Lease;
  readonly source: OpenSource;
  readonly open: OpenTransport;
  readonly journal: Journal;
  /** The rows that wait for the next day, or for their provider to open, by the provider of their mailboxes. */
  readonly heldBack: Map<string, HeldBack>;
};

export async function unlessUnderWay(
  { journal }: Batch,
  { contact_id: contactId }: LedgerRow,
  work: () => Promise<void>,
): Promise<void> {
  if (!journal.begin(contactId)) return;
  try {
    await work();
  } finally {
    journal.end(contactId);
  }
}

export async function sendOne(
  sender: Sender,
  batch: Batch,
  row: LedgerRow,
  composed: Composed | undefined,
  now: Date,
  right: SendingRight,
): Promise<void> {
  const flow = composed?.ok ? flowOf(sender, batch, composed) : undefined;
  const entry = {
    ...entryOf(row, now),
    flowId: flow && sender.flows?.of(batch.lease.accountId, flow),
    transportId: batch.source.transport_id,
  };
  const admission = openAdmission(sender, batch.journal, entry);
  if (composed && !composed.ok && composed.isTransient)
    return (
      composed.pausesFor && awaitMend(sender, batch, row, admission, composed.pausesFor, composed.reason)
    );
  if (!composed?.ok)
    return endWithoutSending(
      batch,
      entry,
      admission,
      composed ? unrenderable(composed.reason) : asIfNotTried,
    );
  // Where an unknown outcome is held back, admission is asked for as late as can be: a sender's death then leaves fewer
  // unknown.
  const askAhead = batch.source.on_ambiguous === "hold" ? () => undefined : admission.ask;
  const domain = domainOf(composed.to);
  const to = destinationOf(sender, batch, domain);
  const fromDomain = fromDomainOf(composed);
  const held = sender.closings.holding(to, fromDomain, row.state === "deferred");
  if (held) return putOff(sender, batch, row, { provider: to.provider, held });
  const judging = judgingOf(batch);
  judging.begin();
  const permit = await batch.open.dispatcher.acquire(domain, askAhead, isUrgent(batch.source));
  if (permit.kind !== "now") judging.end();
  if (permit.kind === "never") return takeBack(batch, entry, admission);
  if (permit.kind === "later") {
    // The message may have been admitted already, shortly before the dispatcher sent it away.
    await takeBack(batch, entry, admission);
    return parkFor(sender, batch, entry.contactId, permit.waitMs);
  }
  if (sender.hasLeft(batch.lease)) {
    judging.end();
    permit.end();
    return takeBack(batch, entry, admission);
  }
  const heldSince = sender.closings.holding(to, fromDomain, row.state === "deferred");
  if (heldSince) {
    judging.end();
    permit.end();
    await takeBack(batch, entry, admission);
    return putOff(sender, batch, row, { provider: to.provider, held: heldSince });
  }
  const beganMs = sender.clock.monotonicMs();
  let release: (() => void) | undefined = permit.end;
  const provider = to.provider === OTHER_PROVIDER ? undefined : to.provider;
  const answered = judging.transmit(provider);
  try {
    // Nobody else's refusal may be judged between an answer and its judgement, so nothing is awaited between them.
    let outcome: Outcome;
    try {
      outcome = await transmit(sender, batch, entry, composed, admission, right);
    } finally {
      answered();
    }
    permit.releaseConnection(outcome);
    const closedUntil = sender.closings.hear(to, fromDomain, outcome, beganMs);
    const tried = { sourceId: batch.lease.sourceId, contactId: entry.contactId, beganMs };
    const lost = batch.open.reach?.heed(outcome, tried);
    const isOversized = isUrgent(batch.source) && isTooLarge(outcome);
    const judged = isOversized
      ? "message"
      : // A provider that closes because of this refusal has said that it isn't about the recipient.
        closedUntil && outcome.kind === "rejected"
        ? "us"
        : judging.judge({ outcome, domain, provider, beganMs });
    if (judged instanceof Promise) {
      // A refused message was not sent and can't be sent twice, so it need not count as unrecorded while its judgement
      // waits.
      permit.end();
      release = undefined;
    }
    const verdict = await judged;
    const settlement = notBefore(settle(sender, batch, entry, outcome, verdict, composed.to), closedUntil);
    if (verdict === "closed") sender.closings.closeForRefusals(to, fromDomain, settlement.reply);
    if (!countsForDay(settlement)) right.refund();
    // What the relay says before a recipient is named says nothing of the provider.
    const isOfRelay = "phase" in outcome && outcome.phase === "mail";
    if (!isOfRelay) right.note(settlement);
    const settled = isOfRelay ? { ...entry, flowId: undefined } : entry;
    await record(batch, settled, admission, settlement, namedBy(batch, outcome));
    // A mail that was put off at MAIL is no sign that the server takes any.
    if (settlement.state !== "ready" && !(isOfRelay && outcome.kind === "deferred"))
      sender.sendRates.note(batch.lease.accountId, batch.lease.sourceId, 1);
    if (verdict === "enough") await giveUp(sender, batch, settlement.reply ?? "");
    else if (lost)
      await sender.leave(batch, lost, "text" in outcome ? cleanReply(outcome.text, composed.to) : "");
  } finally {
    release?.();
  }
}

/** A server that takes other sources' mail refuses this one alone, which moves without them. Where no server is left, it pauses. */
async function giveUp(sender: Sender, batch: Batch, reply: string): Promise<void> {
  const isAlone = batch.open.reach?.takesOthers(batch.lease.sourceId) ?? false;
  if (!(await sender.leave(batch, "refused", reply, isAlone)))
    await sender.pause(batch.lease, "transport_rejected", reply);
}

export function judgingOf({ open, lease }: Batch): Judging {
  return open.refusals.of(lease.accountId, lease.sourceId);
}

async function transmit(
  { onFaultPoint, tokenFor }: Sender,
  { lease, source, open }: Batch,
  { contactId, attempt }: Entry,
  { from, to, message, isPrivate = false }: Extract<Composed, { ok: true }>,
  admission: OpenAdmission,
  right: SendingRight,
): Promise<Outcome> {
  if (!admission.mayStillBegin()) return { kind: "withheld" };
  const { accountId, sourceId } = lease;
  const onDot = () => {
    onFaultPoint("before_dot");
    setImmediate(onFaultPoint, "after_dot");
  };
  const name = { stream: source.stream, ownerId: source.owner_id };
  const bytes =
    open.provider && tokenFor
      ? addMetadata(open.provider, tokenFor(accountId, sourceId, contactId), message)
      : message;
  const outgoing = { accountId, source: name, contactId, attempt, from, to, message: bytes, isPrivate };
  const mayBegin = () => right.isValid() && admission.isFresh();
  right.spend();
  try {
    const outcome = await open.transport.send(outgoing, { mayBegin, onDot });
    onFaultPoint("reply");
    return outcome;
  } catch (error) {
    // A TypeError means that no server could be sent this envelope or body, which is the fault of this message alone.
    if (!(error instanceof TypeError)) throw error;
    return { kind: "rejected", phase: "mail", code: null, enhanced: "5.6.0", text: error.message };
  }
}

function settle(
  { clock, firstRetryMs }: Sender,
  { source }: Batch,
  { attempt, date }: Entry,
  outcome: Outcome,
  verdict: Verdict,
  to: string,
): Settlement {
  if (isUnmailable(outcome, to)) return skippedAsInvalid(outcome);
  if (isUrgent(source) && isTooLarge(outcome))
    return { ...tooLarge(outcome), reply: cleanReply(outcome.text, to) };
  if (verdict === "us" || verdict === "enough" || verdict === "closed")
    return { ...asIfNotTried, reply: "text" in outcome ? cleanReply(outcome.text, to) : null };
  const attempted = {
    number: attempt,
    firstAt: date,
    now: clock.now(),
    onAmbiguous: source.on_ambiguous,
    firstRetryMs,
    chance: Math.random(),
  };
  const settlement = settlementOf(outcome, attempted, verdict === "message");
  return { ...settlement, reply: settlement.reply && cleanReply(settlement.reply, to) };
}

/** Returns the id that a provider gave the message, by which its webhooks may name it. */
function namedBy({ open: { provider } }: Batch, outcome: Outcome): ProviderMessage | undefined {
  const id = provider && outcome.kind === "accepted" ? idInReply(provider, outcome.text) : null;
  return provider && id !== null ? { provider, id } : undefined;
}

/** A message that was refused admission stays in the state that the admission wrote. */
async function record(
  { journal }: Batch,
  { contactId, subscriberId, personId, attempt, flowId }: Entry,
  admission: OpenAdmission,
  settlement: Settlement,
  providerMessage: ProviderMessage | undefined,
): Promise<void> {
  if ((await admission.first()).kind === "refused") return;
  await journal.settle({
    contactId,
    subscriberId,
    personId,
    attempt,
    flowId,
    providerMessage,
    ...settlement,
  });
}

/** Lets a message wait until somebody has mended what it is made with, or ends it where its time is over. */
async function awaitMend(
  { clock }: Sender,
  batch: Batch,
  row: LedgerRow,
  admission: OpenAdmission,
  why: PauseReason,
  detail: string,
): Promise<void> {
  const now = clock.now();
  const settlement = awaitingMend(why, detail, row.dated_at ?? row.planned_at ?? now, now);
  if (!settlement.dueAt) return endWithoutSending(batch, entryOf(row, now), admission, settlement);
  return batch.journal.park({ contactId: row.contact_id, dueAt: settlement.dueAt });
}

/** Ends a message that isn't sent: its subscriber is gone and admission refuses it for that, or it could not be made. */
async function endWithoutSending(
  { journal }: Batch,
  { contactId, subscriberId, personId, attempt }: Entry,
  admission: OpenAdmission,
  settlement: Settlement,
): Promise<void> {
  if ((await admission.first()).kind === "refused") return;
  await journal.settle({ contactId, subscriberId, personId, attempt, ...settlement });
}

/** Writes down that the message was never begun, where its admission was asked for and granted. */
async function takeBack(
  { journal }: Batch,
  { contactId, subscriberId, personId, attempt }: Entry,
  admission: OpenAdmission,
): Promise<void> {
  if (!admission.isAsked() || (await admission.first()).kind === "refused") return;
  await journal.settle({ contactId, subscriberId, personId, attempt, ...asIfNotTried });
}

export function parkFor(
  { clock }: Sender,
  { journal, open }: Batch,
  contactId: string,
  waitMs: number,
): Promise<void> {
  const mostMs = open.hasOthers ? (open.reach?.mostWaitMs() ?? waitMs) : waitMs;
  return journal.park({ contactId, dueAt: new Date(clock.now().getTime() + Math.min(waitMs, mostMs)) });
}

function entryOf(row: LedgerRow, now: Date): Entry {
  return {
    contactId: row.contact_id,
    subscriberId: row.subscriber_id,
    personId: row.person_id ?? undefined,
    attempt: row.attempt + 1,
    date: row.dated_at ?? now,
  };
}
