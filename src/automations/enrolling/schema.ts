/** What is asked of an enrollment, and what it looks like. */
import { type Static, Type } from "typebox";
import {
  BodyId,
  Nullable,
  oneOf,
  Page,
  PageQuery,
  PublicId,
  Strict,
  Timestamp,
} from "../../platform/http/schemas.ts";
import { ENROLLMENT_STATUSES } from "./enrollment-store.ts";

export const EnrollmentInput = Strict(
  {
    subscriber_ids: Type.Optional(
      Type.Array(BodyId("sub", "Somebody of the automation's list."), { minItems: 1, maxItems: 1_000 }),
    ),
    segment_id: Type.Optional(BodyId("seg", "Everybody on the list who is in this segment.")),
    everyone: Type.Optional(Type.Literal(true, { description: "Everybody who is active on the list." })),
    spread_minutes: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 43_200,
        description:
          "They begin one after another, evenly over so many minutes; all at once unless it is given.",
      }),
    ),
  },
  {
    title: "AutomationEnrollmentInput",
    description: "Give one of `subscriber_ids`, `segment_id` and `everyone`.",
    examples: [{ everyone: true, spread_minutes: 120 }],
  },
);
export type EnrollmentInput = Static<typeof EnrollmentInput>;

export const Enrollment = Type.Object(
  {
    object: Type.Literal("automation_enrollment"),
    id: PublicId("enr"),
    automation_id: PublicId("aut"),
    status: oneOf(ENROLLMENT_STATUSES),
    whom: oneOf(["subscribers", "segment", "everyone"]),
    segment_id: Nullable(PublicId("seg")),
    spread_minutes: Type.Integer(),
    total: Nullable(Type.Integer({ description: "How many people there are; null until they are counted." })),
    processed: Type.Integer({ description: "How many of them have been looked at." }),
    entered: Type.Integer(),
    skipped: Type.Record(Type.String(), Type.Integer(), {
      description:
        "By why: `not_found`, `unsubscribed`, `bounced`, `suppressed` and such; `filter` (the entry's filter), `inside` (they are in already), `reentry` " +
        "(they were in before) and `limit` (more than 50 times that day).",
    }),
    error: Nullable(
      Type.String({
        description:
          "Why it failed: `automation_ended`, `list_deleted`, `segment_deleted` or `internal_error`.",
      }),
    ),
    created_at: Timestamp,
    updated_at: Timestamp,
    finished_at: Nullable(Timestamp),
  },
  { title: "AutomationEnrollment", description: "`processed` = `entered` + all `skipped`, always." },
);
export type Enrollment = Static<typeof Enrollment>;
export const EnrollmentPage = Page(Enrollment, "AutomationEnrollmentPage");
export const EnrollmentQuery = PageQuery({});
export const EnrollmentParams = Strict({ id: PublicId("aut"), enrollment_id: PublicId("enr") });
