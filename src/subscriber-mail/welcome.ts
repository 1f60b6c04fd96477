/**
 * The mail that welcomes whoever has confirmed: the published template that the list names, with the values that it declares and a way
 * to unsubscribe. It is sent once for each subscriber.
 */
import { escapeHtml } from "../content/content.ts";
import type { TxCtx } from "../platform/context.ts";
import { toPublicId } from "../platform/ids.ts";
import { addJob, defineJob } from "../platform/jobs/jobs.ts";
import type { Fault } from "../platform/problems.ts";
import { findSubscriber, type SubscriberView } from "../subscribers/subscribers.ts";
import { readPublished, shareTemplate } from "../templates/templates.ts";
import { fillWords, letterWordsFor } from "./letters/letters.ts";
import { type From, readFrom, type SubscriberMailTools, sendTexts, type Texts } from "./send.ts";
import { claimMail } from "./store.ts";

export type WelcomePayload = { account_id: string; subscriber_id: string };

/** `jobs.ts` says how it is run. */
export const welcomeKind = defineJob<WelcomePayload>({
  name: "welcome_subscriber",
  run: async () => {
    throw new Error("this job is run by the jobs role alone");
  },
});

/** Adds the welcome to the transaction that confirms. */
export async function addWelcome({ sql, accountId }: TxCtx, subscriberId: string): Promise<void> {
  await addJob(sql, welcomeKind, { account_id: accountId, subscriber_id: subscriberId });
}

/** What a template may declare, and then gets, all of them texts. */
const VALUES = ["email", "first_name", "last_name", "list_name", "unsubscribe_url"] as const;
type Values = Readonly<Record<(typeof VALUES)[number], string>>;

/** Says what is wrong with a template for a welcome: it must be published, and need no value that there isn't. */
export async function findWelcomeFault(ctx: TxCtx, templateId: string): Promise<Fault | undefined> {
  const pointer = "/welcome_template_id";
  // Whoever deletes it waits for us, and then finds that it is used.
  await shareTemplate(ctx.sql, ctx.accountId, templateId);
  const found = await readPublished(ctx, toPublicId("tpl", templateId));
  if ("fault" in found) return { ...found.fault, pointer };
  const others = found.content.variables.filter(
    ({ name, required, default: otherwise }) => required && otherwise === null && !isGiven(name),
  );
  if (others.length === 0) return undefined;
  const names = others.map(({ name }) => name).join(", ");
  const detail = `a welcome has no value for ${names}: it has ${VALUES.join(", ")}`;
  return { pointer, code: "missing_variables", detail };
}

function isGiven(name: string): name is keyof Values {
  return (VALUES as readonly string[]).includes(name);
}

export async function mailWelcome(
  ctx: TxCtx,
  tools: SubscriberMailTools,
  { subscriber_id: subscriberId }: WelcomePayload,
): Promise<void> {
  const subscriber = await findSubscriber(ctx.sql, ctx.accountId, subscriberId);
  if (subscriber?.status !== "active") return;
  const from = await readFrom(ctx, subscriber.list_id);
  if (!from?.list?.welcome_template_id || from.list.is_sample) return;
  if (!(await claimMail(ctx.sql, ctx.accountId, subscriberId, "welcome", ctx.clock.now()))) return;
  const texts = await writeWelcome(ctx, tools, { ...from, subscriber });
  if (!texts) return;
  const to = { email: subscriber.email, name: nameOf(subscriber) };
  await sendTexts(ctx, tools, { from, to, kind: "welcome", texts, isPrivate: false });
}

function nameOf({ first_name, last_name }: SubscriberView): string | null {
  return [first_name, last_name].filter(Boolean).join(" ") || null;
}

type Welcomed = From & { readonly subscriber: SubscriberView };

/** Returns undefined, and says so in the log, where the template can't be filled in any more. */
async function writeWelcome(
  ctx: TxCtx,
  { accept, links }: SubscriberMailTools,
  { account, list, subscriber }: Welcomed,
): Promise<Texts | undefined> {
  const { list_id: listId, id: subscriberId, contact_id: contactId } = subscriber;
  const url = links.leaveUrl({ accountId: ctx.accountId, listId, subscriberId, contactId });
  const templateId = toPublicId("tpl", list?.welcome_template_id ?? "");
  const found = await readPublished(ctx, templateId);
  const declared = "fault" in found ? [] : found.content.variables.map(({ name }) => name);
  const values = Object.entries(valuesOf(subscriber, list?.name ?? "", url));
  const given = Object.fromEntries(values.filter(([name]) => declared.includes(name)));
  const filled = await accept.fillTemplate(ctx, templateId, given);
  if ("faults" in filled) {
    const [fault] = filled.faults;
    ctx.log.warn(
      { template: templateId, code: fault?.code },
      "a welcome could not be made from its template",
    );
    return undefined;
  }
  const { subject, html, text } = filled.rendered;
  return {
    ...withWayOut(
      { subject: subject.trim(), html, text },
      list?.name ?? "",
      url,
      subscriber.locale ?? account.locale,
    ),
    // RFC 8058: a mail program unsubscribes by a POST to it, without a page between.
    headers: { "List-Unsubscribe": `<${url}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" },
  };
}

function valuesOf(subscriber: SubscriberView, listName: string, url: string): Values {
  return {
    email: subscriber.email,
    first_name: subscriber.first_name ?? "",
    last_name: subscriber.last_name ?? "",
    list_name: listName,
    unsubscribe_url: url,
  };
}

/** Adds the link where the author didn't put it. */
export function withWayOut(texts: Texts, listName: string, url: string, locale: string | null): Texts {
  const words = letterWordsFor(locale);
  const { unsubscribe } = words.welcome;
  const why = fillWords(words.welcome.why, { list: listName });
  const text = texts.text.includes(url)
    ? texts.text
    : `${texts.text.trimEnd()}\n\n${why}\n${unsubscribe}: ${url}\n`;
  const { html } = texts;
  if (html === null || html.includes(escapeHtml(url)) || html.includes(url)) return { ...texts, text };
  const foot = `<p style="margin:24px 0;font:14px/20px sans-serif;text-align:center">${escapeHtml(why)} <a href="${escapeHtml(url)}">${escapeHtml(unsubscribe)}</a></p>`;
  const end = html.search(/<\/body\s*>(?![\s\S]*<\/body\s*>)/i);
  return {
    ...texts,
    text,
    html: end < 0 ? `${html}${foot}` : `${html.slice(0, end)}${foot}${html.slice(end)}`,
  };
}
