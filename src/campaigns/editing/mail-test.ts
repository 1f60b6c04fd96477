/** Composes a campaign for a mail test: with its tracked links and its return path, as a subscriber would get it. */
import type { TestMessage } from "../../delivery/delivery.ts";
import {
  type Check,
  composeTest,
  contentBusy,
  examineMessage,
  faultsOfChecks,
  isUndecided,
  type MessageTools,
  makeRevision,
  sampleSubscriber,
  senderOf,
} from "../../messages/messages.ts";
import type { Ctx } from "../../platform/context.ts";
import { AppError } from "../../platform/problems.ts";
import { notReady } from "../problems.ts";
import type { CampaignRow } from "../store.ts";
import { messageOf } from "./message.ts";

type TestAddress = {
  readonly to: string;
  readonly messageId: string;
  /** The local parts of its envelope sender and of its `mailto:` unsubscribe. */
  readonly paths: { readonly bounce: string; readonly unsubscribe: string };
};

export type ComposedForTest = {
  readonly campaign: { readonly id: string; readonly name: string; readonly subject: string };
  readonly message: TestMessage;
  readonly fromAddress: string;
  readonly checks: readonly Check[];
  readonly isSandbox: boolean;
};

/**
 * It throws where the campaign can't be made into a mail; what else is wrong with it is in `checks`. Its links are those of the real
 * mail in form and lead nowhere that does something.
 */
export async function composeForMailTest(
  ctx: Ctx,
  tools: MessageTools,
  row: CampaignRow,
  { to, messageId, paths }: TestAddress,
): Promise<ComposedForTest> {
  const message = messageOf(row);
  const examined = await examineMessage(ctx, tools, message);
  const { defaults, checks } = examined;
  if (isUndecided(examined))
    throw new AppError(contentBusy, "it could not be made just now; try again in a moment", {
      headers: { "retry-after": "1" },
    });
  const { email } = senderOf(message, defaults);
  if (!examined.compiled || (email === null && !defaults.isSandbox)) throw notReady(faultsOfChecks(checks));
  const revision = await makeRevision(ctx, tools, message, examined);
  const recipient = {
    subscriberId: row.id,
    email: to,
    subscriber: { ...sampleSubscriber(defaults.fields), email: to },
    messageId,
    date: ctx.clock.now(),
  };
  const composed = await composeTest(ctx.accountId, tools, revision, recipient, paths);
  if (!composed.ok) throw notReady([{ pointer: "/html", code: "unrenderable", detail: composed.reason }]);
  const { id, name, subject } = row;
  return {
    campaign: { id, name, subject },
    message: composed,
    fromAddress: revision.from.email,
    checks,
    isSandbox: defaults.isSandbox,
  };
}
