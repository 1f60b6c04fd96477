/** What is asked of a simulation, and what it answers. */
import { type Static, Type } from "typebox";
import { BodyId, Nullable, oneOf, Strict, Timestamp } from "../../platform/http/schemas.ts";
import { MadeUpSubscriber } from "../../subscribers/subscribers.ts";
import { CHANGES } from "../graph/graph.ts";

const At = Type.String({ format: "date-time", examples: ["2026-11-20T09:00:00Z"] });
const AnyObject = (description: string) =>
  Type.Unsafe<Readonly<Record<string, unknown>>>({ type: "object", additionalProperties: true, description });

const SimulatedEvent = Strict({
  type: oneOf(["event", "email_opened", "email_clicked", ...CHANGES], {
    description: "What changes the person is really done, so that rules see it, and taken back at the end.",
  }),
  at: At,
  name: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: "Of an `event`.", examples: ["order.placed"] }),
  ),
  properties: Type.Optional(AnyObject("Of an `event`.")),
  node: Type.Optional(
    Type.String({ maxLength: 64, description: "The step whose mail was opened or clicked." }),
  ),
  tag: Type.Optional(Type.String({ maxLength: 64, description: "Which is added or removed." })),
  field: Type.Optional(
    Type.String({ maxLength: 100, description: "Which changes.", examples: ["fields.city"] }),
  ),
  value: Type.Optional(
    Type.Unsafe<string | number | boolean | null>({
      type: ["string", "number", "boolean", "null"],
      description: "What the field then holds; null clears it.",
    }),
  ),
  campaign_id: Type.Optional(BodyId("cmp", "The campaign whose mail was opened or clicked.")),
});
export type SimulatedEvent = Static<typeof SimulatedEvent>;

export const SimulationInput = Strict(
  {
    subscriber_id: Type.Optional(BodyId("sub", "Somebody of the automation's list.")),
    person: Type.Optional(MadeUpSubscriber),
    from: Type.Optional(At),
    events: Type.Optional(
      Type.Array(SimulatedEvent, { maxItems: 100, description: "What happens to the person on the way." }),
    ),
  },
  {
    title: "SimulationInput",
    examples: [
      {
        person: { first_name: "Ada", time_zone: "Europe/Berlin", tags: ["vip"] },
        events: [{ type: "event", name: "order.placed", at: "2026-11-20T09:00:00Z" }],
      },
    ],
  },
);
export type SimulationInput = Static<typeof SimulationInput>;

const SimulatedVisit = Type.Object(
  {
    node: Type.String(),
    type: Type.String(),
    arrived_at: Timestamp,
    left_at: Timestamp,
    way: Nullable(
      Type.String({ description: "By which way the person leaves the step; null where the run ends at it." }),
    ),
    reason: oneOf(["done", "waited", "happened", "timeout", "rule", "share", "goal", "exit", "end"]),
  },
  { title: "SimulatedVisit" },
);

export const Simulation = Type.Object(
  {
    object: Type.Literal("simulation"),
    path: Type.Array(SimulatedVisit),
    sandbox: Type.Boolean({
      description: "Whether mail would go into the sandbox, if it was published now: there is no server.",
    }),
    end: Type.Object({
      as: oneOf(
        [
          "not_entered",
          "completed",
          "unsubscribed",
          "bounced",
          "suppressed",
          "goal",
          "exit",
          "too_many_visits",
          "out_of_time",
        ],
        {
          description:
            "`out_of_time`: a simulation has less than a second, and this one needs more; `path` is how far it came.",
        },
      ),
      at: Timestamp,
    }),
  },
  { title: "Simulation" },
);
export type Simulation = Static<typeof Simulation>;
