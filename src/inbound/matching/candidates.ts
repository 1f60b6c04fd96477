/**
 * Says which messages a report may be about, by what it tells and by who tells it. Nothing here looks at the database.
 *
 * Anybody can send a mail to an address of ours, so of what comes by SMTP only a MAC of ours is believed. A webhook is the account's
 * own, so there the id that the provider gave and the Message-ID count, too. What a mailbox holds may be found by them, but without a
 * MAC little follows from it (`acting/rules.ts`).
 */
import type { Channel, Clues, NamedMessage } from "../types.ts";

export type MatchedBy = "return_path" | "token" | "provider_id" | "message_id";

/** A row of the ledger from `first` to `last`; they differ where a Message-ID names a mail in a wave, which has several recipients. */
export type Candidate = {
  readonly by: MatchedBy;
  readonly sourceId: string;
  readonly first: string;
  readonly last: string;
};

export type Candidates = {
  /** The best comes first. */
  readonly found: readonly Candidate[];
  /** Says why there is none. */
  readonly why: string;
};

export type CandidateTools = {
  readonly verifyToken: (token: string) => NamedMessage | null;
  readonly findByProviderId: (id: string) => readonly NamedMessage[];
};

export function findCandidates(channel: Channel, clues: Clues, tools: CandidateTools): Candidates {
  const found: Candidate[] = [];
  const add = (by: MatchedBy, { sourceId, contactId }: NamedMessage) =>
    found.push({ by, sourceId, first: contactId, last: contactId });
  if (clues.named) add("return_path", clues.named);
  const ofToken = clues.token ? tools.verifyToken(clues.token) : null;
  if (ofToken) add("token", ofToken);
  const named = readMessageId(clues.messageId);
  if (channel !== "smtp") {
    for (const id of providerIdsOf(clues)) {
      for (const message of tools.findByProviderId(id)) add("provider_id", message);
    }
    if (named) found.push(named);
  }
  return { found, why: whyNone(clues, named !== null) };
}

function whyNone({ token }: Clues, hasMessageId: boolean): string {
  if (hasMessageId) return "only a Message-ID names the mail, and anybody can write that";
  if (token) return "the return path in it was not made by this account";
  return "nothing in it names a mail of this account";
}

/** A provider may put a Message-ID of its own in place of ours; then its local part is the id that it gave. */
export function providerIdsOf({ providerId, messageId }: Clues): string[] {
  const written = /^<([^<>@\s]{1,200})(@[^<>@\s]{1,253})?>$/.exec(messageId ?? "");
  const ids = [providerId, written?.[1], written ? messageId?.slice(1, -1) : undefined];
  return [...new Set(ids.filter((id): id is string => typeof id === "string" && id !== ""))];
}

const MESSAGE_ID = /^<?([0-9a-f]{32})\.([0-9a-f]{32})@/i;

function readMessageId(text: string | null): Candidate | null {
  const [, source, contact] = MESSAGE_ID.exec(text ?? "") ?? [];
  if (!source || !contact) return null;
  const first = toUuid(contact.toLowerCase());
  // The id of a mail in a wave ends with 00, and those of its recipients differ from it in the last byte alone.
  const last = first.endsWith("00") ? `${first.slice(0, -2)}ff` : first;
  return { by: "message_id", sourceId: toUuid(source.toLowerCase()), first, last };
}

function toUuid(hex: string): string {
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
