/** Describes storms as clients get them. */
import { type Static, Type } from "typebox";
import { Nullable, oneOf, Page, PageQuery, PublicId, Timestamp } from "../../platform/http/schemas.ts";

const STATES = ["open", "released", "dismissed"] as const;
const State = oneOf(STATES, {
  description:
    "`open` waits for somebody to decide. `released` was carried out: the addresses are suppressed. `dismissed` was nobody's " +
    "fault: the mails came back, and the addresses stay.",
});

export const BounceStorm = Type.Object(
  {
    object: Type.Literal("bounce_storm"),
    id: PublicId("stm"),
    domain: Type.String({ examples: ["example.com"] }),
    status: State,
    hard_bounces: Type.Integer({
      description: "How many mails had bounced within the hour when it was noticed.",
    }),
    mails: Type.Integer({ description: "How many mails of the same campaigns went to the domain." }),
    usual_share: Type.Number({
      description: "The share of the domain's mails that bounces usually, from 0 to 1.",
    }),
    held: Type.Integer({ description: "How many bounces it holds, or held until it was decided." }),
    decided_at: Nullable(Timestamp),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  {
    title: "BounceStorm",
    examples: [
      {
        object: "bounce_storm",
        id: "stm_01k9zq4t3xe8k8y0v6d3m2n1pq",
        domain: "example.com",
        status: "open",
        hard_bounces: 64,
        mails: 310,
        usual_share: 0.01,
        held: 71,
        decided_at: null,
        created_at: "2026-11-14T09:30:00.000Z",
        updated_at: "2026-11-14T09:42:00.000Z",
      },
    ],
  },
);
export type BounceStorm = Static<typeof BounceStorm>;
export const BounceStormPage = Page(BounceStorm, "BounceStormPage");
export const StormQuery = PageQuery({ status: Type.Optional(oneOf(STATES)) });
