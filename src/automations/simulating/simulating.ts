/** Shows which way a person would take through a draft, and when, without changing anything. */
import { readSenderDefaults } from "../../messages/messages.ts";
import type { TxCtx } from "../../platform/context.ts";
import { sql } from "../../platform/db/db.ts";
import { fromPublicId } from "../../platform/ids.ts";
import { type Fault, invalid } from "../../platform/problems.ts";
import { allFields, type FieldRow } from "../../subscribers/subscribers.ts";
import { readChange } from "../graph/graph.ts";
import type { Graph } from "../graph-types.ts";
import { type Happening, type Interpreted, interpret } from "./interpret.ts";
import type { SimulatedEvent, Simulation, SimulationInput } from "./schema.ts";
import {
  type AutomationOf,
  addMadeUp,
  openWorld,
  type Tools,
  unknownSubscriber,
} from "./simulated-person.ts";
import { beginTurn } from "./turns.ts";

export { Simulation, SimulationInput } from "./schema.ts";
export type { Tools } from "./simulated-person.ts";

/** Its transaction holds a connection, and holds back the event log of everybody, so few run at once and none for long. */
const LONGEST_MS = 800;

export async function simulate(
  ctx: TxCtx,
  tools: Tools & { readonly relayHost: string | undefined },
  automation: AutomationOf,
  graph: Graph,
  input: SimulationInput,
): Promise<Simulation> {
  const happenings = await readHappenings(ctx, input);
  const end = beginTurn(ctx.accountId, ctx.clock.monotonicMs());
  try {
    const { isSandbox } = await readSenderDefaults(ctx, tools, {
      listId: automation.listId,
      topicId: null,
      stream: "automation",
    });
    return shape(await runInSavepoint(ctx, tools, automation, graph, input, happenings), isSandbox);
  } finally {
    end(ctx.clock.monotonicMs());
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
  happenings: readonly Happening[],
): Promise<Interpreted> {
  const from = input.from === undefined ? ctx.clock.now() : new Date(input.from);
  await ctx.sql.execute(sql`savepoint simulation`);
  const subscriberId = input.person
    ? await addMadeUp(ctx, tools, automation.listId, input.person)
    : fromPublicId("sub", input.subscriber_id ?? "");
  if (subscriberId === undefined) throw unknownSubscriber();
  const world = await openWorld(ctx, tools, automation, subscriberId);
  const untilMs = ctx.clock.monotonicMs() + LONGEST_MS;
  const done = await interpret(graph, world, from, happenings, () => ctx.clock.monotonicMs() > untilMs);
  await ctx.sql.execute(sql`rollback to savepoint simulation`);
  return done;
}

/** Times far from ours are no use, and some can't be stored. */
const YEARS = { first: 2000, last: 2100 };

/** Reads what happens on the way, in the order of time, and names all that is wrong with what is asked. */
async function readHappenings(
  ctx: TxCtx,
  { person, subscriber_id: subscriberId, from, events = [] }: SimulationInput,
): Promise<readonly Happening[]> {
  const fields = events.some(({ type }) => type === "field_changed")
    ? await allFields(ctx.sql, ctx.accountId)
    : [];
  const faults: Fault[] = [];
  const happenings = events.flatMap((event, at) => {
    const read = readHappening(event, fields, `/events/${at}`);
    if (!("faults" in read)) return [read];
    faults.push(...read.faults);
    return [];
  });
  const year = from === undefined ? YEARS.first : new Date(from).getUTCFullYear();
  if (!(year >= YEARS.first && year <= YEARS.last)) {
    const detail = `must be of the years ${YEARS.first} to ${YEARS.last}`;
    faults.push({ pointer: "/from", code: "invalid_value", detail });
  }
  if ((person === undefined) === (subscriberId === undefined))
    faults.push({ pointer: "/subscriber_id", code: "required", detail: "give a subscriber or a person" });
  if (faults.length > 0) throw invalid(...faults);
  return happenings.sort(byTime);
}

function readHappening(
  event: SimulatedEvent,
  fields: readonly FieldRow[],
  pointer: string,
): Happening | { readonly faults: readonly Fault[] } {
  const { type, name, properties = {}, node, campaign_id } = event;
  const at = new Date(event.at);
  switch (type) {
    case "event":
      return name === undefined
        ? { faults: [{ pointer: `${pointer}/name`, code: "required", detail: "say which event" }] }
        : { at, type, name, properties };
    case "email_opened":
    case "email_clicked":
      return { at, type, node, campaignId: campaign_id && fromPublicId("cmp", campaign_id) };
    default: {
      const { change, faults } = readChange(event, fields, pointer);
      return change ? { at, ...change } : { faults };
    }
  }
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
