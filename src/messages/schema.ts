import { type Static, Type } from "typebox";
import { Nullable, oneOf } from "../platform/http/schemas.ts";

const CheckPosition = Type.Object({
  part: Type.String(),
  line: Type.Integer(),
  column: Type.Integer(),
  excerpt: Type.String(),
});
export const Check = Type.Object(
  {
    code: Type.String(),
    severity: oneOf(["error", "warning", "info"], { description: "Only an error stops a send." }),
    message: Type.String(),
    remedy: Type.String(),
    place: Nullable(CheckPosition),
    count: Type.Integer({ description: "How many faults of its kind it stands for." }),
  },
  { title: "CampaignCheck" },
);
export type Check = Static<typeof Check>;
