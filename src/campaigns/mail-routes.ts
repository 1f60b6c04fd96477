import { Readable } from "node:stream";
import { Type } from "typebox";
import { authorFrame, escapeHtml } from "../content/content.ts";
import { contentBusy, type MessageTools } from "../messages/messages.ts";
import { refuseMissingScope } from "../platform/http/access-control.ts";
import { type Route, readRoute } from "../platform/http/route.ts";
import { oneOf, Strict } from "../platform/http/schemas.ts";
import { invalidState } from "../subscribers/subscribers.ts";
import { preflightFailed } from "./problems.ts";
import { Params, read, requireCampaignHead, seeRecipients, tag } from "./route-parts.ts";
import { renderSentMail } from "./sent-mail.ts";

/** This route shows people of the account what a campaign has sent. */
export function mailRoutes(tools: MessageTools): readonly Route[] {
  return [
    readRoute({
      path: "/v1/campaigns/:id/html",
      scope: read,
      tag,
      summary: "Show what a campaign sent",
      description:
        "The HTML of its mail as it was frozen when it was launched, as a page for a frame of the dashboard, under a policy by which nothing runs. Its links lead nowhere.",
      params: Params,
      query: Strict({
        subscriber_id: Type.Optional(
          Type.String({
            description:
              "As whom, with the values of today, which takes `campaigns:recipients`; nobody in particular without it.",
          }),
        ),
        part: Type.Optional(
          oneOf(["html", "text"], {
            description: "The HTML, or the text beside it; a mail without HTML has its text either way.",
          }),
        ),
        clicks: Type.Optional(
          Type.Boolean({
            description:
              "Mark each link that is counted with its share of those who clicked in person, or of the clicks by people where nobody was tracked in person.",
          }),
        ),
        pictures: Type.Optional(
          oneOf(["own", "all"], {
            description:
              "Only pictures from this instance, or all: other servers then learn who looks, and when.",
          }),
        ),
      }),
      success: { status: 200, schema: Type.String(), contentType: "text/html", description: "The page." },
      problems: [invalidState, preflightFailed, contentBusy],
      async handler({ ctx, params, principal, query: { subscriber_id, part, clicks, pictures = "own" } }) {
        if (subscriber_id !== undefined) refuseMissingScope(principal, seeRecipients);
        const campaign = await requireCampaignHead(ctx, params.id);
        const { html, text } = await renderSentMail(ctx, tools, campaign, subscriber_id, clicks);
        const isText = html === null || part === "text";
        const source = !isText
          ? html
          : `<!doctype html><pre style="white-space: pre-wrap">${escapeHtml(text)}</pre>`;
        const frame = authorFrame(source, { publicUrl: tools.publicUrl(), pictures, links: "dead" });
        const stream = Readable.from([Buffer.from(frame.body)], { objectMode: false });
        return { status: 200, headers: frame.headers, stream };
      },
    }),
  ];
}
