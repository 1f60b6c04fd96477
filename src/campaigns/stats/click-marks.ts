/** Says what is written at each link of a mail that is shown with its clicks: the share that it has of them. */
import type { LinkMark } from "../../content/content.ts";
import { readFrozenLinks } from "../../messages/messages.ts";
import type { Ctx } from "../../platform/context.ts";
import { seesPeople } from "../../tracking/tracking.ts";
import { type Engagement, readEngagement } from "./engagement.ts";

/**
 * Finds a mark by the number of a link in this revision. A share is of the people who clicked anything, so that those of all links may
 * come to more than a whole; where nobody was tracked in person it is of the clicks by people.
 */
export async function readClickMarks(
  ctx: Ctx,
  campaignId: string,
  revisionId: string,
): Promise<(number: number) => LinkMark | undefined> {
  const [engagement, { links }] = await Promise.all([
    readEngagement(ctx, campaignId),
    readFrozenLinks(ctx.sql, ctx.accountId, revisionId),
  ]);
  const shares = sharesByPosition(engagement);
  const marks = new Map<number, LinkMark>();
  let position = 0;
  for (const [number, link] of links.entries()) {
    if (link.kind === "honeypot") continue;
    position++;
    if (link.kind === "untracked") continue;
    const share = shares.get(`${position} ${link.url}`) ?? 0;
    marks.set(number, { text: (share < SMALL ? small : percent).format(share), isFaint: share === 0 });
  }
  return (number) => marks.get(number);
}

/** The number is written as in the table beside it, in the one language that the dashboard has. */
const percent = new Intl.NumberFormat("en-GB", { style: "percent", maximumFractionDigits: 1 });
const small = new Intl.NumberFormat("en-GB", { style: "percent", maximumFractionDigits: 2 });
const SMALL = 0.01;

/** A campaign with several revisions may have another link at the same place, so the address is part of the key. */
function sharesByPosition({ mode, totals, links }: Engagement): ReadonlyMap<string, number> {
  const isInPerson = seesPeople(mode);
  const whole = isInPerson ? totals.humanClickers : totals.humanClicks;
  return new Map(
    links.flatMap(({ url, positions }) =>
      positions.map(({ position, human, total, machine }) => {
        const part = isInPerson ? (human ?? 0) : total - machine;
        return [`${position} ${url}`, whole === 0 ? 0 : Math.min(1, part / whole)] as const;
      }),
    ),
  );
}
