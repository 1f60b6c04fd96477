/** What owners are told where something that was to be paid wasn't. They are told in any case: after some days nothing leaves any more. */
import { findHolds, listOwners } from "../accounts/accounts.ts";
import type { Ctx } from "../platform/context.ts";
import { quoted } from "./layout.ts";
import { type About, type Notice, timeIn } from "./notice-parts.ts";

const LAST_DAY = 7;

/** On the last day the account is stopped in the same commit: where it isn't any more, it was paid before this mail was written. */
export async function ofPayment(ctx: Ctx, { account, event, baseUrl }: About): Promise<Notice | undefined> {
  const { day, campaigns_stop_at, transactional_stops_at } = event.data;
  const [owners, holds] = await Promise.all([
    listOwners(ctx.sql, ctx.accountId),
    findHolds(ctx.sql, ctx.accountId),
  ]);
  const isStopped = holds.some(({ kind }) => kind === "payment_overdue");
  const isLast = Number(day) >= LAST_DAY;
  if (isLast && !isStopped) return undefined;
  const name = quoted(account.name, "your account");
  const later = timeIn(account, new Date(String(transactional_stops_at)));
  return {
    kind: "notice",
    to: owners,
    letter: {
      subject: isLast ? `${name} sends no campaigns until it is paid` : `A payment for ${name} failed`,
      paragraphs: [
        isLast
          ? `What ${name} owes is a week overdue. Campaigns and automations wait from now on, and transactional mail from ${later} on.`
          : `What is to be paid for ${name} couldn't be charged. If it isn't paid, campaigns and automations stop on ${timeIn(account, new Date(String(campaigns_stop_at)))}, and transactional mail on ${later}.`,
        "Look at how the account pays, and pay what is open. Everything goes on by itself once it is paid; what was under way waits, and nothing is lost.",
        "You can read and export everything all the while.",
      ],
      action: { label: "Pay what is open", url: `${baseUrl}/settings/billing` },
      notes: [`You get this as an owner of ${name}. Notices about payments are sent to you in any case.`],
    },
  };
}
