/**
 * The demo acts as some of the recipients would: people open a mail with the programs that they read mail in, and click; machines
 * fetch images and follow links; somebody unsubscribes. All of it goes through the `public` role, by the links in the mails.
 */
import { setTimeout as sleep } from "node:timers/promises";
import PostalMime from "postal-mime";
import { listCaught, listSourceRevisions } from "../delivery/delivery.ts";
import type { Ctx } from "../platform/context.ts";
import { readTotals } from "../tracking/tracking.ts";

/** So many of the newest mails are read. */
const MOST_ACTORS = 60;
/** Whoever opens a mail within seconds of its acceptance is taken for a machine. */
const UNTIL_READ_MS = 3_500;
/** Hits are counted when a message has had none for ten seconds. */
const COUNTED_WITHIN_MS = 40_000;
const LOOK_EVERY_MS = 250;

/** People read with these: Thunderbird, Outlook for Mac, Gmail in a browser, Apple Mail on a phone. */
const PEOPLE = [
  "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Thunderbird/140.4.0",
  "MacOutlook/16.46.21021202 (Intelx64 Mac OS X 11.2.2 (Build 20D80))",
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/151.0.0.0 Safari/537.36",
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.6 Mobile/15E148 Safari/604.1",
];
/** Apple's servers fetch the images of every mail ahead, whether or not it is read. */
const APPLE_AHEAD = "Mozilla/5.0";
/** A gateway that examines mail asks for the headers behind each link. */
const GATEWAY =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/151.0.0.0";

type Links = { readonly pixel: string; readonly click: string; readonly unsubscribe: string };
type Acting = {
  readonly ctx: Ctx;
  readonly campaignId: string;
  /** The links of the mails are followed at this address, because the one they name may not be listening. */
  readonly localUrl: string;
};
export type CameBack = {
  readonly mails: number;
  readonly opened: { readonly people: number; readonly machines: number };
  readonly clicked: { readonly people: number; readonly machines: number };
};

/** Returns what was counted, or undefined where there is no mail to act on. */
export async function actAsRecipients(acting: Acting): Promise<CameBack | undefined> {
  const { ctx, campaignId } = acting;
  const mails = await readLinks(acting);
  if (mails.length === 0) return undefined;
  await sleep(UNTIL_READ_MS);
  for (const [index, links] of mails.entries()) await actAs(acting, index, links);
  const sources = await listSourceRevisions(ctx.sql, ctx.accountId, campaignId);
  const untilMs = ctx.clock.monotonicMs() + COUNTED_WITHIN_MS;
  for (;;) {
    const totals = await readTotals(
      ctx.sql,
      ctx.accountId,
      sources.map(({ id }) => id),
    );
    const { openers, humanOpeners, clickers, humanClickers } = totals;
    const isCounted = openers >= mails.filter((_, index) => opens(index)).length;
    if (isCounted || ctx.clock.monotonicMs() > untilMs) {
      const opened = { people: humanOpeners, machines: openers - humanOpeners };
      const clicked = { people: humanClickers, machines: clickers - humanClickers };
      return { mails: mails.length, opened, clicked };
    }
    await sleep(LOOK_EVERY_MS);
  }
}

const isPerson = (index: number) => index % 3 === 0;
const isAhead = (index: number) => index % 3 === 1;
const isGateway = (index: number) => index % 15 === 2;
/** A click counts as an open, also a machine's. */
const opens = (index: number) => isPerson(index) || isAhead(index) || isGateway(index);

async function actAs(acting: Acting, index: number, links: Links): Promise<void> {
  const person = PEOPLE[index % PEOPLE.length] ?? "";
  if (isPerson(index)) await visit(acting, links.pixel, { userAgent: person });
  if (isPerson(index) && index % 2 === 0) await visit(acting, links.click, { userAgent: person });
  if (isAhead(index)) await visit(acting, links.pixel, { userAgent: APPLE_AHEAD });
  if (isGateway(index)) await visit(acting, links.click, { userAgent: GATEWAY, method: "HEAD" });
  if (index === 0) {
    const body = new URLSearchParams({ "List-Unsubscribe": "One-Click" });
    await visit(acting, links.unsubscribe, { userAgent: person, method: "POST", body });
  }
}

async function visit(
  { localUrl }: Acting,
  path: string,
  { userAgent, ...request }: { userAgent: string; method?: string; body?: URLSearchParams },
): Promise<void> {
  const headers = { "user-agent": userAgent };
  const response = await fetch(localUrl + path, { redirect: "manual", headers, ...request });
  await response.arrayBuffer();
  if (response.status >= 400) throw new Error(`a link of a mail was answered with ${response.status}`);
}

async function readLinks({ ctx, campaignId }: Acting): Promise<Links[]> {
  const caught = await listCaught(ctx.sql, ctx.accountId, campaignId, MOST_ACTORS);
  const mails = await Promise.all(caught.map((raw) => PostalMime.parse(raw)));
  return mails.flatMap(({ html = "" }) => {
    const [pixel, click, unsubscribe] = ["o", "c", "u"].map((kind) => pathOf(html, kind));
    return pixel && click && unsubscribe ? [{ pixel, click, unsubscribe }] : [];
  });
}

function pathOf(html: string, kind: string): string | undefined {
  return new RegExp(`"https?://[^"/]+(/${kind}/[\\w/-]+)`).exec(html)?.[1];
}
