import { type Static, Type } from "typebox";
import { Page, PublicId, Timestamp } from "../platform/http/schemas.ts";

export const File = Type.Object(
  {
    object: Type.Literal("file"),
    id: PublicId("fil"),
    name: Type.String({
      description: "As it was uploaded; it may be changed to one that can be shown.",
      examples: ["logo.png"],
    }),
    content_type: Type.String({ examples: ["image/png"] }),
    bytes: Type.Integer({ description: "Of the image as it is stored and served, not as it was uploaded." }),
    width: Type.Integer(),
    height: Type.Integer({ description: "Of one frame, where it is an animation." }),
    url: Type.String({ description: "Where anybody can see it, for a mail or a page." }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: "File" },
);
export type File = Static<typeof File>;

export const FilePage = Page(File, "FilePage");
