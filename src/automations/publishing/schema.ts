/** What is said to actions of an automation, and what publications and versions look like from outside. */
import { type Static, Type } from "typebox";
import {
  Nullable,
  oneOf,
  Page,
  PageQuery,
  PublicId,
  Strict,
  Timestamp,
} from "../../platform/http/schemas.ts";
import { Draft } from "../schema.ts";

const Mapping = (description: string) =>
  Type.Record(Type.String(), Type.String({ maxLength: 64 }), { maxProperties: 100, description });
const PeopleOption = oneOf(["follow", "stay"], {
  description:
    "Whether those inside go on by this version, or stay with theirs. Who enters later goes by this one.",
});
const WaitsOption = oneOf(["recount", "keep"], {
  description:
    "For who waits at a step whose wait has changed: whether the time they have waited counts for the new wait, or they wait as before.",
});

export const PublishInput = Strict(
  {
    people: Type.Optional(PeopleOption),
    waits: Type.Optional(WaitsOption),
    mapping: Type.Optional(
      Mapping('Where people go on whose step isn\'t there any more: `{"former step": "step"}`.'),
    ),
    dry_run: Type.Optional(
      Type.Boolean({ description: "Say what publishing would do for those inside, and do nothing." }),
    ),
  },
  {
    title: "AutomationPublishInput",
    examples: [{ people: "follow", waits: "recount", mapping: { reminder: "last_mail" }, dry_run: true }],
  },
);

export const ResumeInput = Strict(
  {
    overdue: Type.Optional(
      oneOf(["run", "spread", "skip"], {
        description:
          "What becomes of steps that fell due meanwhile. `run`: they are done now. `spread`: they are done evenly over `spread_minutes`. " +
          "`skip`: the mails that were due are left out, and people go on with what comes after them.",
      }),
    ),
    spread_minutes: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 10_080, description: "An hour, unless said otherwise." }),
    ),
  },
  { title: "AutomationResumeInput", examples: [{ overdue: "spread", spread_minutes: 120 }] },
);

const NodeNames = Type.Array(Type.String());
const NodeCounts = Type.Array(Type.Object({ node: Type.String(), people: Type.Integer() }));

const Sandbox = Type.Boolean({
  description:
    "Whether its mail goes into the sandbox for as long as this version runs, because there was no server when it was published. Publish again once there is one.",
});

export const Publication = Type.Object(
  {
    object: Type.Literal("automation_publication"),
    automation_id: PublicId("aut"),
    version: Type.Integer({ description: "The number of the version, or what it would be." }),
    dry_run: Type.Boolean(),
    unchanged: Type.Boolean({
      description: "Whether the published version is the same already, so that none was made.",
    }),
    published_at: Nullable(Timestamp),
    sandbox: Sandbox,
    people: Type.Object({
      inside: Type.Integer(),
      move: Type.Integer({ description: "How many go on by the new version." }),
      stay: Type.Integer({ description: "How many stay with the version that they are in." }),
      due_now: Type.Integer({
        description:
          "How many of them leave their wait at once, since they have waited for long enough by the new version.",
      }),
      due_now_is_exact: Type.Boolean({
        description: "False where so many wait that only the first 20,000 were looked at.",
      }),
    }),
    steps: Type.Object({
      added: NodeNames,
      removed: NodeNames,
      changed: NodeNames,
      waits: Type.Array(Type.String(), {
        description: "Steps that people leave at another time than before.",
      }),
    }),
    nodes_in_use: NodeCounts,
  },
  {
    title: "AutomationPublication",
    description:
      "`nodes_in_use` are steps that are gone and on which people stand whom no `mapping` leads on: a publication with any is refused.",
  },
);
export type Publication = Static<typeof Publication>;

const head = {
  object: Type.Literal("automation_version"),
  automation_id: PublicId("aut"),
  number: Type.Integer({ description: "Counts up from 1." }),
  people: PeopleOption,
  waits: WaitsOption,
  mapping: Mapping("Where people went on whose step wasn't there any more."),
  sandbox: Sandbox,
  published_at: Timestamp,
  published_by: Type.Object({
    kind: oneOf(["api_key", "user", "system"]),
    id: Nullable(Type.String({ description: "The key's or the user's id; null for the system." })),
  }),
};
export const VersionSummary = Type.Object(head, { title: "AutomationVersionSummary" });
export type VersionSummary = Static<typeof VersionSummary>;
export const VersionPage = Page(VersionSummary, "AutomationVersionPage");
export const Version = Type.Object({ ...head, graph: Draft }, { title: "AutomationVersion" });
export type Version = Static<typeof Version>;
export const VersionQuery = PageQuery({});
export const VersionParams = Strict({
  id: PublicId("aut"),
  number: Type.String({ pattern: "^[1-9]\\d{0,8}$", examples: ["1"] }),
});
