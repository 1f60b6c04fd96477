/** What notices say, and to whom they go. */
import { type AccountRow, findHolds, findKey, listOwners, readActorNames } from "../accounts/accounts.ts";
import { findAlert } from "../alerts/alerts.ts";
import { findCampaign } from "../campaigns/campaigns.ts";
import { writeCount, writeDate } from "../delivery/delivery.ts";
import type { Ctx } from "../platform/context.ts";
import { fromPublicId } from "../platform/ids.ts";
import { findWebhook } from "../webhooks/webhooks.ts";
import { type Letter, oneLine, quoted } from "./layout.ts";
import { type About, type Notice, SECURITY, timeIn, timeOf } from "./notice-parts.ts";
import { ofPayment } from "./payment-letters.ts";
import { ofFactor, ofFactorUse, ofPassword } from "./security-letters.ts";

/** Returns what people are told of an event; undefined where that is nothing, for example because what it was about is gone. */
export function noticeOf(ctx: Ctx, about: About): Promise<Notice | undefined> | undefined {
  switch (about.event.type) {
    case "campaign.paused":
    case "campaign.failed":
      return ofCampaign(ctx, about);
    case "quota.threshold_reached":
      return ofQuota(ctx, about);
    case "inbound.mailbox_failing":
      return ofMailbox(ctx, about);
    case "webhook.disabled":
      return ofWebhook(ctx, about);
    case "alert.opened":
      return ofAlert(ctx, about);
    case "api_key.created":
      return ofKey(ctx, about);
    case "account.deletion_requested":
    case "account.deletion_canceled":
      return ofDeletion(ctx, about);
    case "account.suspended":
    case "account.reinstated":
      return ofSuspension(ctx, about);
    case "account.payment_overdue":
      return ofPayment(ctx, about);
    case "user.password_changed":
      return ofPassword(ctx, about);
    case "user.factor_added":
    case "user.factor_removed":
      return ofFactor(ctx, about);
    case "user.recovery_code_used":
    case "user.sign_in_refused":
      return ofFactorUse(ctx, about);
    default:
      return undefined;
  }
}

const REASONS: Readonly<Record<string, string>> = {
  transport_rejected:
    "The sending server refuses us, not single recipients. Nobody was failed for it: mend it, then resume.",
  transport_missing: "Its sending server is gone. Add one, then resume.",
  signing_key_unreadable:
    "The key that signs its mail can't be opened. Give the service its SECRET_KEY back, or rotate the domain's key, then resume.",
  hard_bounces: "Too many of its mails bounced. Look at where the addresses came from before you resume.",
  complaints: "Too many of its recipients complained. Look at who is on the list and why before you resume.",
  account_held:
    "Its time came while this account may not send. Once it may, say whether it still shall leave: it never does by itself.",
  review:
    "This account is new here, and the operators of this service look at its first campaign to many before it leaves. It goes on by itself once they have approved it.",
  review_refused:
    "The operators of this service looked at it and refused it. Change it, and send it again: they look at it once more.",
  quota_reached:
    "The mails of this period are used up. It goes on by itself, with everybody who hasn't got it yet, when the next period begins or the plan allows more.",
  no_recipients: "Nobody was eligible to get it.",
  preflight_failed: "It was due, and its checks found errors.",
};

async function ofCampaign(ctx: Ctx, { account, event, baseUrl }: About): Promise<Notice | undefined> {
  const { campaign_id: publicId, reason, detail } = event.data;
  const id = fromPublicId("cmp", String(publicId));
  const [campaign, owners] = await Promise.all([
    id && findCampaign(ctx.sql, ctx.accountId, id),
    listOwners(ctx.sql, ctx.accountId),
  ]);
  if (!campaign) return undefined;
  const name = quoted(campaign.name, "A campaign");
  const isPaused = event.type === "campaign.paused";
  const why = REASONS[String(reason)] ?? `The reason: ${oneLine(String(reason ?? "unknown"))}.`;
  const isReview = isPaused && reason === "review";
  const what = isReview
    ? `${name} waits for a look since ${timeOf(account, event)}, and nothing of it has left.`
    : isPaused
      ? `${name} was paused by itself on ${timeOf(account, event)}. ${reason === "quota_reached" ? "Nobody is lost." : "Nothing more of it leaves until somebody resumes it."}`
      : `${name} could not be sent, on ${timeOf(account, event)}.`;
  return {
    kind: "notice",
    to: owners.filter(({ notices }) => notices),
    letter: {
      subject: isReview ? `${name} waits for a look` : isPaused ? `${name} was paused` : `${name} failed`,
      paragraphs: [
        what,
        why,
        ...(typeof detail === "string" && detail ? [`In detail: ${oneLine(detail)}`] : []),
      ],
      action: { label: "Look at the campaign", url: `${baseUrl}/campaigns/${publicId}` },
      notes: [ofOwner(account, baseUrl)],
    },
  };
}

async function ofQuota(ctx: Ctx, { account, event, baseUrl }: About): Promise<Notice> {
  const { percent, limit, used, resets_at, stops = true } = event.data;
  const owners = await listOwners(ctx.sql, ctx.accountId);
  const until = writeDate(new Date(String(resets_at)), account.time_zone);
  const isOver = percent === 100;
  const counts = `${writeCount(Number(used))} of ${writeCount(Number(limit))} mails`;
  return {
    kind: "notice",
    to: owners.filter(({ notices }) => notices),
    letter: {
      subject: isOver ? "All mails of this period are used" : `${percent}% of this period's mails are used`,
      paragraphs: stops
        ? [
            `${counts} are used that this account may send until ${until}.`,
            isOver
              ? `Campaigns and automations wait, and go on by themselves on ${until}, or as soon as the plan allows more. Nobody is lost. Transactional mail is refused until then: whoever hands it over is told so.`
              : "When all are used, campaigns and automations wait until then, and transactional mail is refused.",
          ]
        : [
            `${counts} are used that the plan includes until ${until}.`,
            isOver
              ? "Nothing stops: mails beyond them are charged at the plan's price. A spending cap limits what they may cost."
              : "When all are used, nothing stops: mails beyond them are charged at the plan's price.",
          ],
      action: { label: "Look at the plan", url: `${baseUrl}/settings/billing` },
      notes: [ofOwner(account, baseUrl)],
    },
  };
}

/** What was found and what to do about it are sentences, and may take more room than a name. */
const MOST_OF_AN_ALERT = 1_000;

/** The mailbox itself belongs to a floor beside this one, so its page says the rest. */
async function ofMailbox(ctx: Ctx, { account, event, baseUrl }: About): Promise<Notice> {
  const owners = await listOwners(ctx.sql, ctx.accountId);
  return {
    kind: "notice",
    to: owners.filter(({ notices }) => notices),
    letter: {
      subject: "A mailbox can't be read",
      paragraphs: [
        `A mailbox that bounces and complaints come back to can't be read since ${timeOf(account, event)}. Until it can, addresses that bounce are mailed again.`,
        `The reason: ${oneLine(String(event.data["reason"] ?? "unknown")).replaceAll("_", " ")}. The page of mailboxes tells it in full. It is tried again by itself.`,
      ],
      action: { label: "Look at the mailboxes", url: `${baseUrl}/inbound/mailboxes` },
      notes: [ofOwner(account, baseUrl)],
    },
  };
}

const WHY_DISABLED: Readonly<Record<string, string>> = {
  gone: "It answered 410, by which an endpoint says that it wants nothing any more.",
  failing: "For five days nothing could be delivered to it.",
};

/** Whoever has enabled or deleted it meanwhile knows of it. A URL may have a token in it, so the mail names the host alone. */
async function ofWebhook(ctx: Ctx, { account, event, baseUrl }: About): Promise<Notice | undefined> {
  const { webhook_id: publicId, reason } = event.data;
  const id = fromPublicId("whk", String(publicId));
  const [webhook, owners] = await Promise.all([
    id && findWebhook(ctx.sql, ctx.accountId, id),
    listOwners(ctx.sql, ctx.accountId),
  ]);
  if (!webhook || webhook.is_enabled) return undefined;
  const host = quoted(new URL(webhook.url).host, "its host");
  return {
    kind: "notice",
    to: owners.filter(({ notices }) => notices),
    letter: {
      subject: `The webhook at ${host} was disabled`,
      paragraphs: [
        `Events are no longer posted to the webhook at ${host}. It was disabled by itself on ${timeOf(account, event)}.`,
        WHY_DISABLED[String(reason)] ?? `The reason: ${oneLine(String(reason ?? "unknown"))}.`,
        "Once you enable it, it goes on where it stopped, and what was given up since it began to fail is tried once more. Events are kept for 30 days.",
        "Until then email.queued, email.sent, email.delivered, email.opened and email.clicked aren't recorded for it: they are written only while an enabled endpoint wants them.",
      ],
      action: { label: "Look at the webhook", url: `${baseUrl}/webhooks/${publicId}` },
      notes: [ofOwner(account, baseUrl)],
    },
  };
}

/** An alert may be over when its mail is due; then nobody is told. */
async function ofAlert(ctx: Ctx, { account, event, baseUrl }: About): Promise<Notice | undefined> {
  const id = fromPublicId("alr", String(event.data["alert_id"]));
  const [alert, owners] = await Promise.all([
    id && findAlert(ctx.sql, ctx.accountId, id),
    listOwners(ctx.sql, ctx.accountId),
  ]);
  if (!alert || alert.status === "closed") return undefined;
  const title = oneLine(alert.title) || "Something needs your attention";
  return {
    kind: "notice",
    to: owners.filter(({ notices }) => notices),
    letter: {
      subject: title,
      paragraphs: [
        `${title}. It was noticed on ${timeOf(account, event)}.`,
        ...[alert.detail, alert.remedy].map((text) => oneLine(text, MOST_OF_AN_ALERT)).filter(Boolean),
      ],
      action: { label: "Look at the alerts", url: `${baseUrl}/deliverability/alerts` },
      notes: ["You are told of it again only when it changes.", ofOwner(account, baseUrl)],
    },
  };
}

async function ofKey(ctx: Ctx, { account, event, baseUrl }: About): Promise<Notice | undefined> {
  const id = fromPublicId("key", String(event.data["api_key_id"]));
  const actor = { kind: event.actor_kind, id: event.actor_id };
  const [key, owners, names] = await Promise.all([
    id && findKey(ctx.sql, ctx.accountId, id),
    listOwners(ctx.sql, ctx.accountId),
    readActorNames(ctx.sql, ctx.accountId, [actor]),
  ]);
  if (!key) return undefined;
  const name = quoted(key.name, "without a name");
  const by = actor.kind === "system" ? "at the command line" : `by ${whoIs(actor, names)}`;
  return {
    kind: "security_notice",
    to: owners,
    letter: {
      subject: `A new API key: ${name}`,
      paragraphs: [
        `The API key ${name}, which ends in ${oneLine(key.hint)}, was made ${by} for ${quoted(account.name, "your account")} on ${timeOf(account, event)}.`,
        `It may do this: ${key.scopes.map((scope) => oneLine(scope)).join(", ")}.`,
        "If none of you made it, revoke it now, and change your password.",
      ],
      action: { label: "Look at the keys", url: `${baseUrl}/api-keys` },
      notes: [`You get this as an owner of ${quoted(account.name, "the account")}. ${SECURITY}`],
    },
  };
}

async function ofDeletion(ctx: Ctx, { account, event, baseUrl }: About): Promise<Notice> {
  const actor = { kind: event.actor_kind, id: event.actor_id };
  const [owners, names] = await Promise.all([
    listOwners(ctx.sql, ctx.accountId),
    readActorNames(ctx.sql, ctx.accountId, [actor]),
  ]);
  const name = quoted(account.name, "your account");
  const isAsked = event.type === "account.deletion_requested";
  const due = new Date(String(event.data["due_at"]));
  return {
    kind: "security_notice",
    to: owners,
    letter: {
      subject: isAsked ? `${name} will be deleted` : `${name} will not be deleted`,
      paragraphs: isAsked
        ? [
            `The deletion of ${name} was asked for by ${whoIs(actor, names)} on ${timeOf(account, event)}. Nothing is sent from now on, and nothing can be changed.`,
            `On ${timeIn(account, due)} everything in it is deleted for good: subscribers, campaigns, files, numbers and the people who belong to no other account. Until then you can export everything, and any owner can take the deletion back.`,
          ]
        : [
            `The deletion of ${name} was taken back by ${whoIs(actor, names)} on ${timeOf(account, event)}. What was under way goes on. A campaign whose time has passed waits until somebody sends it.`,
          ],
      action: isAsked
        ? { label: "Export it, or take it back", url: `${baseUrl}/settings/account` }
        : { label: "Look at the account", url: `${baseUrl}/settings/account` },
      notes: [`You get this as an owner of ${quoted(account.name, "the account")}. ${SECURITY}`],
    },
  };
}

async function ofSuspension(ctx: Ctx, { account, event, baseUrl }: About): Promise<Notice> {
  const [owners, holds] = await Promise.all([
    listOwners(ctx.sql, ctx.accountId),
    findHolds(ctx.sql, ctx.accountId),
  ]);
  const name = quoted(account.name, "your account");
  const isSuspended = event.type === "account.suspended";
  const reason = oneLine(holds.find(({ kind }) => kind === "suspended")?.reason ?? "");
  return {
    kind: "security_notice",
    to: owners,
    letter: {
      subject: isSuspended ? `${name} was suspended` : `${name} was reinstated`,
      paragraphs: isSuspended
        ? [
            `The operators of this service suspended ${name} on ${timeOf(account, event)}. Nothing is sent from now on, and nothing can be changed; everything can still be read and exported.`,
            ...(reason ? [`They say: ${reason}`] : []),
          ]
        : [
            `The operators of this service took the suspension of ${name} back on ${timeOf(account, event)}. What was under way goes on. A campaign whose time has passed waits until somebody sends it.`,
          ],
      action: { label: "Look at the account", url: `${baseUrl}/settings/account` },
      notes: [`You get this as an owner of ${quoted(account.name, "the account")}. ${SECURITY}`],
    },
  };
}

function whoIs(
  actor: { readonly kind: string; readonly id: string | null },
  names: ReadonlyMap<string, string>,
): string {
  const name = quoted(names.get(actor.id ?? "") ?? "", "");
  if (actor.kind === "api_key") return `the API key ${name}`.trim();
  return name || "one of its users";
}

/** Says how much happened of which nobody was mailed, so that a flood of one thing can't hide another. */
export function summary(
  account: AccountRow,
  { notices, security }: { readonly notices: number; readonly security: number },
  baseUrl: string,
): Letter {
  const all = notices + security;
  const more = all === 1 ? "One more thing" : `${all} more things`;
  return {
    subject: `${more} happened in ${quoted(account.name, "your account")}`,
    paragraphs: [
      `${more} happened in ${quoted(account.name, "your account")} of which you would have got a mail each, had there not been so many within an hour.`,
      security === 0
        ? "None was about security: campaigns were paused, or could not be sent."
        : `About security, such as a new API key, ${security === 1 ? "was one" : `were ${security}`} of them. If you don't know why, look at each, and revoke the keys that none of you made.`,
    ],
    action: { label: "Look at what happened", url: `${baseUrl}/events` },
    notes: [`You get this as a user of ${quoted(account.name, "the account")}.`],
  };
}

/** Says why somebody gets a notice that can be switched off, and where. */
function ofOwner({ name }: AccountRow, baseUrl: string): string {
  return `You get this as an owner of ${quoted(name, "the account")}. Switch such notices off in your profile: ${baseUrl}/settings/profile`;
}
