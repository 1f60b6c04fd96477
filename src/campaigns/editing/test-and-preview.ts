/** Before anybody else gets it, a campaign is shown to its author, or sent to a few addresses as a test. */
import type { Static } from "typebox";
import type { CompiledContent, ContentFault } from "../../content/content.ts";
import type { TestMessage } from "../../delivery/delivery.ts";
import {
  composeTestMails,
  contentBusy,
  contentOf,
  faultsOfContent,
  type Message,
  type MessageTools,
  readSenderDefaults,
  readTestAddresses,
  renderFor,
  renderPreviewText,
  SANDBOX_SENDER,
  type SenderDefaults,
  sampleSubscriber,
  senderOf,
  UNTRACKED,
} from "../../messages/messages.ts";
import type { Ctx } from "../../platform/context.ts";
import { fromPublicId, toPublicId } from "../../platform/ids.ts";
import { AppError, invalid } from "../../platform/problems.ts";
import {
  findSubscriber,
  type MergeValues,
  mergeValuesOf,
  type SubscriberView,
} from "../../subscribers/subscribers.ts";
import { notReady } from "../problems.ts";
import type { CampaignPreview, PreviewInput, TestInput } from "../schema.ts";
import type { CampaignRow } from "../store.ts";
import { readInput } from "./input.ts";
import { messageOf } from "./message.ts";

/** Renders a campaign with what is typed and not saved yet in the place of what is saved. Nothing of it is kept. */
export async function previewCampaign(
  ctx: Ctx,
  tools: MessageTools,
  row: CampaignRow,
  { subscriber_id: subscriberId = null, sketch = false, ...typed }: PreviewInput,
): Promise<{ body: Static<typeof CampaignPreview>; subjects: readonly string[] }> {
  const message = messageOf({ ...(await readInput(ctx, row, typed)), id: row.id });
  const { defaults, compiled, mergeValues, subjects } = await open(ctx, tools, message, {
    subscriberId,
    isSketch: sketch,
  });
  const [rendered, previewText] = await Promise.all([
    renderFor(ctx, tools, { message, defaults, compiled, subscriber: mergeValues }),
    renderPreviewText(ctx, tools, { message, defaults, subscriber: mergeValues }),
  ]);
  if (!rendered.ok) throw unrenderable([rendered.fault]);
  const { name, email, replyTo } = senderOf(message, defaults);
  const { subject, html, text } = rendered.message;
  return {
    body: {
      object: "campaign_preview",
      campaign_id: toPublicId("cmp", row.id),
      subscriber_id: subscriberId,
      from: { name, email: email ?? SANDBOX_SENDER },
      reply_to: replyTo,
      subject,
      preview_text: previewText,
      html,
      text: sketch && message.text === null ? null : text,
    },
    subjects,
  };
}

type Composed =
  | { messages: readonly TestMessage[]; subjects: readonly string[]; isSandbox: boolean }
  | { refusal: AppError };

/** A refusal is a value here: the request may be a repetition, and its first answer stands. */
export async function composeTests(
  ctx: Ctx,
  tools: MessageTools,
  row: CampaignRow,
  { to, subscriber_id = null }: Static<typeof TestInput>,
): Promise<Composed> {
  try {
    const subscriber = subscriber_id === null ? undefined : await mustFindSubscriber(ctx, subscriber_id);
    const composed = await composeTestMails(ctx, tools, messageOf(row), {
      addresses: readTestAddresses(to),
      subscriber,
      anybody: row.id,
    });
    if ("faults" in composed) throw notReady(composed.faults);
    return { ...composed, subjects: subscriber ? [subscriber.id, subscriber.contact_id] : [] };
  } catch (error) {
    if (error instanceof AppError) return { refusal: error };
    throw error;
  }
}

type Opened = {
  readonly defaults: SenderDefaults;
  readonly compiled: CompiledContent;
  /** What the templates read of whoever it is rendered for. */
  readonly mergeValues: MergeValues;
  /** The ids of the subscriber and the contact whose personal data is shown. */
  readonly subjects: readonly string[];
};

/** Compiles a message without tracking, and finds out whom it is to be rendered for. */
async function open(
  ctx: Ctx,
  tools: MessageTools,
  message: Message,
  { subscriberId, isSketch }: { readonly subscriberId: string | null; readonly isSketch: boolean },
): Promise<Opened> {
  const defaults = await readSenderDefaults(ctx, tools, message);
  const subscriber = subscriberId === null ? undefined : await mustFindSubscriber(ctx, subscriberId);
  const content = contentOf(message, defaults, UNTRACKED, tools.publicUrl());
  const made = await tools.workers.compile(
    isSketch ? { ...content, sketchFor: ctx.accountId } : content,
    ctx.accountId,
  );
  if (!made.ok) throw unrenderable(made.faults);
  return {
    defaults,
    compiled: made.compiled,
    mergeValues: subscriber ? mergeValuesOf(subscriber, defaults.fields) : sampleSubscriber(defaults.fields),
    subjects: subscriber ? [subscriber.id, subscriber.contact_id] : [],
  };
}

/** That the threads have too much to do says nothing about the content. */
function unrenderable(faults: readonly ContentFault[]): AppError {
  if (!faults.some(({ code }) => code === "worker_failed")) return notReady(faultsOfContent(faults));
  return new AppError(contentBusy, "it could not be made just now; try again in a moment", {
    headers: { "retry-after": "1" },
  });
}

async function mustFindSubscriber(ctx: Ctx, text: string): Promise<SubscriberView> {
  const id = fromPublicId("sub", text);
  const row = id && (await findSubscriber(ctx.sql, ctx.accountId, id));
  if (row) return row;
  const detail = "there is no such subscriber in this account";
  throw invalid({ pointer: "/subscriber_id", code: "not_found", detail });
}
