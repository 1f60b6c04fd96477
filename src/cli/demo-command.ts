/**
 * `postrider demo` makes a list of 10,000, sends it a campaign into the sandbox, draws a progress bar, acts as some of the
 * recipients, and says what came back and where to look.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { recordAct } from "../audit/audit.ts";
import { createCampaign, prepareFor, sendCampaign } from "../campaigns/campaigns.ts";
import { listStarters } from "../content/content.ts";
import { type Progress, readCounts, readProgress } from "../delivery/delivery.ts";
import type { MessageTools } from "../messages/messages.ts";
import type { Ctx } from "../platform/context.ts";
import type { Db } from "../platform/db/db.ts";
import { toPublicId } from "../platform/ids.ts";
import { createList, findListNamed, type HashAddress, importFile } from "../subscribers/subscribers.ts";
import { actAsRecipients, type CameBack } from "./demo-recipients.ts";
import { drawBar } from "./import-command.ts";

const LIST_NAME = "Demo";
const LOOK_EVERY_MS = 200;

type Demo = {
  readonly ctx: Ctx<Db>;
  readonly tools: MessageTools;
  readonly uploadDir: string;
  readonly hash: HashAddress;
  readonly people: number;
  /** The API is reached at this address. */
  readonly baseUrl: string;
  /** The demo itself answers the links of the mails at this address. */
  readonly localUrl: string;
  readonly print: (text: string) => void;
};

export async function runDemo(demo: Demo): Promise<void> {
  const { ctx, print } = demo;
  const listId = await seedList(demo);
  const id = await launch(demo, listId);
  const startedMs = ctx.clock.monotonicMs();
  for (;;) {
    const progress = (await readProgress(ctx.sql, ctx.accountId, [id], ctx.clock.now())).get(id);
    if (progress) draw(progress);
    if (progress?.phase === null) break;
    await sleep(LOOK_EVERY_MS);
  }
  const seconds = (ctx.clock.monotonicMs() - startedMs) / 1_000;
  print(await reportSent(demo, id, seconds));
  if (process.stderr.isTTY === true)
    process.stderr.write("reading some of the mails; opens and clicks are counted some ten seconds later\n");
  const cameBack = await actAsRecipients({ ctx, campaignId: id, localUrl: demo.localUrl });
  if (cameBack) print(await reportCameBack(demo, id, cameBack));
  print(whereToLook(demo, id));
}

/** The next demo finds the same list again. Some of its addresses bounce and some are deferred, so that all can be seen. */
async function seedList({ ctx, uploadDir, hash, people, print }: Demo): Promise<string> {
  const found = await findListNamed(ctx.sql, ctx.accountId, LIST_NAME);
  const { id } =
    found ??
    (await ctx.sql.transaction(async (tx) => {
      const own = { ...ctx, sql: tx };
      const input = { name: LIST_NAME, from_name: "Postrider", from_email: "demo@example.com" };
      const list = await createList(own, input);
      recordAct(own, "operator", "list.created", toPublicId("lst", list.id));
      return list;
    }));
  const folder = await mkdtemp(join(tmpdir(), "postrider-demo-"));
  try {
    const file = join(folder, "people.csv");
    await writeFile(file, peopleAsCsv(people));
    const options = { list_id: toPublicId("lst", id), consent: { attested: true, source: "demo" } };
    const onProgress = ({ counts, progress }: Awaited<ReturnType<typeof importFile>>) =>
      drawBar({
        what: "adding people",
        done: counts.processed,
        total: counts.total ?? people,
        perSecond: progress.rows_per_second,
        eta: progress.eta === null ? null : new Date(progress.eta),
      });
    const { counts } = await importFile(ctx, { file, options, uploadDir, hash, onProgress });
    endBar();
    print(`${number(counts.created)} people added to the list ${LIST_NAME} (${options.list_id})\n`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return id;
}

const FIRST_NAMES = [
  "Ada",
  "Björk",
  "Chidi",
  "Dilnoza",
  "Emre",
  "Françoise",
  "Grace",
  "Hồng",
  "Ines",
  "Jürgen",
];

function peopleAsCsv(count: number): string {
  const rows = Array.from({ length: count }, (_, at) => {
    const local = at % 200 === 7 ? "bounce+demo" : at % 400 === 11 ? "defer+demo" : "demo";
    return `${local}${at}@example.com,${FIRST_NAMES[at % FIRST_NAMES.length]}`;
  });
  return `email,first_name\n${rows.join("\n")}\n`;
}

async function launch({ ctx, tools }: Demo, listId: string): Promise<string> {
  const letter = listStarters().find(({ id }) => id === "letter");
  if (!letter) throw new Error("there is no letter to start from");
  const { id } = await ctx.sql.transaction((tx) =>
    createCampaign(
      { ...ctx, sql: tx },
      {
        name: "Demo",
        list_id: toPublicId("lst", listId),
        subject: letter.subject,
        preview_text: letter.preheader,
        html: withLink(letter.source),
      },
      undefined,
    ),
  );
  const ready = await prepareFor(ctx, tools, id, "send");
  await ctx.sql.transaction((tx) => {
    const own = { ...ctx, sql: tx };
    recordAct(own, "operator", "campaign.launched", toPublicId("cmp", id));
    return sendCampaign(own, id, ready, {});
  });
  return id;
}

/** The letter links only to itself, which nobody counts as a click. */
function withLink(html: string): string {
  return html.replace("{{ view_url }}", "https://example.com/the-page-that-i-mean");
}

function draw({ phase, done, total, perSecond, eta }: Progress): void {
  drawBar({ what: phase ?? "done", done, total, perSecond: Math.round(perSecond), eta });
  if (phase === null) endBar();
}

function endBar(): void {
  if (process.stderr.isTTY === true) process.stderr.write("\n");
}

async function reportSent({ ctx }: Demo, id: string, seconds: number): Promise<string> {
  const counts = await readCounts(ctx.sql, ctx.accountId, id);
  const rate = Math.round(counts.sent / Math.max(seconds, 0.001));
  return (
    `${number(counts.sent)} of ${number(counts.recipients)} sent in ${seconds.toFixed(1)} s, ${number(rate)} a second; ` +
    `${number(counts.failed)} refused, ${number(counts.skipped.total)} left out\n`
  );
}

async function reportCameBack({ ctx }: Demo, id: string, cameBack: CameBack): Promise<string> {
  const { unsubscribes } = await readCounts(ctx.sql, ctx.accountId, id);
  const line = (what: string, { people, machines }: CameBack["opened"]) =>
    `  ${what.padEnd(14)}${number(people).padStart(3)} by people, ${number(machines).padStart(3)} by machines`;
  return [
    "",
    `Then the demo acted as ${number(cameBack.mails)} of the recipients, people and machines:`,
    line("opened", cameBack.opened),
    line("clicked", cameBack.clicked),
    `  ${"unsubscribed".padEnd(14)}${number(unsubscribes).padStart(3)}`,
    "",
  ].join("\n");
}

function whereToLook({ baseUrl }: Demo, id: string): string {
  const publicId = toPublicId("cmp", id);
  const campaign = `${baseUrl}/v1/campaigns/${publicId}`;
  return [
    "",
    "Where to look, with an API key:",
    `  the campaign       ${campaign}`,
    `  its numbers        ${campaign}/stats`,
    `  its links          ${campaign}/stats/links`,
    `  who was refused    ${campaign}/recipients?status=failed`,
    `  the mail itself    ${baseUrl}/v1/sandbox/messages`,
    "",
    "And its report, in the dashboard:",
    `  ${baseUrl}/campaigns/${publicId}`,
    "",
  ].join("\n");
}

function number(value: number): string {
  return value.toLocaleString("en-GB");
}
