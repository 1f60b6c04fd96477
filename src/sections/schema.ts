/** What saved sections look like from outside. */
import { type Static, Type } from "typebox";
import { UpdatedBy } from "../accounts/accounts.ts";
import { BlocksDocument } from "../content/content.ts";
import { Name, Page, PageQuery, PublicId, Strict, Timestamp } from "../platform/http/schemas.ts";

const SectionName = Name(200, "Opening hours");

const summary = {
  object: Type.Literal("section"),
  id: PublicId("sec"),
  name: SectionName,
  created_at: Timestamp,
  updated_at: Timestamp,
  updated_by: UpdatedBy,
};
const SectionSummary = Type.Object(summary, { title: "SectionSummary" });
export type SectionSummary = Static<typeof SectionSummary>;
export const SectionPage = Page(SectionSummary, "SectionPage");
export const Section = Type.Object({ ...summary, blocks: BlocksDocument }, { title: "Section" });
export type Section = Static<typeof Section>;

const example = {
  name: "Opening hours",
  blocks: {
    version: 1,
    blocks: [{ id: "b1", type: "heading", level: 2, content: [{ type: "text", text: "Opening hours" }] }],
  },
};
export const SectionCreate = Strict(
  { name: SectionName, blocks: BlocksDocument },
  { title: "SectionCreate", examples: [example] },
);
export type SectionCreate = Static<typeof SectionCreate>;
export const SectionPatch = Strict(
  { name: Type.Optional(SectionName), blocks: Type.Optional(BlocksDocument) },
  { title: "SectionPatch", examples: [{ name: "When we are open" }] },
);
export type SectionPatch = Static<typeof SectionPatch>;
export const SectionQuery = PageQuery({
  q: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: "In the name, in any case." })),
});
