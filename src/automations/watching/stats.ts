/** What an automation's people have done, in numbers. Every number is a sum that was written with the step itself. */
import { type Static, Type } from "typebox";
import { readCountsOfSources } from "../../delivery/delivery.ts";
import type { Ctx } from "../../platform/context.ts";
import { oneOf, PublicId, Timestamp } from "../../platform/http/schemas.ts";
import { toPublicId } from "../../platform/ids.ts";
import { readTotals } from "../../tracking/tracking.ts";
import { STATUSES } from "../status.ts";
import type { AutomationRow } from "../store.ts";
import { type CountRow, listWaves, readSums } from "./counts-store.ts";

const Sums = (description: string) => Type.Record(Type.String(), Type.Integer(), { description });
const mailNames = [
  "recipients",
  "queued",
  "sent",
  "delivered",
  "failed",
  "skipped",
  "bounced",
  "complaints",
  "unsubscribes",
  "human_opens",
  "human_clicks",
] as const;
const NodeMail = Type.Object(
  {
    node: Type.String(),
    ...(Object.fromEntries(mailNames.map((name) => [name, Type.Integer()])) as Record<
      (typeof mailNames)[number],
      ReturnType<typeof Type.Integer>
    >),
  },
  { description: "As a campaign counts them. Opens and clicks are recipients who did it in person." },
);

export const AutomationStats = Type.Object(
  {
    object: Type.Literal("automation_stats"),
    automation_id: PublicId("aut"),
    status: oneOf(STATUSES),
    as_of: Timestamp,
    entered: Type.Integer(),
    active: Type.Integer(),
    completed: Type.Integer(),
    exited: Sums("By why: goal, exit, unsubscribed, suppressed, deleted, canceled and so on."),
    nodes: Type.Array(
      Type.Object({
        node: Type.String(),
        entered: Type.Integer(),
        waiting: Type.Integer({ description: "Who stands there now." }),
        left: Sums("By the way."),
        exited: Sums("Who left the automation from there, by why."),
      }),
    ),
    mails: Type.Array(NodeMail),
  },
  {
    title: "AutomationStats",
    description:
      "`entered` = `active` + `completed` + all `exited`, always; of a step, `entered` = `waiting` + all `left` + all `exited`. Steps of former " +
      "versions are among them, and people who are forgotten stay counted.",
  },
);
type AutomationStats = Static<typeof AutomationStats>;

export async function readStats(ctx: Ctx, row: AutomationRow): Promise<AutomationStats> {
  const { sql, accountId, clock } = ctx;
  const sums = Map.groupBy(await readSums(sql, accountId, row.id), ({ node }) => node);
  const whole = sums.get("") ?? [];
  const exited = under(whole, "exited:");
  const [entered, completed] = [of(whole, "entered"), of(whole, "completed")];
  return {
    object: "automation_stats",
    automation_id: toPublicId("aut", row.id),
    status: row.state,
    as_of: clock.now().toISOString(),
    entered,
    active: entered - completed - total(exited),
    completed,
    exited,
    nodes: [...sums].flatMap(([node, rows]) => (node === "" ? [] : [shapeNode(node, rows)])),
    mails: await readMails(ctx, row.id),
  };
}

function shapeNode(node: string, rows: readonly CountRow[]): AutomationStats["nodes"][number] {
  const [entered, left, exited] = [of(rows, "entered"), under(rows, "left:"), under(rows, "exited:")];
  const completed = of(rows, "completed");
  const gone = completed === 0 ? exited : { ...exited, completed };
  return { node, entered, waiting: entered - total(left) - total(gone), left, exited: gone };
}

async function readMails({ sql, accountId }: Ctx, automationId: string): Promise<AutomationStats["mails"]> {
  const waves = await listWaves(sql, accountId, automationId);
  return Promise.all(
    waves.map(async ({ node, source_ids: sourceIds }) => {
      const [counts, opened] = await Promise.all([
        readCountsOfSources(sql, accountId, sourceIds),
        readTotals(sql, accountId, sourceIds),
      ]);
      return {
        node,
        recipients: counts.recipients,
        queued: counts.queued,
        sent: counts.sent,
        delivered: Math.max(0, counts.sent - counts.returned),
        failed: counts.failed,
        skipped: counts.skipped.total,
        bounced: counts.bounces.total,
        complaints: counts.complaints,
        unsubscribes: counts.unsubscribes,
        human_opens: opened.humanOpeners,
        human_clicks: opened.humanClickers,
      };
    }),
  );
}

function of(rows: readonly CountRow[], what: string): number {
  return rows.find((row) => row.what === what)?.count ?? 0;
}

function under(rows: readonly CountRow[], prefix: string): Record<string, number> {
  const some = rows.filter(({ what }) => what.startsWith(prefix));
  return Object.fromEntries(some.map(({ what, count }) => [what.slice(prefix.length), count]));
}

function total(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
