import { type Route, readRoute, writeRoute } from "../platform/http/route.ts";
import { type HashAddress, tooManyFields } from "../subscribers/subscribers.ts";
import { addSampleData, readSampleData, removeSampleData } from "./sample-data.ts";
import { SampleData } from "./schema.ts";

const path = "/v1/sample_data";
const tag = "Sample data";

export function sampleDataRoutes(hash: HashAddress): readonly Route[] {
  return [
    readRoute({
      path,
      scope: "campaigns:read",
      tag,
      summary: "Tell what sample data there is",
      success: { status: 200, schema: SampleData, description: "What there is." },
      handler: async ({ ctx }) => ({ status: 200, body: await readSampleData(ctx) }),
    }),
    writeRoute({
      method: "POST",
      path,
      scope: "campaigns:write",
      tag,
      summary: "Add sample data",
      description:
        "A list of 200 made-up people with tags and a field, and a draft for them. Mail to that list goes into the sandbox, whatever " +
        "the account sends by. What is there already isn't made again.",
      success: { status: 200, schema: SampleData, description: "What there is now." },
      problems: [tooManyFields],
      handler: async ({ ctx }) => ({ status: 200, body: await addSampleData(ctx, hash) }),
    }),
    writeRoute({
      method: "DELETE",
      path,
      scope: "campaigns:write",
      tag,
      summary: "Remove sample data",
      description:
        "Deletes its people and its list with all drafts for it, and archives what was sent; what is being sent is canceled. People whom " +
        "somebody added to the list stay, and the list with them: it is then one like any other, and only the sample's own campaign goes.",
      success: { status: 204, schema: null, description: "Gone." },
      async handler({ ctx }) {
        await removeSampleData(ctx);
        return { status: 204 };
      },
    }),
  ];
}
