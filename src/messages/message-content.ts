/** This file turns a message into what the content compiler takes. */
import { type ContentSource, inStyleOf } from "../content/content.ts";
import { type Message, type Tracking, trackingOf } from "./message.ts";
import { postalAddressOf, type SenderDefaults } from "./sender-defaults.ts";
import { trackingModeOf } from "./tracking-mode.ts";

/** The content of a message as the compiler takes it, with the footer that its list or account asks for, and the account's style. */
export function contentOf(
  message: Message,
  defaults: SenderDefaults,
  served: Tracking,
  publicUrl: string,
): ContentSource {
  const mode = trackingModeOf(defaults);
  return {
    subject: message.subject,
    preheader: message.previewText,
    html: message.html,
    mjml: message.mjml,
    blocks: inStyleOf(message.blocks, defaults.account),
    text: message.text,
    tracking: trackingOf(message, served, mode),
    links: {
      utm: message.utm,
      ownUrl: publicUrl,
      honeypot: defaults.account?.honeypot_link ?? false,
      areTokensPersonal: mode === "individual",
    },
    footer: { postalAddress: postalAddressOf(defaults), unsubscribeLabel: null },
  };
}
