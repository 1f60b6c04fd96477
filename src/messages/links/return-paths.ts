/**
 * The addresses under INBOUND_DOMAIN that what comes back is sent to. `b…` is the envelope sender of a mail, so that a bounce says
 * by the address alone whose it is; `u…` is the address of a `mailto:` unsubscribe.
 *
 * The local part has 63 characters, of the 64 that RFC 5321 §4.5.3.1.1 allows: a letter for the kind, and 310 bits in base 32: the
 * source's id and the contact's, 122 bits each, since the version and the variant of a UUIDv7 are always the same six bits, and 66
 * bits of a MAC. The MAC is over the account, the source and the contact; the account itself has no room, and is found by the
 * source. Servers on the way may change the case of letters, which changes nothing here.
 */
import { timingSafeEqual } from "node:crypto";
import { createMac } from "./link-mac.ts";

type ReturnPathKind = "bounce" | "unsubscribe";

/** The local parts of one mail. */
export type MailReturnPaths = { readonly bounce: string; readonly unsubscribe: string };

export type ReadReturnPath = {
  readonly kind: ReturnPathKind;
  readonly sourceId: string;
  readonly contactId: string;
  /** Is not checked yet: whoever knows the account asks `verify`. */
  readonly mac: string;
};

export type ReturnPaths = {
  /** Returns what makes the local parts of one source's mails from the contact's id. Both cost one MAC together. */
  makerFor(accountId: string, sourceId: string): (contactId: string) => MailReturnPaths;
  bounceFor(accountId: string, sourceId: string, contactId: string): string;
  unsubscribeFor(accountId: string, sourceId: string, contactId: string): string;
  /** Returns undefined for whatever doesn't have the form of such a local part. */
  read(localPart: string): ReadReturnPath | undefined;
  verify(read: ReadReturnPath, accountId: string): boolean;
};

/** Differs from the versions of link tokens, whose MACs are over as many bytes and by the same key. */
const VERSION = 3;
const NAMED_BYTES = 49;
const MAC_BITS = 66;
/** Each kind has bits of its own in the digest, which has 32 bytes. */
const MAC_AT: Readonly<Record<ReturnPathKind, number>> = { bounce: 0, unsubscribe: 16 };
const MAC_BYTES = Math.ceil(MAC_BITS / 8);
const LETTERS: Readonly<Record<ReturnPathKind, string>> = { bounce: "b", unsubscribe: "u" };
const FORM = /^[bu][0-9a-hjkmnp-tv-z]{62}$/;
const LONGEST = 63;

// This is the alphabet of public ids, which has no i, l, o and u.
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const VALUES = new Uint8Array(128);
for (const [value, letter] of [...ALPHABET].entries()) VALUES[letter.charCodeAt(0)] = value;

export function createReturnPaths(linkKey: Uint8Array): ReturnPaths {
  const macOf = createMac(linkKey, NAMED_BYTES);
  const named = Buffer.alloc(NAMED_BYTES);
  named[0] = VERSION;

  function digestOf(accountId: string, sourceId: string, contactId: string): string {
    named.write(hexOf(accountId) + hexOf(sourceId) + hexOf(contactId), 1, "hex");
    return macOf(named);
  }

  function makerFor(accountId: string, sourceId: string): (contactId: string) => MailReturnPaths {
    const ofSource = writeId(NOTHING, sourceId);
    const head = hexOf(accountId) + hexOf(sourceId);
    return (contactId) => {
      named.write(head, 1, "hex");
      named.write(hexOf(contactId), 33, "hex");
      const digest = macOf(named);
      const ids = writeId(ofSource, contactId);
      return {
        bounce: LETTERS.bounce + writeMac(ids, digest, MAC_AT.bounce).text,
        unsubscribe: LETTERS.unsubscribe + writeMac(ids, digest, MAC_AT.unsubscribe).text,
      };
    };
  }

  return {
    makerFor,
    bounceFor: (accountId, sourceId, contactId) => makerFor(accountId, sourceId)(contactId).bounce,
    unsubscribeFor: (accountId, sourceId, contactId) => makerFor(accountId, sourceId)(contactId).unsubscribe,
    read(localPart) {
      // Outside ASCII a letter may become another when its case changes, so the form is checked first.
      if (localPart.length !== LONGEST || !/^[\dA-Za-z]+$/.test(localPart)) return undefined;
      const text = localPart.toLowerCase();
      if (!FORM.test(text)) return undefined;
      const bits = readBits(text);
      return {
        kind: text.startsWith(LETTERS.bounce) ? "bounce" : "unsubscribe",
        sourceId: toId(bits.slice(0, ID_BITS)),
        contactId: toId(bits.slice(ID_BITS, 2 * ID_BITS)),
        mac: bits.slice(2 * ID_BITS),
      };
    },
    verify({ kind, sourceId, contactId, mac }, accountId) {
      const digest = digestOf(accountId, sourceId, contactId);
      const expected = Buffer.from(bitsOf(Buffer.from(digest, "latin1"), MAC_AT[kind]));
      const given = Buffer.from(mac);
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
  };
}

/** What is written of a local part: characters, and the bits that don't fill one yet. */
type Written = { readonly text: string; readonly held: number; readonly bits: number };
const NOTHING: Written = { text: "", held: 0, bits: 0 };

const ID_BITS = 122;
/** Where the digits of the version and the variant stand in a uuid that is written with its hyphens. */
const [VERSION_AT, VARIANT_AT, HYPHEN] = [14, 19, 45];

function writeId(before: Written, uuid: string): Written {
  let { text, held, bits } = before;
  for (let at = 0; at < uuid.length; at++) {
    const digit = uuid.charCodeAt(at);
    if (digit === HYPHEN || at === VERSION_AT) continue;
    const value = digit < 58 ? digit - 48 : (digit | 32) - 87;
    const width = at === VARIANT_AT ? 2 : 4;
    held = (held << width) | (at === VARIANT_AT ? value & 3 : value);
    bits += width;
    if (bits >= 5) {
      bits -= 5;
      text += ALPHABET[held >> bits];
      held &= (1 << bits) - 1;
    }
  }
  return { text, held, bits };
}

function writeMac(before: Written, digest: string, from: number): Written {
  let { text, held, bits } = before;
  for (let at = 0; at < MAC_BYTES; at++) {
    const width = Math.min(8, MAC_BITS - 8 * at);
    held = (held << width) | (digest.charCodeAt(from + at) >> (8 - width));
    bits += width;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET[held >> bits];
      held &= (1 << bits) - 1;
    }
  }
  return { text, held, bits };
}

/** Reading is rare beside writing, so it goes by a string of zeros and ones, which is plain. */
function readBits(text: string): string {
  return [...text.slice(1)]
    .map((letter) => (VALUES[letter.charCodeAt(0)] ?? 0).toString(2).padStart(5, "0"))
    .join("");
}

function bitsOf(bytes: Buffer, from: number): string {
  return [...bytes.subarray(from, from + MAC_BYTES)]
    .map((byte) => byte.toString(2).padStart(8, "0"))
    .join("")
    .slice(0, MAC_BITS);
}

/** Puts the version 7 and the variant 10 back into their places (RFC 9562 §5.7). */
function toId(bits: string): string {
  const whole = `${bits.slice(0, 48)}0111${bits.slice(48, 60)}10${bits.slice(60)}`;
  const hex = BigInt(`0b${whole}`).toString(16).padStart(32, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

function hexOf(uuid: string): string {
  return uuid.replaceAll("-", "");
}
