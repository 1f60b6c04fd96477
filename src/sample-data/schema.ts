import { type Static, Type } from "typebox";
import { Nullable, PublicId } from "../platform/http/schemas.ts";

export const SampleData = Type.Object(
  {
    object: Type.Literal("sample_data"),
    list_id: Nullable(PublicId("lst", "null where there is no sample data.")),
    campaign_id: Nullable(PublicId("cmp", "The campaign that came with it; null once it is deleted.")),
    subscribers: Type.Integer({ description: "Made-up people on its list." }),
    own_subscribers: Type.Integer({
      description: "People on its list whom somebody added, or whose address was changed.",
    }),
    drafts: Type.Integer({ description: "Drafts for its list." }),
    campaigns: Type.Integer({ description: "Other campaigns for its list, which a removal archives." }),
  },
  {
    title: "SampleData",
    examples: [
      {
        object: "sample_data",
        list_id: "lst_01k9zq4t3xe8k8y0v6d3m2n1pq",
        campaign_id: "cmp_01k9zq4t3xe8k8y0v6d3m2n1pq",
        subscribers: 200,
        own_subscribers: 0,
        drafts: 1,
        campaigns: 0,
      },
    ],
  },
);
export type SampleData = Static<typeof SampleData>;
