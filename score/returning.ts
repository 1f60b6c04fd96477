/**
 * Sends a campaign through a real Postfix, which accepts all of it, is refused by the next hop, and returns reports: to our own
 * SMTP listener, or into a mailbox of a real Dovecot that we poll. Each report must end as what it says, of the right campaign.
 */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createApp, type TestApp, WITH_UNSUBSCRIBE } from "../test/support/app.ts";
import { makeCampaign, readCampaign } from "../test/support/campaigns.ts";
import { onPostgres } from "../test/support/own-postgres.ts";
import { addSubscriber, type Json, makeList } from "../test/support/subscribers.ts";
import { type Figure, percentFigure, type Score, type Scorer } from "./figures.ts";
import { POSTFIX } from "./servers/postfix.ts";
import { findPort, findPrograms, type Programs, type Running } from "./servers/processes.ts";
import {
  dovecotUser,
  hasDovecot,
  type Refusal,
  startDovecot,
  startNextHop,
  startRelayingPostfix,
} from "./servers/returning-servers.ts";

export const returningScorer: Scorer = {
  name: "returning",
  summary: "what becomes of bounces that Postfix returns by SMTP, and to a mailbox of Dovecot",
  score: scoreReturning,
};

type Case = {
  readonly local: string;
  readonly refusal: Refusal | undefined;
  readonly class: "hard" | "soft" | "block" | undefined;
  readonly reason: string | undefined;
};

const refused = (local: string, code: number, text: string, kind: Case["class"], reason: string): Case => ({
  local,
  refusal: { code, text },
  class: kind,
  reason,
});

const CASES: readonly Case[] = [
  refused(
    "unknown",
    550,
    "5.1.1 Recipient address rejected: User unknown in virtual mailbox table",
    "hard",
    "user_unknown",
  ),
  refused("moved", 551, "5.1.6 The user has moved and left no address", "hard", "address_moved"),
  refused("disabled", 550, "5.2.1 The email account is disabled", "soft", "mailbox_disabled"),
  refused("full", 552, "5.2.2 The recipient's mailbox is full", "soft", "mailbox_full"),
  refused(
    "blocked",
    554,
    "5.7.1 Service unavailable; client host blocked using zen.spamhaus.org",
    "block",
    "ip_blocked",
  ),
  { local: "fine", refusal: undefined, class: undefined, reason: undefined },
];
/** There are fewer than twenty hard bounces in each domain, so that none is a storm. */
const DOMAINS = ["alpha.example", "beta.example", "gamma.example", "delta.example"];
const TIMES = 5;
const FROM = "news@shop.example";
const RETURN_DOMAIN = "bounces.shop.example";
const PATIENCE_MS = 120_000;

async function scoreReturning(): Promise<Score> {
  const details: string[] = [];
  const folder = mkdtempSync(join(tmpdir(), "score-returning-"));
  try {
    // The servers run as other users than we do.
    chmodSync(folder, 0o755);
    const programs = findPrograms(folder, [POSTFIX]);
    if (!programs.has(POSTFIX)) details.push("Postfix isn't here: left out");
    else if (process.getuid?.() !== 0) details.push("Postfix can be started by root only: left out");
    else return await onPostgres("postrider-score-", () => scoreWays(programs, folder, details));
    return { figures: [], details };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function scoreWays(programs: Programs, folder: string, details: string[]): Promise<Score> {
  const figures = [...(await scoreWay("smtp", programs, join(folder, "smtp"), details))];
  if (!hasDovecot()) details.push("Dovecot isn't here: left out");
  else {
    for (const way of ["mailbox", "catch_all"] as const)
      figures.push(...(await scoreWay(way, programs, join(folder, way), details)));
  }
  return { figures, details };
}

/**
 * `smtp`: reports come to our listener, by the return path of each mail. `mailbox`: there is no INBOUND_DOMAIN, and they come to the
 * mailbox of the sender. `catch_all`: all of INBOUND_DOMAIN is delivered to one mailbox.
 */
type Way = "smtp" | "mailbox" | "catch_all";

async function scoreWay(way: Way, programs: Programs, folder: string, details: string[]): Promise<Figure[]> {
  mkdirSync(folder);
  chmodSync(folder, 0o755);
  const running: Running[] = [];
  const port = await findPort();
  const inbound = await findPort();
  const app = await createApp({
    settings: {
      SMTP_URL: `smtp://127.0.0.1:${port}?connections=4`,
      INTERNAL_HOSTS: "127.0.0.1",
      ...(way !== "mailbox" && { INBOUND_DOMAIN: RETURN_DOMAIN }),
      ...(way === "smtp" && { INBOUND_PORT: String(inbound) }),
    },
    served: WITH_UNSUBSCRIBE,
    logLevel: "warn",
  });
  try {
    const refusals = CASES.flatMap(({ local, refusal }) => (refusal ? [[local, refusal] as const] : []));
    const nextHop = await startNextHop(new Map(refusals));
    running.push(nextHop);
    const returning =
      way === "smtp"
        ? { domain: RETURN_DOMAIN, port: inbound }
        : { mailboxDomain: way === "mailbox" ? FROM.slice(FROM.indexOf("@") + 1) : RETURN_DOMAIN };
    running.push(await startRelayingPostfix({ programs, folder, port, nextHop: nextHop.port, returning }));
    if (way !== "smtp") {
      const dovecot = await startDovecot(programs, folder);
      running.push(dovecot);
      await makeMailbox(app, dovecot.port);
    }
    return await scoreCampaign(way, app, details);
  } finally {
    await app.stop();
    for (const server of running.reverse()) await server.stop();
  }
}

async function makeMailbox(app: TestApp, port: number): Promise<void> {
  const reached = { host: "127.0.0.1", port, tls: "none", ...dovecotUser };
  const body = { name: "News", ...reached, after: "seen" };
  const made = await app.api("POST", "/v1/inbound/mailboxes", { body });
  if (made.status !== 201) throw new Error(made.text);
  const tried = await app.api("POST", `/v1/inbound/mailboxes/${made.body.id}/test`);
  if (!tried.body.ok) throw new Error(tried.text);
}

async function scoreCampaign(way: Way, app: TestApp, details: string[]): Promise<Figure[]> {
  const listId = await makeList(app, {
    from_email: FROM,
    from_name: "Shop",
    postal_address: "1 High Street",
  });
  const people = DOMAINS.flatMap((domain) =>
    CASES.flatMap((one) =>
      Array.from({ length: TIMES }, (_, n) => ({ ...one, email: `${one.local}${n}@${domain}` })),
    ),
  );
  for (const { email } of people) await addSubscriber(app, listId, email);
  const { id } = await makeCampaign(app, listId);
  const launched = await app.api("POST", `/v1/campaigns/${id}/send`);
  if (launched.status !== 202) throw new Error(launched.text);
  await until(async () => (await readCampaign(app, id))["status"] === "sent");
  const sentMs = performance.now();
  const bad = people.filter(({ refusal }) => refusal);
  const read = async () => (await app.api("GET", "/v1/inbound?state=read&limit=200")).body.data as Json[];
  await until(async () => (await read()).length >= bad.length);
  const seconds = ((performance.now() - sentMs) / 1_000).toFixed(1);
  const reports = await readReports(app, await read());
  const suppressed = new Map(
    ((await app.api("GET", "/v1/suppressions?limit=200")).body.data as Json[]).map((one) => [
      one["email"],
      one,
    ]),
  );
  const wrong = people.flatMap((person) => {
    const why = faultOf(person, reports.get(person.email) ?? [], suppressed.get(person.email), id);
    return why === undefined ? [] : [`${way}: ${person.email}: ${why}`];
  });
  const { delivered, sent } = (await app.api("GET", `/v1/campaigns/${id}/stats`)).body;
  details.push(
    `${way}: ${people.length} mails accepted, ${bad.length} refused by the next hop, all reports read ${seconds} s after the last was sent`,
    `${way}: matched by ${[...new Set([...reports.values()].flat().map((one) => one["matched_by"]))].join(", ")}`,
    `${way}: the campaign counts ${sent} sent and ${delivered} delivered`,
    ...wrong.slice(0, 10),
  );
  const isCounted = delivered === people.length - bad.length;
  return [
    percentFigure(`returning.${way}_right`, people.length - wrong.length, people.length, 100),
    percentFigure(`returning.${way}_delivered_right`, isCounted ? 1 : 0, 1, 100),
  ];
}

/** Returns what was reported of each address. */
async function readReports(app: TestApp, items: readonly Json[]): Promise<Map<string, Json[]>> {
  const reports = new Map<string, Json[]>();
  for (const { id } of items) {
    const { body } = await app.api("GET", `/v1/inbound/${id}`);
    for (const report of body.reports) {
      const of = String(report.recipient).toLowerCase();
      reports.set(of, [...(reports.get(of) ?? []), report]);
    }
  }
  return reports;
}

/** Returns what is wrong with what was made of one recipient's mail; undefined where nothing is. */
function faultOf(
  one: Case,
  reports: readonly Json[],
  suppression: Json | undefined,
  campaignId: string,
): string | undefined {
  const [report, ...more] = reports;
  if (!one.refusal)
    return report || suppression ? "something came back of a mail that was delivered" : undefined;
  if (!report || more.length > 0) return `${reports.length} reports`;
  if (report["campaign_id"] !== campaignId) return `matched with ${report["campaign_id"]}`;
  if (report["class"] !== one.class || report["reason"] !== one.reason)
    return `read as ${report["class"]}, ${report["reason"]}, not ${one.class}, ${one.reason}`;
  const isSuppressed = suppression?.["reason"] === "hard_bounce";
  return isSuppressed === (one.class === "hard")
    ? undefined
    : `suppressed: ${isSuppressed}, ${report["why"]}`;
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  // What isn't there by then is missing in the figures.
  while (!(await condition()) && performance.now() < deadline) await sleep(100);
}
