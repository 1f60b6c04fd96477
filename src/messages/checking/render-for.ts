/** Renders a message for somebody who looks at it and isn't its recipient: its author, or who checks it. */
import type {
  BlockMark,
  CompiledContent,
  ContentFault,
  ContentWorkers,
  MergeData,
} from "../../content/content.ts";
import { fillSlots } from "../../mail/mime/pieces.ts";
import type { Ctx } from "../../platform/context.ts";
import type { MergeValues } from "../../subscribers/subscribers.ts";
import { INERT_TOKEN, linksFor } from "../links/links.ts";
import { type Message, UNTRACKED } from "../message.ts";
import { contentOf } from "../message-content.ts";
import { listNameOf, postalAddressOf, type SenderDefaults } from "../sender-defaults.ts";
import { blocksInHtml } from "./block-places.ts";

type RenderTools = {
  readonly workers: Pick<ContentWorkers, "compile" | "render">;
  readonly publicUrl: () => string;
};

export type RenderedMessage = {
  readonly subject: string;
  readonly html: string | null;
  readonly text: string;
};

type Rendered = {
  readonly ok: true;
  readonly message: RenderedMessage;
  /** Where blocks begin in the HTML. */
  readonly blocks: readonly BlockMark[];
};

type Renderable = {
  readonly message: Message;
  readonly defaults: SenderDefaults;
  readonly compiled: CompiledContent;
  readonly subscriber: MergeValues;
  /** Values of names that neither the subscriber nor the list supplies. */
  readonly variables?: NonNullable<MergeData["variables"]>;
};

/** Its links lead nowhere. */
export async function renderFor(
  { accountId }: Ctx,
  tools: RenderTools,
  { message, defaults, compiled, subscriber, variables }: Renderable,
): Promise<Rendered | { ok: false; fault: ContentFault }> {
  const mergeData = {
    subscriber,
    list: listNameOf(message, defaults),
    campaign: message.campaign,
    postalAddress: postalAddressOf(defaults),
    urls: linksFor(tools.publicUrl(), INERT_TOKEN),
    ...(variables && { variables }),
  };
  // A thread renders it, however cheap it is for a recipient: it may be half a megabyte, which must be parsed first.
  const rendered = await tools.workers.render(compiled, mergeData, accountId);
  if (!rendered.ok) return rendered;
  const { values } = rendered;
  const parts = {
    subject: fillSlots(compiled.subject, values),
    html: compiled.html && fillSlots(compiled.html, values),
    text: fillSlots(compiled.text, values),
  };
  return { ok: true, message: parts, blocks: blocksInHtml(compiled, values) };
}

/**
 * Renders the preview text by itself, as if it were a subject: it stands inside the HTML. Whatever is wrong with it was
 * said of the whole message already, so then it is as it was written.
 */
export async function renderPreviewText(
  ctx: Ctx,
  tools: RenderTools,
  { message, defaults, subscriber }: Omit<Renderable, "compiled">,
): Promise<string | null> {
  const { previewText } = message;
  if (!previewText?.includes("{")) return previewText;
  const alone = {
    ...message,
    subject: previewText,
    previewText: null,
    html: null,
    mjml: null,
    blocks: null,
    text: "",
  };
  const made = await tools.workers.compile(
    contentOf(alone, defaults, UNTRACKED, tools.publicUrl()),
    ctx.accountId,
  );
  if (!made.ok) return previewText;
  const rendered = await renderFor(ctx, tools, {
    message: alone,
    defaults,
    compiled: made.compiled,
    subscriber,
  });
  return rendered.ok ? rendered.message.subject : previewText;
}
