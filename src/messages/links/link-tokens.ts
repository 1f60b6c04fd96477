/**
 * The addresses inside a mail that lead back here. All of one mail carry the same token, so a mail costs one MAC, whatever
 * the number of its links. `/u/` unsubscribes, `/p/` is for preferences, `/v/` shows the mail as a page, `/o/` is the pixel,
 * and `/c/TOKEN/N` is the link with number N of the source's frozen revision.
 *
 * A token is base64url of 65 bytes: the version 1; the account's, the source's and the contact's uuid, 16 bytes each; and a
 * 16-byte MAC over those 49 bytes. Its key is its own and is never rotated (`platform/instance.ts`): a link in a sent mail
 * works for ever.
 *
 * Where a mail is tracked for nobody in particular, its `/o/` and `/c/` carry a second kind of token, which all recipients of
 * the source share: base64url of 49 bytes, the version 2, the account's and the source's uuid, and a 16-byte MAC over those
 * 33 bytes. It opens nothing else: `/u/`, `/p/` and `/v/` always carry a token of the first kind.
 *
 * Mail without a frozen revision has links that say where they lead: `/c/TOKEN/N/MAC/URL`, the address in base64url, and a 16-byte MAC
 * over the token, the number and the address, so that nobody can make one that leads elsewhere.
 */
import { createHmac, createSecretKey, timingSafeEqual } from "node:crypto";
import { createMac } from "./link-mac.ts";

export type MailLinks = {
  readonly unsubscribe: string;
  readonly preferences: string;
  readonly view: string;
  readonly linkBase: string;
  readonly pixel: string;
};

/** For what is rendered without a mail around it: nothing of it reads the mail's own addresses. */
export const NO_URLS: MailLinks = { unsubscribe: "", preferences: "", view: "", linkBase: "", pixel: "" };

type LinkTarget = {
  readonly accountId: string;
  readonly sourceId: string;
  readonly contactId: string;
};

/** Where a hit came from; nobody in particular where the token names no contact. */
type HitTarget = Omit<LinkTarget, "contactId"> & { readonly contactId: string | null };

export type LinkTokens = {
  /** Returns what makes the tokens of one source's mail from the contact's id. */
  makerFor(accountId: string, sourceId: string): (contactId: string) => string;
  /** Makes the token that a source's mail carries where nobody in particular is tracked. It is the same for all of it. */
  aggregateFor(accountId: string, sourceId: string): string;
  /** Returns undefined for whatever isn't a token that was made here and names a contact, to the last bit. */
  read(token: string): LinkTarget | undefined;
  /** The same for the pixel and links that are counted, whose token may name no contact. */
  readHit(token: string): HitTarget | undefined;
  /** Makes the path of a link that carries where it leads. */
  pathTo(token: string, link: number, url: string): string;
  /** Returns where such a link leads; undefined for whatever isn't one that was made here. */
  readPath(token: string, link: number, mac: string, url: string): string | undefined;
  /** Makes the proof of what was done by a token at that moment, handed out only to whoever did it. */
  proofOf(token: string, at: Date): string;
  /** Returns that moment, for an hour; undefined for whatever isn't such a proof. */
  readProof(token: string, proof: string, now: Date): Date | undefined;
};

const VERSION = 1;
const NAMED_BYTES = 49;
const MAC_BYTES = 16;
const TOKEN = /^[\w-]{87}$/;
const AGGREGATE = { version: 2, namedBytes: 33, form: /^[\w-]{66}$/ } as const;

export function createLinkTokens(linkKey: Uint8Array): LinkTokens {
  const key = createSecretKey(linkKey);
  // A digest that is a string spares a mail 0.5 µs: small buffers are dear.
  const macOfPersonal = createMac(linkKey, NAMED_BYTES);
  const macOfAggregate = createMac(linkKey, AGGREGATE.namedBytes);
  const macOf = (named: Buffer) =>
    (named.length === NAMED_BYTES ? macOfPersonal(named) : macOfAggregate(named)).slice(0, MAC_BYTES);
  const expected = Buffer.alloc(MAC_BYTES);

  const proofMac = (token: string, time: string) =>
    createHmac("sha256", key).update(`proof ${token} ${time}`).digest().subarray(0, MAC_BYTES);

  const pathMac = (token: string, link: number, url: string) =>
    createHmac("sha256", key).update(`path ${token} ${link} ${url}`).digest().subarray(0, MAC_BYTES);

  /** Returns the bytes of a token of this version whose MAC is ours. */
  function verify(token: string, version: number, namedBytes: number): Buffer | undefined {
    const bytes = Buffer.from(token, "base64url");
    // The last character has spare bits, which must be those that we wrote: one mail has one token.
    if (bytes[0] !== version || bytes.toString("base64url") !== token) return undefined;
    expected.write(macOf(bytes.subarray(0, namedBytes)), "latin1");
    return timingSafeEqual(expected, bytes.subarray(namedBytes)) ? bytes : undefined;
  }

  function readPersonal(token: string): LinkTarget | undefined {
    const bytes = TOKEN.test(token) ? verify(token, VERSION, NAMED_BYTES) : undefined;
    return (
      bytes && { accountId: uuidAt(bytes, 1), sourceId: uuidAt(bytes, 17), contactId: uuidAt(bytes, 33) }
    );
  }

  function readAggregate(token: string): HitTarget | undefined {
    const bytes = verify(token, AGGREGATE.version, AGGREGATE.namedBytes);
    return bytes && { accountId: uuidAt(bytes, 1), sourceId: uuidAt(bytes, 17), contactId: null };
  }

  return {
    pathTo: (token, link, url) =>
      `/c/${token}/${link}/${pathMac(token, link, url).toString("base64url")}/${Buffer.from(url).toString("base64url")}`,
    readPath(token, link, mac, encoded) {
      if (!PATH_MAC.test(mac)) return undefined;
      const url = Buffer.from(encoded, "base64url").toString();
      return timingSafeEqual(pathMac(token, link, url), Buffer.from(mac, "base64url")) ? url : undefined;
    },
    proofOf(token, at) {
      const time = at.getTime().toString(36);
      return `${time}.${proofMac(token, time).toString("base64url")}`;
    },
    readProof(token, proof, now) {
      const [, time, mac] = PROOF.exec(proof) ?? [];
      if (time === undefined || mac === undefined) return undefined;
      if (!timingSafeEqual(proofMac(token, time), Buffer.from(mac, "base64url"))) return undefined;
      const at = new Date(Number.parseInt(time, 36));
      return now.getTime() - at.getTime() <= PROOF_FOR_MS ? at : undefined;
    },
    makerFor(accountId, sourceId) {
      const bytes = Buffer.alloc(NAMED_BYTES + MAC_BYTES);
      bytes[0] = VERSION;
      bytes.write(hexOf(accountId) + hexOf(sourceId), 1, "hex");
      const named = bytes.subarray(0, NAMED_BYTES);
      // 33 bytes are 44 characters of their own: they are the same for all of a source, and written once.
      const prefix = bytes.toString("base64url", 0, 33);
      return (contactId) => {
        bytes.write(hexOf(contactId), 33, "hex");
        bytes.write(macOf(named), NAMED_BYTES, "latin1");
        return prefix + bytes.toString("base64url", 33);
      };
    },
    aggregateFor(accountId, sourceId) {
      const bytes = Buffer.alloc(AGGREGATE.namedBytes + MAC_BYTES);
      bytes[0] = AGGREGATE.version;
      bytes.write(hexOf(accountId) + hexOf(sourceId), 1, "hex");
      bytes.write(macOf(bytes.subarray(0, AGGREGATE.namedBytes)), AGGREGATE.namedBytes, "latin1");
      return bytes.toString("base64url");
    },
    read: readPersonal,
    readHit: (token) => (AGGREGATE.form.test(token) ? readAggregate(token) : readPersonal(token)),
  };
}

/** Whoever holds a mail that was forwarded has its token, but not this; an hour is enough to change one's mind. */
const PROOF_FOR_MS = 60 * 60_000;
const PATH_MAC = /^[\w-]{22}$/;
const PROOF = /^([0-9a-z]{1,11})\.([\w-]{22})$/;

function hexOf(uuid: string): string {
  return uuid.replaceAll("-", "");
}

function uuidAt(bytes: Buffer, at: number): string {
  const hex = bytes.toString("hex", at, at + 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Tests and previews carry this in place of a token: it is none, so nothing can come of it. */
export const INERT_TOKEN = "test";

/** What the pixel and the links that are counted carry, where they must not tell whose they are. */
export type HitTokens = { readonly pixel: string; readonly links: string };

export function linksFor(
  publicUrl: string,
  token: string,
  { pixel, links }: HitTokens = { pixel: token, links: token },
): MailLinks {
  return {
    unsubscribe: `${publicUrl}/u/${token}`,
    preferences: `${publicUrl}/p/${token}`,
    view: `${publicUrl}/v/${token}`,
    linkBase: `${publicUrl}/c/${links}/`,
    pixel: `${publicUrl}/o/${pixel}`,
  };
}
