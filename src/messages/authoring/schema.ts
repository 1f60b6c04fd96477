import { type Static, Type } from "typebox";
import { BlocksDocument } from "../../content/content.ts";
import { Nullable, oneOf, Strict } from "../../platform/http/schemas.ts";

const starter = {
  object: Type.Literal("starter"),
  id: Type.String({ description: "A word, the same in every instance.", examples: ["newsletter"] }),
  name: Type.String({ examples: ["Newsletter"] }),
  description: Type.String(),
  format: oneOf(["html", "mjml"], {
    description: "Which of the two it is written in for those who write by hand.",
  }),
  subject: Type.String(),
  preview_text: Type.String(),
};

export const StarterQuery = Strict({
  for: Type.Optional(
    oneOf(["campaign", "template"], {
      description:
        "What is begun. A template may also be a mail that a program sends. Without it, a campaign.",
    }),
  ),
});

const StarterSummary = Type.Object(starter, { title: "StarterSummary" });

export const StarterList = Type.Object(
  { object: Type.Literal("starters"), data: Type.Array(StarterSummary) },
  { title: "StarterList" },
);

export const Starter = Type.Object(
  { ...starter, html: Nullable(Type.String()), mjml: Nullable(Type.String()), blocks: BlocksDocument },
  { title: "Starter" },
);

export const BlocksInput = Strict(
  { blocks: BlocksDocument },
  {
    title: "BlocksInput",
    examples: [{ blocks: { version: 1, blocks: [{ id: "b1", type: "spacer", height: 24 }] } }],
  },
);

export const BlocksMjml = Type.Object(
  { object: Type.Literal("blocks_mjml"), mjml: Type.String() },
  { title: "BlocksMjml" },
);

export const MergeNames = Type.Object(
  {
    object: Type.Literal("merge_names"),
    variables: Type.Array(
      Type.Object({
        name: Type.String({ examples: ["fields.city"] }),
        label: Nullable(Type.String({ description: "What the account calls it, where it is a field." })),
        type: oneOf(["text", "number", "date", "boolean", "url", "list"]),
        value: Nullable(
          Type.String({ description: "What it is for the recipient; null where it is empty." }),
        ),
      }),
      { description: "In the order in which they are offered." },
    ),
    tags: Type.Array(
      Type.Object({
        name: Type.String({ examples: ["if"] }),
        end: Nullable(Type.String({ description: "The tag that closes it.", examples: ["endif"] })),
      }),
    ),
    filters: Type.Array(Type.String({ examples: ["default"] })),
  },
  { title: "MergeNames" },
);
export type MergeNames = Static<typeof MergeNames>;
