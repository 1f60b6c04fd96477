/** A revision is a message as it is sent: frozen, plain JSON, with all that composing it for a recipient needs. */
import type { CompiledContent } from "../content/content.ts";
import type { Ctx } from "../platform/context.ts";
import { toPublicId } from "../platform/ids.ts";
import type { Examined, MessageTools } from "./checking/checking.ts";
import { type Message, type Tracking, trackingOf } from "./message.ts";
import { contentOf } from "./message-content.ts";
import {
  listNameOf,
  postalAddressOf,
  SANDBOX_SENDER,
  type SenderDefaults,
  senderOf,
} from "./sender-defaults.ts";
import type { SenderDomain } from "./sender-domain.ts";
import { type TrackingMode, trackingModeOf } from "./tracking-mode.ts";

export type Revision = {
  readonly format: 2;
  readonly stream: Message["stream"];
  readonly compiled: CompiledContent;
  readonly from: { readonly name: string | null; readonly email: string };
  readonly replyTo: string | null;
  readonly ownerId: string;
  readonly list: { readonly id: string; readonly name: string } | null;
  /** Only mail of a topic has it, so that other content keeps the id that it had before there were topics. */
  readonly topic?: { readonly id: string; readonly name: string };
  readonly campaign: Message["campaign"];
  readonly postalAddress: string | null;
  readonly tracking: Tracking & {
    /** The mode of the list or the account at the launch. Revisions of before there were modes have none: see `modeOfRevision`. */
    readonly mode?: TrackingMode;
  };
  /** The address that its links lead to. It is the same in a resend, whoever sends it. */
  readonly publicUrl: string;
  /**
   * The sender's own host, which the links lead over for as long as its record is right when a mail is composed. It is absent where the
   * sender's domain had none at the launch.
   */
  readonly trackingHost?: string;
  /** The domain of its `mailto:` unsubscribes. It is absent where INBOUND_DOMAIN wasn't set at the launch. */
  readonly inboundDomain?: string;
};

export function modeOfRevision({ tracking }: Pick<Revision, "tracking">): TrackingMode {
  return tracking.mode ?? "individual";
}

/** Makes the revision of a message that was examined. It compiles once more where links are tracked, so it comes before the transaction. */
export async function makeRevision(
  { accountId }: Ctx,
  tools: MessageTools,
  message: Message,
  { compiled, defaults, sender }: Examined,
): Promise<Revision> {
  if (!compiled) throw new Error("a message that doesn't compile can't be frozen");
  const { opens, clicks } = trackingOf(message, tools.served, trackingModeOf(defaults));
  // The checks looked at the author's own links; what is sent may have tracked ones.
  if (!opens && !clicks) return toRevision(tools, message, defaults, sender, compiled);
  const made = await tools.workers.compile(
    contentOf(message, defaults, tools.served, tools.publicUrl()),
    accountId,
  );
  if (!made.ok) throw new Error(`what compiles untracked must compile tracked: ${made.faults[0]?.detail}`);
  return toRevision(tools, message, defaults, sender, made.compiled);
}

/** Makes a revision of what was compiled already, as tests of a message do. Nothing is stored here. */
export function toRevision(
  tools: Pick<MessageTools, "publicUrl" | "served" | "inboundDomain">,
  message: Message,
  defaults: SenderDefaults,
  sender: Pick<SenderDomain, "trackingHost"> | undefined,
  compiled: CompiledContent,
): Revision {
  const { name, email, replyTo } = senderOf(message, defaults);
  const mode = trackingModeOf(defaults);
  return {
    format: 2,
    stream: message.stream,
    compiled,
    from: { name, email: email ?? SANDBOX_SENDER },
    replyTo,
    ownerId: message.ownerId,
    list: listNameOf(message, defaults),
    ...(defaults.topic && { topic: { id: toPublicId("top", defaults.topic.id), name: defaults.topic.name } }),
    campaign: message.campaign,
    postalAddress: postalAddressOf(defaults),
    tracking: { ...trackingOf(message, tools.served, mode), mode },
    publicUrl: tools.publicUrl(),
    ...(sender?.trackingHost && { trackingHost: sender.trackingHost }),
    ...(tools.inboundDomain !== undefined && { inboundDomain: tools.inboundDomain }),
  };
}
