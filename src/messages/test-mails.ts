/** Composes a message as a test for a few addresses: as it would be sent, without tracking, and with a way out that does nothing. */
import { findMembers } from "../accounts/accounts.ts";
import type { TestMessage } from "../delivery/delivery.ts";
import { parseAddress } from "../mail/addresses.ts";
import type { Ctx } from "../platform/context.ts";
import { newId } from "../platform/ids.ts";
import { AppError, type Fault, forbidden, invalid } from "../platform/problems.ts";
import { mergeValuesOf, type SubscriberView } from "../subscribers/subscribers.ts";
import { faultsOfChecks, faultsOfContent, type MessageTools, sampleSubscriber } from "./checking/checking.ts";
import { composeTest } from "./compose.ts";
import { type Message, UNTRACKED } from "./message.ts";
import { contentOf } from "./message-content.ts";
import { contentBusy } from "./problems.ts";
import { toRevision } from "./revision.ts";
import { readSenderDefaults, senderOf } from "./sender-defaults.ts";
import { checkSenderDomain, readSenderDomain } from "./sender-domain.ts";

type Composed = { readonly messages: readonly TestMessage[]; readonly isSandbox: boolean };

/** Faults are what keeps the message from being sent at all, by their places in it. `anybody` is an id for who is made up. */
export async function composeTestMails(
  ctx: Ctx,
  tools: MessageTools,
  message: Message,
  whom: {
    readonly addresses: readonly string[];
    readonly subscriber: SubscriberView | undefined;
    readonly anybody: string;
  },
): Promise<Composed | { readonly faults: readonly Fault[] }> {
  const { addresses, subscriber, anybody } = whom;
  const defaults = await readSenderDefaults(ctx, tools, message);
  const content = contentOf(message, defaults, UNTRACKED, tools.publicUrl());
  const made = await tools.workers.compile(content, ctx.accountId);
  if (!made.ok) {
    // That the threads have too much to do says nothing about the content.
    if (!made.faults.some(({ code }) => code === "worker_failed"))
      return { faults: faultsOfContent(made.faults) };
    throw new AppError(contentBusy, "it could not be made just now; try again in a moment", {
      headers: { "retry-after": "1" },
    });
  }
  if (senderOf(message, defaults).email === null && !defaults.isSandbox)
    return { faults: [{ pointer: "/from_email", code: "missing_from", detail: "The mail has no sender." }] };
  const sender = await readSenderDomain(ctx, tools, message, defaults);
  const unverified = faultsOfChecks(checkSenderDomain(sender, defaults, tools.unverifiedSenders));
  if (unverified.length > 0) return { faults: unverified };
  const revision = toRevision(tools, message, defaults, sender, made.compiled);
  const values = subscriber ? mergeValuesOf(subscriber, defaults.fields) : sampleSubscriber(defaults.fields);
  const messages: TestMessage[] = [];
  for (const address of addresses) {
    const composed = await composeTest(ctx.accountId, tools, revision, {
      subscriberId: subscriber?.id ?? anybody,
      email: address,
      subscriber: { ...values, email: address },
      messageId: `test.${newId(ctx.clock)}`,
      date: ctx.clock.now(),
    });
    if (!composed.ok)
      return { faults: [{ pointer: "/html", code: "unrenderable", detail: composed.reason }] };
    messages.push(composed);
  }
  return { messages, isSandbox: defaults.isSandbox };
}

/** Reads the addresses of a test, which are at `/to` of the body. */
export function readTestAddresses(to: readonly string[]): string[] {
  const faults: Fault[] = [];
  const addresses = to.flatMap((text, at) => {
    const parsed = parseAddress(text);
    if (parsed.ok) return [parsed.address];
    faults.push({ pointer: `/to/${at}`, code: parsed.code, detail: parsed.detail });
    return [];
  });
  if (faults.length > 0) throw invalid(...faults);
  return addresses;
}

/** Whoever writes and doesn't send shows their work to people of the account, and to nobody else. */
export async function refuseStrangers(
  ctx: Ctx,
  addresses: readonly string[],
  lackedScope: string,
): Promise<void> {
  const keys = addresses.map((address) => {
    const parsed = parseAddress(address);
    return parsed.ok ? parsed.key : address;
  });
  const members = await findMembers(ctx.sql, ctx.accountId, keys);
  if (keys.every((key) => members.has(key))) return;
  throw new AppError(forbidden, `without ${lackedScope}, tests go to people of this account alone`, {
    members: { required_scope: lackedScope },
  });
}
