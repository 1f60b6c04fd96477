/** Mails people of an account what a `notify` step of an automation says. */
import { getAccount, lockUsers } from "../accounts/accounts.ts";
import type { TxCtx } from "../platform/context.ts";
import { toPublicId } from "../platform/ids.ts";
import { holdBack } from "./held.ts";
import { type Letter, oneLine, quoted } from "./layout.ts";
import { type OwnMailTools, sendOwnMail } from "./send.ts";

type StepNotice = {
  /** The same for every try, so that nobody is mailed twice. */
  readonly occasionId: string;
  readonly automationId: string;
  readonly subscriberId: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
};

const LONGEST_PARAGRAPH = 2_000;

/**
 * Only who belongs to the account now is told. Somebody who is told of many people within an hour is mailed of the first ones, and then how
 * many there were.
 */
export function createTellPeople(tools: OwnMailTools) {
  return async (ctx: TxCtx, notice: StepNotice): Promise<void> => {
    const { occasionId, to: ids } = notice;
    const account = await getAccount(ctx.sql, ctx.accountId);
    const users = await lockUsers(ctx.sql, ctx.accountId, ids);
    const members = users.filter((user) => user.joined_at !== null);
    if (!account || members.length === 0) return;
    const to = await holdBack(ctx, occasionId, { kind: "notice", to: members });
    if (to.length === 0) return;
    const letter = letterOf(notice, account.name, tools.baseUrl());
    await sendOwnMail(ctx, tools, { occasionId, kind: "notice", account, to, letter });
  };
}

/** The person is named nowhere in the mail: the link leads to them. */
function letterOf(
  { subject, text, subscriberId, automationId }: StepNotice,
  accountName: string,
  baseUrl: string,
): Letter {
  const paragraphs = text.split(/\n+/).flatMap((one) => oneLine(one, LONGEST_PARAGRAPH) || []);
  return {
    subject: oneLine(subject) || "An automation",
    paragraphs,
    action: {
      label: "Look at the person",
      url: `${baseUrl}/subscribers/${toPublicId("sub", subscriberId)}`,
    },
    notes: [
      `An automation of ${quoted(accountName, "your account")} tells you this: ${baseUrl}/automations/${toPublicId("aut", automationId)}`,
    ],
  };
}
