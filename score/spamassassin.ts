/**
 * Lets SpamAssassin judge the starters as they arrive: each is made into a mail by the program itself and leaves by a real Postfix. Those
 * of campaigns come back as mail tests, whose reports say what spamd found; the others are sent, stored and shown to it here.
 */
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { listStarters, type Starter } from "../src/content/starters/starters.ts";
import { askSpamd } from "../src/mail/spam-filters/spam-filters.ts";
import { cloneDatabase } from "../test/support/database.ts";
import { onPostgres } from "../test/support/own-postgres.ts";
import { percentFigure, type Score, type Scorer } from "./figures.ts";
import { DOMAIN, INBOUND_DOMAIN, proveDomain } from "./rotation/sender-domain.ts";
import { findPort } from "./servers/processes.ts";
import { type Product, startProduct } from "./servers/product.ts";
import { type Receiver, startReceiver, whyNoReceiver } from "./servers/receiver.ts";
import { startSpamd, whyNoSpamd } from "./servers/spamd.ts";

export const spamAssassinScorer: Scorer = {
  name: "spamassassin",
  summary: "the starters as the program sends them, by spamd, and what mail tests say of them",
  score: scoreStarters,
};

/** A mail is spam at 5 points; a starter has to stay below this. */
const BELOW_POINTS = 2;
const FROM = `news@${DOMAIN}`;
const STORED_DOMAIN = "people.example";
const PATIENCE_MS = 120_000;
const ASKED_WITHIN = { timeoutMs: 30_000 };
/** Every SpamAssassin takes a mail with this line for spam, which shows that it judges at all. */
const SPAM =
  "From: a@example.org\r\nSubject: x\r\n\r\nXJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X\r\n";

async function scoreStarters(): Promise<Score> {
  const folder = mkdtempSync(join(tmpdir(), "score-spamassassin-"));
  try {
    // The servers run as other users than we do.
    chmodSync(folder, 0o755);
    const reasons = [...whyNoReceiver(folder), ...whyNoSpamd()];
    if (reasons.length > 0) return { figures: [], details: reasons };
    return await onPostgres("postrider-score-", () => scoreIn(folder));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function scoreIn(folder: string): Promise<Score> {
  const inbound = await findPort();
  const spamd = await startSpamd(join(folder, "spamd"));
  const receiver = await startReceiver(folder, [STORED_DOMAIN], { domain: INBOUND_DOMAIN, port: inbound });
  const database = await cloneDatabase();
  try {
    const product = await startProduct({
      DATABASE_URL: database.url,
      SMTP_URL: `smtp://127.0.0.1:${receiver.port}`,
      PUBLIC_URL: `https://links.${DOMAIN}`,
      INBOUND_DOMAIN,
      INBOUND_PORT: String(inbound),
      DNS_SERVERS: receiver.nameServer.address,
      SPAMD: `127.0.0.1:${spamd.port}`,
    });
    try {
      await proveDomain(product, receiver.nameServer);
      return await judgeAll({ product, receiver, spamdPort: spamd.port });
    } finally {
      await product.stop();
    }
  } finally {
    await receiver.stop();
    await spamd.stop();
    await database.drop();
  }
}

/** A starter is there for the editor of blocks, and for writing by hand. */
const WAYS = ["blocks", "by hand"] as const;
type Way = (typeof WAYS)[number];

type Setup = { readonly product: Product; readonly receiver: Receiver; readonly spamdPort: number };
const placeOf = ({ spamdPort }: Setup) => ({ host: "127.0.0.1", port: spamdPort });
type Rule = { readonly name: string; readonly points: number };
type Judged = { readonly score: number; readonly rules: readonly Rule[] };

async function judgeAll(setup: Setup): Promise<Score> {
  const details: string[] = [];
  const starters = listStarters();
  let good = 0;
  for (const [starter, way] of starters.flatMap((one) => WAYS.map((two) => [one, two] as const))) {
    const name = `${starter.id}, ${way}`;
    const judged = await (starter.stream === "campaign"
      ? judgeByMailTest(setup, starter, way)
      : judgeStored(setup, starter, way));
    if (typeof judged === "string") details.push(`${name}: ${judged}`);
    else {
      const against = pointsAgainst(judged);
      if (against < BELOW_POINTS) good++;
      const rules = judged.rules.map(({ name, points }) => `${name} ${points}`).join(", ");
      details.push(`${name}: ${against} points against it, ${judged.score} in all (${rules})`);
    }
  }
  const control = await askSpamd(placeOf(setup), { mail: Buffer.from(SPAM) }, ASKED_WITHIN);
  const isSeen = control.kind === "scored" && control.score >= control.threshold;
  return {
    figures: [
      percentFigure("spamassassin.starters_below_2", good, starters.length * WAYS.length, 100),
      percentFigure("spamassassin.spam_seen", isSeen ? 1 : 0, 1, 100),
    ],
    details,
  };
}

/** What counts for a mail (a List-Id takes away a whole point) is left out, because it would hide faults of the same size. */
function pointsAgainst({ rules }: Judged): number {
  const sum = rules.reduce((points, rule) => points + Math.max(0, rule.points), 0);
  return Math.round(sum * 10) / 10;
}

/** Returns what the report of a mail test says, or why there is none. */
async function judgeByMailTest({ product }: Setup, starter: Starter, way: Way): Promise<Judged | string> {
  const [list] = (await product.must("GET", "/v1/lists")).data;
  const given = await product.must("GET", `/v1/starters/${starter.id}`);
  const campaign = await product.must("POST", "/v1/campaigns", {
    name: starter.name,
    list_id: list.id,
    from_email: FROM,
    from_name: "Acme",
    subject: given.subject,
    preview_text: given.preview_text,
    ...contentOf(given, way),
  });
  const { id } = await product.must("POST", "/v1/deliverability/tests", { campaign_id: campaign.id });
  const read = () => product.must("GET", `/v1/deliverability/tests/${id}`);
  await until(async () => (await read()).status !== "waiting");
  const { status, failure, report } = await read();
  if (status !== "done") return `the mail test is ${status}: ${failure ?? "nothing came"}`;
  const items = report.groups.flatMap(({ items: some }: { items: unknown[] }) => some);
  const { evidence } = items.find(({ key }: { key: string }) => key === "spamassassin") ?? {};
  return readEvidence(String(evidence));
}

type Given = Readonly<Record<"html" | "mjml" | "blocks", unknown>>;

function contentOf({ html, mjml, blocks }: Given, way: Way): Partial<Given> {
  if (way === "blocks") return { blocks };
  return html === null ? { mjml } : { html };
}

/** Reads the lines that a report shows for a person. */
function readEvidence(evidence: string): Judged | string {
  const score = /gives (-?[\d.]+) points/.exec(evidence)?.[1];
  if (score === undefined) return evidence;
  const rules = [...evidence.matchAll(/^([+-]?[\d.]+) (\w+)/gm)];
  return {
    score: Number(score),
    rules: rules.map(([, points, name = ""]) => ({ name, points: Number(points) })),
  };
}

/** Sends the starter as a program does, by a template, and shows spamd what was stored. */
async function judgeStored(setup: Setup, { id, name, sample }: Starter, way: Way): Promise<Judged | string> {
  const { product, receiver } = setup;
  const given = await product.must("GET", `/v1/starters/${id}`);
  const values = { first_name: "Ada", ...sample };
  const variables = Object.entries(values).map(([of, value]) => ({
    name: of,
    type: Array.isArray(value) ? "list" : "string",
    sample: value,
  }));
  const made = await product.must("POST", "/v1/templates", {
    name: `${name}, ${way}`,
    subject: given.subject,
    preview_text: given.preview_text,
    ...contentOf(given, way),
    variables,
  });
  await product.must("POST", `/v1/templates/${made.id}/publish`);
  const before = receiver.inbox().length;
  await product.must("POST", "/v1/emails", {
    from: `Acme <${FROM}>`,
    to: [`ada@${STORED_DOMAIN}`],
    template_id: made.id,
    variables: values,
  });
  await until(async () => receiver.inbox().length > before);
  const [path] = receiver.inbox();
  if (path === undefined) return "it never came";
  const verdict = await askSpamd(placeOf(setup), { mail: readFileSync(path) }, ASKED_WITHIN);
  return verdict.kind === "scored" ? verdict : verdict.detail;
}

async function until(isMet: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  // What isn't there by then is named in the details.
  while (!(await isMet()) && performance.now() < deadline) await sleep(200);
}
