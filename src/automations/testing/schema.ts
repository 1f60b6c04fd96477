/** What is asked of a test, and what it answers. */
import { type Static, Type } from "typebox";
import { BodyId, PublicId, Strict } from "../../platform/http/schemas.ts";

export const TestInput = Strict(
  {
    to: Type.Array(Type.String({ maxLength: 1_000 }), { minItems: 1, maxItems: 5, uniqueItems: true }),
    subscriber_id: Type.Optional(
      BodyId("sub", "As whom, which takes `subscribers:read`; a made-up person without it."),
    ),
    node: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: "The mail of this step alone." }),
    ),
  },
  { title: "AutomationTestInput", examples: [{ to: ["ada@example.com"] }] },
);
export type TestInput = Static<typeof TestInput>;

export const AutomationTest = Type.Object(
  {
    object: Type.Literal("automation_test"),
    automation_id: PublicId("aut"),
    nodes: Type.Array(Type.String(), { description: "The steps whose mails were handed over." }),
    to: Type.Array(Type.String()),
  },
  { title: "AutomationTest" },
);
