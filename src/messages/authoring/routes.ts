/** These routes give to whoever writes a mail what to begin with, and which names it may use. */
import { Readable } from "node:stream";
import { Type } from "typebox";
import { authorFrame, type Starter as ContentStarter, listStarters } from "../../content/content.ts";
import { type Route, readRoute } from "../../platform/http/route.ts";
import { Strict } from "../../platform/http/schemas.ts";
import { ListIdInQuery, readListId } from "../../subscribers/subscribers.ts";
import type { MessageTools } from "../checking/checking.ts";
import { contentBusy } from "../problems.ts";
import { readMergeNames } from "./merge-names.ts";
import { MergeNames, Starter, StarterList, StarterQuery } from "./schema.ts";
import { campaignStarters, renderStarter, requireStarter } from "./starters.ts";

const tag = "Content";
const scope = "campaigns:read";
const Params = Strict({ starter: Type.String({ maxLength: 200, examples: ["newsletter"] }) });

export function authoringRoutes(tools: MessageTools): readonly Route[] {
  return [
    readRoute({
      path: "/v1/merge_names",
      scope,
      tag,
      summary: "List what Liquid may name",
      description:
        "The variables that a campaign may use, with their values for a subscriber or a made-up recipient, and Liquid's tags and filters.",
      query: Strict({
        list_id: Type.Optional(ListIdInQuery),
        subscriber_id: Type.Optional(
          Type.String({
            "x-id-prefix": "sub",
            description: "Whose values; without it, those of a made-up recipient.",
            examples: ["sub_01k9zq4t3xe8k8y0v6d3m2n1pq"],
          }),
        ),
      }),
      success: { status: 200, schema: MergeNames, description: "The names." },
      async handler({ ctx, query }) {
        const listId = (await readListId(ctx, query.list_id)) ?? null;
        const subscriberId = query.subscriber_id ?? null;
        return { status: 200, body: await readMergeNames(ctx, tools, { listId, subscriberId }) };
      },
    }),
    readRoute({
      path: "/v1/starters",
      scope,
      tag,
      summary: "List starters",
      description: "Complete mails to begin with, in the order in which they are offered.",
      query: StarterQuery,
      success: { status: 200, schema: StarterList, description: "All starters, without their content." },
      async handler({ query }) {
        const offered = query.for === "template" ? listStarters() : campaignStarters();
        return { status: 200, body: { object: "starters" as const, data: offered.map(summarise) } };
      },
    }),
    readRoute({
      path: "/v1/starters/:starter",
      scope,
      tag,
      summary: "Get a starter",
      params: Params,
      success: { status: 200, schema: Starter, description: "The starter with its content." },
      async handler({ params }) {
        const starter = requireStarter(params.starter);
        const { format, source } = starter;
        const content = { html: format === "html" ? source : null, mjml: format === "mjml" ? source : null };
        return { status: 200, body: { ...summarise(starter), ...content } };
      },
    }),
    readRoute({
      path: "/v1/starters/:starter/html",
      scope,
      tag,
      summary: "Show a starter",
      description:
        "As a made-up recipient would see it, as a page for a frame of the dashboard, under a policy by which nothing runs.",
      params: Params,
      success: {
        status: 200,
        schema: Type.String(),
        contentType: "text/html",
        description: "The page.",
      },
      problems: [contentBusy],
      async handler({ ctx, params }) {
        const html = await renderStarter(ctx, tools, requireStarter(params.starter));
        const options = { publicUrl: tools.publicUrl(), pictures: "own", links: "dead" } as const;
        const { headers, body } = authorFrame(html, options);
        return { status: 200, headers, stream: Readable.from([Buffer.from(body)], { objectMode: false }) };
      },
    }),
  ];
}

function summarise({ id, name, description, format, subject, preheader }: ContentStarter) {
  return {
    object: "starter" as const,
    id,
    name,
    description,
    format,
    subject,
    preview_text: preheader,
  };
}
