/** What automations look like from outside. */
import { type Static, Type } from "typebox";
import { UpdatedBy } from "../accounts/accounts.ts";
import {
  BodyId,
  Name,
  Nullable,
  oneOf,
  Page,
  PageQuery,
  PublicId,
  Strict,
  Timestamp,
} from "../platform/http/schemas.ts";
import { ListIdInQuery } from "../subscribers/subscribers.ts";
import { ACTIONS, STATUSES } from "./status.ts";

const AutomationName = Name(200, "Welcome");

const draftExample = {
  format: 1,
  start: "hello",
  entry: { on: [{ type: "list_joined" }] },
  exit: [{ event: "order.placed", as: "goal" }],
  nodes: {
    hello: {
      type: "email",
      subject: "Welcome",
      html: "<p>Hello {{ subscriber.first_name }}</p>",
      next: "pause",
    },
    pause: { type: "wait", for: "P2D", at: "09:00", next: "end" },
    end: { type: "end" },
  },
};
/** The graph is read by `graph/graph.ts`, which names each fault at its place. */
export const Draft = Type.Unsafe<unknown>({
  type: "object",
  additionalProperties: true,
  description:
    "The steps, at most 100 and 256 KB: `{format: 1, start, entry, exit, send, nodes}`. `entry` is `{on, filter, reentry, key}`: at most " +
    "10 triggers (list_joined, tag_added, tag_removed, field_changed, date, segment_entered, segment_left, email_opened, email_clicked, " +
    "event, manual), a rule as segments have them, `{mode: once | every_time | after, days}`, and the property that tells parallel runs " +
    "apart. `exit` has events, mails that were opened or clicked, and rules that end a run. `send` says when mail may leave: `window` and `quiet` of `{from, to}`, and " +
    "`weekdays`. A node is of a `type`: email, wait (`for`, `until`, `at`, `weekdays`), wait_for (`on` or `rule`, `timeout`, `then`, " +
    "`else`), branch (`ways` of `{if, next}`, `else`), split (`ways` of `{percent, next}`), goal, tag, field, list, unsubscribe, webhook, " +
    "notify, end; and leads to the `next`.",
  examples: [draftExample],
});

const DraftFault = Type.Object(
  {
    pointer: Type.String({ examples: ["/draft/nodes/hello/next"] }),
    code: Type.String({ examples: ["unknown_node"] }),
    detail: Type.String({ examples: ["there is no such step"] }),
  },
  { title: "DraftFault" },
);

/** How far a job has come with steps that fell due in a pause. */
export const OverdueSteps = Nullable(
  Type.Object(
    {
      choice: oneOf(["spread", "skip"]),
      people: Type.Integer({ description: "How many there were." }),
      done: Type.Integer({ description: "How many of them have been gone through." }),
    },
    {
      description:
        "Steps that fell due in a pause, where they are more than 2,000 and are gone through one piece after another. Nobody among them moves " +
        "before their piece is done; everybody else does. Null when that is over.",
    },
  ),
);

const summary = {
  object: Type.Literal("automation"),
  id: PublicId("aut"),
  name: AutomationName,
  list_id: PublicId("lst", "The list whose people it is for."),
  status: oneOf(STATUSES, {
    description:
      "`draft`: nobody has entered yet. `live`: people enter and move. `paused`: nothing moves. `draining`: nobody enters, those inside " +
      "finish. `archived`: it is over.",
  }),
  live_version: Nullable(
    Type.Integer({ description: "The version that is published, by which people go; null where none is." }),
  ),
  paused_at: Nullable(Timestamp),
  overdue: OverdueSteps,
  allowed_actions: Type.Array(oneOf(ACTIONS), {
    description:
      "What its endpoints would do now, if the input were good and the key had the scope. `archive` asks besides that nobody is inside.",
  }),
  created_at: Timestamp,
  updated_at: Timestamp,
  updated_by: UpdatedBy,
};
const AutomationSummary = Type.Object(summary, { title: "AutomationSummary" });
export type AutomationSummary = Static<typeof AutomationSummary>;
export const AutomationPage = Page(AutomationSummary, "AutomationPage");
export const Automation = Type.Object(
  {
    ...summary,
    draft: Draft,
    faults: Type.Array(DraftFault, {
      description: "What is wrong with the draft, all of it. What it names may have gone since it was saved.",
    }),
    version_faults: Type.Array(DraftFault, {
      description:
        "Why the published version can't be read any more, which is seldom: nobody in it moves until the draft is published. Empty where it can.",
    }),
    webhook_signing: Nullable(
      Type.Object(
        { previous_until: Nullable(Timestamp) },
        {
          description:
            "What its webhook steps post is signed with its secret, and with the former one too until `previous_until`. Null where it isn't signed, " +
            "before `rotate_webhook_secret` makes a secret.",
        },
      ),
    ),
  },
  { title: "Automation" },
);
export type Automation = Static<typeof Automation>;

export const AutomationCreate = Strict(
  {
    name: AutomationName,
    list_id: BodyId("lst", "The list whose people it is for."),
    draft: Type.Optional(Draft),
  },
  {
    title: "AutomationCreate",
    examples: [{ name: "Welcome", list_id: "lst_01kf3m8c9tfx4t0q6y5v2w7r8a", draft: draftExample }],
  },
);
export type AutomationCreate = Static<typeof AutomationCreate>;
export const AutomationPatch = Strict(
  { name: Type.Optional(AutomationName), draft: Type.Optional(Draft) },
  { title: "AutomationPatch", examples: [{ name: "Welcome, second try" }] },
);
export type AutomationPatch = Static<typeof AutomationPatch>;
export const AutomationQuery = PageQuery({
  list_id: Type.Optional(ListIdInQuery),
  status: Type.Optional(oneOf(STATUSES)),
  q: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: "In the name, in any case." })),
});
