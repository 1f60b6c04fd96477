/** A starter as a message that anybody might get, so that it can be looked at before it is chosen. */
import { listStarters, type Starter } from "../../content/content.ts";
import type { Ctx } from "../../platform/context.ts";
import { AppError, missing } from "../../platform/problems.ts";
import { type MessageTools, renderFor, sampleSubscriber } from "../checking/checking.ts";
import { type Message, UNTRACKED } from "../message.ts";
import { contentOf } from "../message-content.ts";
import { contentBusy } from "../problems.ts";
import { readSenderDefaults } from "../sender-defaults.ts";

/** The others are filled in by programs that send them. */
export function campaignStarters(): readonly Starter[] {
  return listStarters().filter(({ stream }) => stream === "campaign");
}

export function requireStarter(id: string): Starter {
  const found = listStarters().find((starter) => starter.id === id);
  if (!found) throw missing("starter");
  return found;
}

export async function renderStarter(ctx: Ctx, tools: MessageTools, starter: Starter): Promise<string> {
  const message = messageOf(starter);
  const defaults = await readSenderDefaults(ctx, tools, message);
  const whole = contentOf(message, defaults, UNTRACKED, tools.publicUrl());
  // Mail that a program sends has no footer of a list.
  const source = starter.stream === "campaign" ? whole : { ...whole, footer: null };
  const made = await tools.workers.compile(source, ctx.accountId);
  if (!made.ok) throw busy();
  const subscriber = sampleSubscriber(defaults.fields);
  const { compiled } = made;
  const variables = starter.sample;
  const rendered = await renderFor(ctx, tools, { message, defaults, compiled, subscriber, variables });
  if (!rendered.ok) throw busy();
  return rendered.message.html ?? "";
}

/** Every starter can be rendered, so nothing but a want of threads is in the way. */
function busy(): AppError {
  const headers = { "retry-after": "2" };
  return new AppError(contentBusy, "it could not be rendered just now; try again in a moment", { headers });
}

function messageOf({ stream, subject, preheader, blocks }: Starter): Message {
  return {
    stream,
    subject,
    previewText: preheader,
    html: null,
    mjml: null,
    blocks,
    text: null,
    sender: { name: null, email: null, replyTo: null },
    tracking: UNTRACKED,
    utm: null,
    listId: null,
    topicId: null,
    ownerId: "",
    campaign: null,
  };
}
