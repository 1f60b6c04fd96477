/**
 * Derives a key for each purpose from SECRET_KEY by HKDF (RFC 5869), so that a token of one kind can never pass for
 * another. With `SECRET_KEY=new,old` the first key makes tokens, and every key checks them.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";

type Purpose =
  | "address-key"
  | "cursor"
  | "domain-key"
  | "email"
  | "email-search"
  | "export-link"
  | "factor"
  | "fingerprint"
  | "form-limit"
  | "form-proof"
  | "form-submission"
  | "form-wording"
  | "guess"
  | "inbound-report"
  | "idempotency-answer"
  | "idempotency-key"
  | "inbound"
  | "inbound-endpoint"
  | "link-key"
  | "mailbox"
  | "password-reset"
  | "old-address"
  | "preferences"
  | "public-probe"
  | "refused-sign-in"
  | "session-rotation"
  | "sign-up"
  | "subscriber-mail"
  | "transport"
  | "webhook";

export type Secrets = {
  /** Makes a 16-byte MAC over the parts; their boundaries count, so ("ab","c") and ("a","bc") differ. */
  mac(purpose: Purpose, ...parts: string[]): Buffer;
  /** Makes a MAC under each key, the current key first, to find what was stored under any of them. */
  macs(purpose: Purpose, ...parts: string[]): readonly Buffer[];
  verify(purpose: Purpose, mac: Buffer, ...parts: string[]): boolean;
  /**
   * Encrypts with AES-256-GCM; `context` names the row that the value belongs to, so that it can't be moved to another.
   */
  seal(purpose: Purpose, plain: string, context: string): Buffer;
  /** Returns undefined when no key opens it: it was made under another SECRET_KEY, moved, or damaged. */
  open(purpose: Purpose, sealed: Buffer, context: string): string | undefined;
  /**
   * Seals the value anew under the current key, to outlast a rotation; undefined when it is so already, or doesn't open.
   */
  reseal(purpose: Purpose, sealed: Buffer, context: string): Buffer | undefined;
  /** Holds one fingerprint for each key, the current key's first; they are safe to store. */
  readonly fingerprints: readonly string[];
};

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const MAC_BYTES = 16;

export function createSecrets(secretKeys: readonly string[]): Secrets {
  const derived = new Map<string, readonly KeyObject[]>();
  const keysFor = (purpose: Purpose): readonly KeyObject[] => {
    const known = derived.get(purpose);
    if (known) return known;
    const made = secretKeys.map((key) =>
      createSecretKey(Buffer.from(hkdfSync("sha256", key, "postrider", purpose, 32))),
    );
    derived.set(purpose, made);
    return made;
  };
  // Every mail needs a MAC: a key object made ahead and a digest as a string save 0.5 to 1 µs of 4.
  const macWith = (key: KeyObject, parts: readonly string[]) => {
    const digest = createHmac("sha256", key).update(JSON.stringify(parts)).digest("latin1");
    return Buffer.from(digest.slice(0, MAC_BYTES), "latin1");
  };

  function seal(purpose: Purpose, plain: string, context: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv("aes-256-gcm", first(keysFor(purpose)), nonce).setAAD(Buffer.from(context));
    return Buffer.concat([nonce, cipher.update(plain, "utf8"), cipher.final(), cipher.getAuthTag()]);
  }

  function openWith(keys: readonly KeyObject[], sealed: Buffer, context: string): string | undefined {
    if (sealed.length < NONCE_BYTES + TAG_BYTES) return undefined;
    for (const key of keys) {
      const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, NONCE_BYTES)).setAAD(
        Buffer.from(context),
      );
      decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
      try {
        return Buffer.concat([
          decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)),
          decipher.final(),
        ]).toString("utf8");
      } catch {
        // One of the other keys may open it.
      }
    }
    return undefined;
  }

  return {
    mac: (purpose, ...parts) => macWith(first(keysFor(purpose)), parts),
    macs: (purpose, ...parts) => keysFor(purpose).map((key) => macWith(key, parts)),
    verify: (purpose, mac, ...parts) =>
      mac.length === MAC_BYTES && keysFor(purpose).some((key) => timingSafeEqual(macWith(key, parts), mac)),
    seal,
    open: (purpose, sealed, context) => openWith(keysFor(purpose), sealed, context),
    reseal(purpose, sealed, context) {
      const plain = openWith(keysFor(purpose).slice(1), sealed, context);
      return plain === undefined ? undefined : seal(purpose, plain, context);
    },
    fingerprints: keysFor("fingerprint").map((key) => macWith(key, ["fingerprint"]).toString("hex")),
  };
}

function first(keys: readonly KeyObject[]): KeyObject {
  const [key] = keys;
  if (!key) throw new Error("there is no secret key");
  return key;
}
