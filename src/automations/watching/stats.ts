/** What an automation's people have done, in numbers. Every number is a sum that was written with the step itself. */
import { type Static, Type } from "typebox";
import { readCountsOfGroups } from "../../delivery/delivery.ts";
import type { Ctx } from "../../platform/context.ts";
import { Nullable, oneOf, PublicId, Timestamp } from "../../platform/http/schemas.ts";
import { toPublicId } from "../../platform/ids.ts";
import {
  mailNumbers,
  NO_TOTALS,
  rate,
  readModesOfGroups,
  readTotalsOfGroups,
  shapeMailNumbers,
} from "../../tracking/tracking.ts";
import type { Graph } from "../graph-types.ts";
import { readVersion } from "../runs/runs.ts";
import { OverdueSteps } from "../schema.ts";
import { STATUSES } from "../status.ts";
import type { AutomationRow } from "../store.ts";
import { type CountRow, listWaves, readSums } from "./counts-store.ts";

const Sums = (description: string) => Type.Record(Type.String(), Type.Integer(), { description });
const conversion = {
  reached: Type.Integer({ description: "How many runs reached it, each once." }),
  conversion: Type.Number({
    description: "Their share, from 0 to 1; 0 where there is nothing to divide by.",
  }),
};

export const AutomationStats = Type.Object(
  {
    object: Type.Literal("automation_stats"),
    automation_id: PublicId("aut"),
    status: oneOf(STATUSES),
    as_of: Timestamp,
    overdue: OverdueSteps,
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
    mails: Type.Array(Type.Object({ node: Type.String(), ...mailNumbers }), {
      description: "Of each e-mail step that has sent, the numbers of a campaign, with the same meanings.",
    }),
    goals: Type.Object(
      {
        ...conversion,
        data: Type.Array(
          Type.Object({
            node: Nullable(Type.String({ description: "The step; null for all of `exit` that are goals." })),
            name: Nullable(Type.String()),
            ...conversion,
          }),
          { description: "Each goal of the published version." },
        ),
      },
      { description: "Who reached any goal, of those who entered." },
    ),
    splits: Type.Array(
      Type.Object({
        node: Type.String(),
        ways: Type.Array(
          Type.Object({
            way: Type.String(),
            percent: Type.Number(),
            taken: Type.Integer({ description: "How many took it." }),
            ...conversion,
          }),
        ),
      }),
      {
        description:
          "Each split of the published version, with how many of each way reached a goal afterwards. A way without mail is the holdout: what " +
          "the others have more than it is what the mail brought about.",
      },
    ),
  },
  {
    title: "AutomationStats",
    description:
      "`entered` = `active` + `completed` + all `exited`, always; of a step, `entered` = `waiting` + all `left` + all `exited`. Steps of former " +
      "versions are among them, and people who are forgotten stay counted.",
  },
);
export type AutomationStats = Static<typeof AutomationStats>;

export async function readStats(
  ctx: Ctx,
  row: Pick<AutomationRow, "id" | "state" | "version" | "overdue">,
): Promise<AutomationStats> {
  const { sql, accountId, clock } = ctx;
  const [counted, mails, version] = await Promise.all([
    readSums(sql, accountId, row.id),
    readMails(ctx, row.id),
    readVersion(sql, accountId, row.id, row.version),
  ]);
  const sums = Map.groupBy(counted, ({ node }) => node);
  const whole = sums.get("") ?? [];
  const exited = under(whole, "exited:");
  const [entered, completed] = [of(whole, "entered"), of(whole, "completed")];
  return {
    object: "automation_stats",
    automation_id: toPublicId("aut", row.id),
    status: row.state,
    as_of: clock.now().toISOString(),
    overdue: row.overdue,
    entered,
    active: entered - completed - total(exited),
    completed,
    exited,
    nodes: [...sums].flatMap(([node, rows]) => (node === "" ? [] : [shapeNode(node, rows)])),
    mails,
    ...shapeGoals(version?.graph, sums),
  };
}

function shapeNode(node: string, rows: readonly CountRow[]): AutomationStats["nodes"][number] {
  const [entered, left, exited] = [of(rows, "entered"), under(rows, "left:"), under(rows, "exited:")];
  const completed = of(rows, "completed");
  const gone = completed === 0 ? exited : { ...exited, completed };
  return { node, entered, waiting: entered - total(left) - total(gone), left, exited: gone };
}

type SumsByNode = ReadonlyMap<string, readonly CountRow[]>;

function shapeGoals(graph: Graph | undefined, sums: SumsByNode): Pick<AutomationStats, "goals" | "splits"> {
  const ofNode = (node: string, what: string) => of(sums.get(node) ?? [], what);
  const entered = ofNode("", "entered");
  const converted = (reached: number, among = entered) => ({ reached, conversion: rate(reached, among) });
  const nodes = [...(graph?.nodes ?? [])];
  const data: AutomationStats["goals"]["data"] = nodes.flatMap(([node, one]) =>
    one.type === "goal" ? [{ node, name: one.name, ...converted(ofNode(node, "goal")) }] : [],
  );
  if (graph?.exit.some(({ as }) => as === "goal"))
    data.push({ node: null, name: null, ...converted(ofNode("", "exited:goal")) });
  const splits = nodes.flatMap(([node, one]) => {
    if (one.type !== "split") return [];
    const ways = one.ways.map(({ tenths }, at) => {
      const taken = ofNode(node, `left:${at}`);
      return {
        way: `${at}`,
        percent: tenths / 10,
        taken,
        ...converted(ofNode(node, `goal:${at}`), taken),
      };
    });
    return [{ node, ways }];
  });
  return { goals: { ...converted(ofNode("", "goal")), data }, splits };
}

async function readMails({ sql, accountId }: Ctx, automationId: string): Promise<AutomationStats["mails"]> {
  const waves = await listWaves(sql, accountId, automationId);
  const [counts, totals, modes] = await Promise.all([
    readCountsOfGroups(sql, accountId, waves),
    readTotalsOfGroups(sql, accountId, waves),
    readModesOfGroups(sql, accountId, waves),
  ]);
  return [...counts]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([node, own]) => ({
      node,
      ...shapeMailNumbers(own, { mode: modes.get(node) ?? null, totals: totals.get(node) ?? NO_TOTALS }),
    }));
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
