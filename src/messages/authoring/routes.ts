/** These routes give to whoever writes a mail what to begin with, and which names it may use. */

import { Readable } from "node:stream";
import { Type } from "typebox";
import { authorFrame, type Starter as ContentStarter, listStarters } from "../../content/content.ts";
import { refuseMissingScope } from "../../platform/http/access-control.ts";
import { CHANGES_NOTHING } from "../../platform/http/audit.ts";
import { type Route, readRoute, writeRoute } from "../../platform/http/route.ts";
import { Strict } from "../../platform/http/schemas.ts";
import { ListIdInQuery, readListId } from "../../subscribers/subscribers.ts";
import type { MessageTools } from "../checking/checking.ts";
import { contentBusy } from "../problems.ts";
import { writeMjml } from "./blocks.ts";
import { readMergeNames } from "./merge-names.ts";
import { BlocksInput, BlocksMjml, MergeNames, Starter, StarterList, StarterQuery } from "./schema.ts";
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
            description:
              "Whose values, which takes `campaigns:recipients`; without it, those of a made-up recipient.",
            examples: ["sub_01k9zq4t3xe8k8y0v6d3m2n1pq"],
          }),
        ),
      }),
      success: { status: 200, schema: MergeNames, description: "The names." },
      async handler({ ctx, query, principal }) {
        if (query.subscriber_id !== undefined) refuseMissingScope(principal, "campaigns:recipients");
        const listId = (await readListId(ctx, query.list_id)) ?? null;
        const subscriberId = query.subscriber_id ?? null;
        return { status: 200, body: await readMergeNames(ctx, tools, { listId, subscriberId }) };
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/blocks/mjml",
      worksWhileHeld: true,
      scope,
      audit: CHANGES_NOTHING,
      tag,
      summary: "Write blocks as MJML",
      description:
        "For those who go on by hand: give the answer to the campaign or the template as `mjml`, with null for `blocks`. Nothing is stored.",
      body: BlocksInput,
      success: { status: 200, schema: BlocksMjml, description: "The MJML." },
      problems: [contentBusy],
      prepare: ({ ctx, body }) => writeMjml(ctx, tools, body.blocks),
      handler: async (_call, mjml) => ({ status: 200, body: { object: "blocks_mjml" as const, mjml } }),
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
      description:
        "Give `blocks` to a campaign or a template, or for writing by hand that of `html` and `mjml` which isn't null; they say the same.",
      params: Params,
      success: { status: 200, schema: Starter, description: "The starter with its content." },
      async handler({ params }) {
        const starter = requireStarter(params.starter);
        const { format, source, blocks } = starter;
        const content = { html: format === "html" ? source : null, mjml: format === "mjml" ? source : null };
        return { status: 200, body: { ...summarise(starter), ...content, blocks } };
      },
    }),
    readRoute({
      path: "/v1/starters/:starter/html",
      scope,
      tag,
      summary: "Show a starter",
      description:
        "As a made-up recipient would see its blocks in the account's style, as a page for a frame of the dashboard, under a policy by which nothing runs.",
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
