/** This file turns a campaign into the message that it sends. */
import type { Message } from "../../messages/messages.ts";
import { toPublicId } from "../../platform/ids.ts";
import type { Editable } from "./input.ts";

export function messageOf(campaign: Editable & { readonly id: string }): Message {
  const id = toPublicId("cmp", campaign.id);
  return {
    stream: "campaign",
    subject: campaign.subject,
    previewText: campaign.preview_text,
    html: campaign.html,
    mjml: campaign.mjml,
    blocks: campaign.blocks,
    text: campaign.text,
    sender: { name: campaign.from_name, email: campaign.from_email, replyTo: campaign.reply_to },
    tracking: { opens: campaign.track_opens, clicks: campaign.track_clicks },
    utm: campaign.utm,
    listId: campaign.list_id,
    topicId: campaign.topic_id,
    ownerId: id,
    campaign: { id, name: campaign.name },
  };
}
