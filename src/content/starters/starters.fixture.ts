/** Composes a starter roughly as one recipient would get it: rendered, with its hidden preview text and a text part. */
import { Liquid } from "liquidjs";
import { compileBlocks } from "../blocks/blocks.ts";
import type { Message } from "../checks/checks.ts";
import { compileMjml } from "../html/html.ts";
import { findLiquid } from "../liquid/liquid.ts";
import type { Starter } from "./starters.ts";

const postalAddress = "Acme Ltd, 1 High Street, London N1 1AA, UK";
const unsubscribeUrl = "https://mail.acme.dev/u/2dK7q";

const values = {
  first_name: "Ada",
  subscriber: { email: "ada@lovelace.dev" },
  unsubscribe_url: unsubscribeUrl,
  preferences_url: "https://mail.acme.dev/p/2dK7q",
  view_url: "https://mail.acme.dev/v/2dK7q",
  postal_address: postalAddress,
};

const liquid = new Liquid({ strictVariables: true, strictFilters: true });

/** Throws where the starter uses a name that has no value. */
export async function composeStarter(
  starter: Starter,
  way: Way,
  changes: Readonly<Record<string, unknown>> = {},
): Promise<Message> {
  const known = { ...values, ...starter.sample, ...changes };
  const render = (source: string): string => liquid.parseAndRenderSync(source, known);
  const preheader = render(starter.preheader);
  const hidden = `<div style="display:none;max-height:0;overflow:hidden;mso-hide:all">${preheader}</div>`;
  const html = render(await htmlOf(starter, way)).replace(/<body[^>]*>/, (body) => body + hidden);
  return {
    subject: render(starter.subject),
    preheader,
    html,
    text: textOf(html),
    from: { name: "Acme", email: "news@acme.dev" },
    stream: starter.stream,
    unsubscribeUrl: starter.stream === "campaign" ? unsubscribeUrl : null,
    postalAddress: starter.stream === "campaign" ? postalAddress : null,
    transportHost: "smtp.acme.dev",
  };
}

/** A starter is there in two ways, for the editor of blocks and for writing by hand. */
export const WAYS = ["blocks", "by hand"] as const;
type Way = (typeof WAYS)[number];

export async function htmlOf({ format, source, blocks }: Starter, way: Way): Promise<string> {
  if (way === "by hand" && format === "html") return source;
  const mjml = way === "blocks" ? compileBlocks(blocks).mjml : source;
  return compileMjml(mjml, findLiquid(mjml));
}

function textOf(html: string): string {
  return html
    .replace(/^.*<body[^>]*>/s, "")
    .replaceAll(/<!--.*?-->/gs, "")
    .replaceAll(/<a [^>]*href="([^"]*)"[^>]*>(.*?)<\/a>/gs, "$2 ($1)")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/<\/(?:p|h1|h2|li|tr|caption)>|<br>/g, "\n")
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll("&nbsp;", " ")
    .replaceAll(/ *\n */g, "\n")
    .trim();
}
