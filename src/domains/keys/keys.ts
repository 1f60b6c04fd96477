/**
 * Makes the keys of a domain and seals them for their own row. A private key is opened by whoever signs, and leaves the program by no
 * way at all.
 */
import { generateKeyPair, randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { loadDkimKey, publicKeyRecord } from "../../mail/dkim/dkim.ts";
import type { Clock } from "../../platform/clock.ts";
import { newId } from "../../platform/ids.ts";
import type { Secrets } from "../../platform/secrets.ts";
import type { KeyAlgorithm } from "../schema.ts";

/** A key as it was made, before it has a state. */
export type MadeKey = {
  readonly id: string;
  readonly algorithm: KeyAlgorithm;
  readonly selector: string;
  readonly private_key: Buffer;
  readonly public_record: string;
};

type KeyPlace = { readonly account_id: string; readonly domain_id: string; readonly id: string };

const generate = promisify(generateKeyPair);
const RSA_BITS = 2048;
const PEM = { type: "pkcs8", format: "pem" } as const;
const SPKI = { type: "spki", format: "pem" } as const;
const LETTERS = "abcdefghijklmnopqrstuvwxyz234567";

/**
 * Makes keys in the thread pool: RSA took up to 4.7 s on a busy machine, so this is done before a transaction. Half of them will be active and half
 * standby.
 */
export async function makeKeys(
  { secrets, clock }: { readonly secrets: Pick<Secrets, "seal">; readonly clock: Clock },
  domain: { readonly account_id: string; readonly id: string; readonly name: string },
  algorithms: readonly KeyAlgorithm[],
): Promise<readonly MadeKey[]> {
  return Promise.all(
    algorithms.map(async (algorithm) => {
      const pem = await generatePem(algorithm);
      const selector = makeSelector();
      const loaded = loadDkimKey({ domain: domain.name, selector, pem });
      if (!loaded.ok) throw new Error(`a new key is no good: ${loaded.reason}`);
      const place = { account_id: domain.account_id, domain_id: domain.id, id: newId(clock) };
      return {
        id: place.id,
        algorithm,
        selector,
        private_key: secrets.seal("domain-key", pem, contextOf(place)),
        public_record: publicKeyRecord(loaded.key),
      };
    }),
  );
}

async function generatePem(algorithm: KeyAlgorithm): Promise<string> {
  const made =
    algorithm === "rsa"
      ? await generate("rsa", { modulusLength: RSA_BITS, privateKeyEncoding: PEM, publicKeyEncoding: SPKI })
      : await generate("ed25519", { privateKeyEncoding: PEM, publicKeyEncoding: SPKI });
  return made.privateKey;
}

/** Nobody can guess it, so nobody else's record can stand where this account's has to. */
function makeSelector(): string {
  return `pr${Array.from(randomBytes(10), (byte) => LETTERS[byte & 31]).join("")}`;
}

/** Returns the key in PEM; undefined when it was sealed under a SECRET_KEY that is no longer there, or for another row. */
export function openDomainKey(
  secrets: Pick<Secrets, "open">,
  place: KeyPlace,
  sealed: Buffer,
): string | undefined {
  return secrets.open("domain-key", sealed, contextOf(place));
}

/** Returns undefined when the key is sealed under the current SECRET_KEY already. */
export function resealDomainKey(
  secrets: Pick<Secrets, "reseal">,
  place: KeyPlace,
  sealed: Buffer,
): Buffer | undefined {
  return secrets.reseal("domain-key", sealed, contextOf(place));
}

function contextOf({ account_id, domain_id, id }: KeyPlace): string {
  return `${account_id} ${domain_id} ${id}`;
}
