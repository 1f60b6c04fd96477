/** Shows which way a person would take through a draft, and when, without changing anything. */
import { readSenderDefaults } from "../../messages/messages.ts";
import type { TxCtx } from "../../platform/context.ts";
import { sql } from "../../platform/db/db.ts";
import { fromPublicId } from "../../platform/ids.ts";
import { AppError, type Fault, invalid } from "../../platform/problems.ts";
import type { Graph } from "../graph-types.ts";
import { simulationsBusy } from "../problems.ts";
import { type Happening, type Interpreted, interpret } from "./interpret.ts";
import type { SimulatedEvent, Simulation, SimulationInput } from "./schema.ts";
import {
  type AutomationOf,
  addMadeUp,
  openWorld,
  type Tools,
  unknownSubscriber,
} from "./simulated-person.ts";

export { Simulation, SimulationInput } from "./schema.ts";
export type { Tools } from "./simulated-person.ts";

/** Its transaction holds a connection, and holds back the event log of everybody, so few run at once and none for long. */
const LONGEST_MS = 5_000;
const MOST_AT_ONCE = 2;
/** Those who simulate now. An account has one at a time, so that another finds room. */
const underWay = new Set<string>();

export async function simulate(
  ctx: TxCtx,
  tools: Tools & { readonly relayHost: string | undefined },
  automation: AutomationOf,
  graph: Graph,
  input: SimulationInput,
): Promise<Simulation> {
  refuseFaulty(input);
  if (underWay.size >= MOST_AT_ONCE || underWay.has(ctx.accountId))
    throw new AppError(simulationsBusy, "others are simulating; try again in a moment", {
      headers: { "retry-after": "1" },
    });
  underWay.add(ctx.accountId);
  try {
    const { isSandbox } = await readSenderDefaults(ctx, tools, {
      listId: automation.listId,
      topicId: null,
      stream: "automation",
    });
    return shape(await runInSavepoint(ctx, tools, automation, graph, input), isSandbox);
  } finally {
    underWay.delete(ctx.accountId);
  }
}

/**
 * All of it is rolled back: a step that adds a tag really adds it, so that a later branch sees it, and then it was never there. An error
 * ends the whole transaction.
 */
async function runInSavepoint(
  ctx: TxCtx,
  tools: Tools,
  automation: AutomationOf,
  graph: Graph,
  input: SimulationInput,
): Promise<Interpreted> {
  const from = input.from === undefined ? ctx.clock.now() : new Date(input.from);
  await ctx.sql.execute(sql`savepoint simulation`);
  const subscriberId = input.person
    ? await addMadeUp(ctx, tools, automation.listId, input.person)
    : fromPublicId("sub", input.subscriber_id ?? "");
  if (subscriberId === undefined) throw unknownSubscriber();
  const world = await openWorld(ctx, tools, automation, subscriberId);
  const happenings = (input.events ?? []).map(readHappening).sort(byTime);
  const untilMs = ctx.clock.monotonicMs() + LONGEST_MS;
  const done = await interpret(graph, world, from, happenings, () => ctx.clock.monotonicMs() > untilMs);
  await ctx.sql.execute(sql`rollback to savepoint simulation`);
  return done;
}

/** Times far from ours are no use, and some can't be stored. */
const YEARS = { first: 2000, last: 2100 };

function refuseFaulty({ person, subscriber_id: subscriberId, from, events = [] }: SimulationInput): void {
  const faults: Fault[] = events.flatMap(({ type, name }, at) =>
    type === "event" && name === undefined
      ? [{ pointer: `/events/${at}/name`, code: "required", detail: "say which event" }]
      : [],
  );
  const year = from === undefined ? YEARS.first : new Date(from).getUTCFullYear();
  if (!(year >= YEARS.first && year <= YEARS.last)) {
    const detail = `must be of the years ${YEARS.first} to ${YEARS.last}`;
    faults.push({ pointer: "/from", code: "invalid_value", detail });
  }
  if ((person === undefined) === (subscriberId === undefined))
    faults.push({ pointer: "/subscriber_id", code: "required", detail: "give a subscriber or a person" });
  if (faults.length > 0) throw invalid(...faults);
}

function readHappening({
  type,
  at,
  name = "",
  properties = {},
  node,
  campaign_id,
}: SimulatedEvent): Happening {
  const time = new Date(at);
  if (type === "event") return { at: time, type, name, properties };
  return { at: time, type, node, campaignId: campaign_id && fromPublicId("cmp", campaign_id) };
}

function byTime(a: Happening, b: Happening): number {
  return a.at.getTime() - b.at.getTime();
}

function shape({ path, end }: Interpreted, isSandbox: boolean): Simulation {
  return {
    object: "simulation",
    path: path.map(({ arrivedAt, leftAt, ...visit }) => ({
      ...visit,
      arrived_at: arrivedAt.toISOString(),
      left_at: leftAt.toISOString(),
    })),
    sandbox: isSandbox,
    end: { as: end.as, at: end.at.toISOString() },
  };
}
