/**
 * The addresses in mails to subscribers that lead back here. A token is base64url of 81 bytes: what it is for; the account's, the
 * list's, the subscriber's and a fourth uuid, 16 bytes each, the request to confirm or the contact; and a 16-byte MAC over those 65. The
 * key is derived from that of links, which is never rotated, and so no other kind of token passes for one of these.
 */
import { createHmac, createSecretKey, hkdfSync, timingSafeEqual } from "node:crypto";

/** Which the first byte says, so that none can be used for the other. */
const PURPOSES = { confirm: 1, leave: 2 } as const;
type Purpose = keyof typeof PURPOSES;

type LinkedSubscriber = {
  readonly accountId: string;
  readonly listId: string;
  readonly subscriberId: string;
};
type ConfirmTarget = LinkedSubscriber & { readonly confirmationId: string };
export type LeaveTarget = LinkedSubscriber & { readonly contactId: string };

export type SubscriberLinks = {
  confirmUrl(target: ConfirmTarget): string;
  leaveUrl(target: LeaveTarget): string;
  /** Returns undefined for whatever isn't a token that was made here for this, to the last bit. */
  readConfirm(token: string): ConfirmTarget | undefined;
  readLeave(token: string): LeaveTarget | undefined;
};

const NAMED_BYTES = 65;
const MAC_BYTES = 16;
const TOKEN = /^[\w-]{108}$/;

export function createSubscriberLinks(linkKey: Uint8Array, readPublicUrl: () => string): SubscriberLinks {
  const derived = hkdfSync("sha256", linkKey, "postrider", "subscriber-mail", 32);
  const key = createSecretKey(Buffer.from(derived));
  const macOf = (named: Buffer) => createHmac("sha256", key).update(named).digest().subarray(0, MAC_BYTES);

  /** A process without PUBLIC_URL knows its address once it listens, and jobs may run before that. The queue then runs them again. */
  function publicUrl(): string {
    const url = readPublicUrl();
    if (url === "") throw new Error("the address of this process isn't known yet");
    return url;
  }

  function make(purpose: Purpose, ids: readonly string[]): string {
    const hex = ids.map((id) => id.replaceAll("-", "")).join("");
    const named = Buffer.concat([Buffer.of(PURPOSES[purpose]), Buffer.from(hex, "hex")]);
    return Buffer.concat([named, macOf(named)]).toString("base64url");
  }

  function read(purpose: Purpose, token: string) {
    if (!TOKEN.test(token)) return undefined;
    const bytes = Buffer.from(token, "base64url");
    const named = bytes.subarray(0, NAMED_BYTES);
    if (bytes[0] !== PURPOSES[purpose] || !timingSafeEqual(macOf(named), bytes.subarray(NAMED_BYTES)))
      return undefined;
    const [accountId, listId, subscriberId, fourth] = [1, 17, 33, 49].map((at) => uuidAt(named, at));
    return { accountId, listId, subscriberId, fourth } as LinkedSubscriber & { readonly fourth: string };
  }

  return {
    confirmUrl: ({ accountId, listId, subscriberId, confirmationId }) =>
      `${publicUrl()}/confirm/${make("confirm", [accountId, listId, subscriberId, confirmationId])}`,
    leaveUrl: ({ accountId, listId, subscriberId, contactId }) =>
      `${publicUrl()}/leave/${make("leave", [accountId, listId, subscriberId, contactId])}`,
    readConfirm(token) {
      const { fourth, ...target } = read("confirm", token) ?? {};
      return fourth === undefined ? undefined : { ...(target as LinkedSubscriber), confirmationId: fourth };
    },
    readLeave(token) {
      const { fourth, ...target } = read("leave", token) ?? {};
      return fourth === undefined ? undefined : { ...(target as LinkedSubscriber), contactId: fourth };
    },
  };
}

function uuidAt(bytes: Buffer, at: number): string {
  const hex = bytes.toString("hex", at, at + 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
