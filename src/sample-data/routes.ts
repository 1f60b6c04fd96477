import { refuseMissingScope } from "../platform/http/access-control.ts";
import { type Route, readRoute, writeRoute } from "../platform/http/route.ts";
import { type HashAddress, subscriberLimitReached, tooManyFields } from "../subscribers/subscribers.ts";
import { addSampleData, readSampleData, removeSampleData } from "./sample-data.ts";
import { SampleData } from "./schema.ts";

const path = "/v1/sample_data";
const tag = "Sample data";
/** Sample data has people and a list in it; to remove it cancels what is being sent to them as well. */
const PEOPLE = "subscribers:write";

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
      audit: { action: "sample_data.added", of: "account" },
      tag,
      summary: "Add sample data",
      description:
        "A list of 200 made-up people with tags and a field, and a draft for them. Mail to that list goes into the sandbox, whatever " +
        "the account sends by. What is there already isn't made again. It takes `subscribers:write` too.",
      success: { status: 200, schema: SampleData, description: "What there is now." },
      problems: [subscriberLimitReached, tooManyFields],
      async handler({ ctx, principal }) {
        refuseMissingScope(principal, PEOPLE);
        return { status: 200, body: await addSampleData(ctx, hash) };
      },
    }),
    writeRoute({
      method: "DELETE",
      path,
      scope: "campaigns:write",
      audit: { action: "sample_data.removed", of: "account" },
      tag,
      summary: "Remove sample data",
      description:
        "Deletes its people and its list with all drafts for it, and archives what was sent; what is being sent is canceled. People whom " +
        "somebody added to the list stay, and the list with them: it is then one like any other, and only the sample's own campaign goes. It takes `subscribers:write` and `campaigns:send` too.",
      success: { status: 204, schema: null, description: "Gone." },
      async handler({ ctx, principal }) {
        refuseMissingScope(principal, PEOPLE);
        refuseMissingScope(principal, "campaigns:send");
        await removeSampleData(ctx);
        return { status: 204 };
      },
    }),
  ];
}
