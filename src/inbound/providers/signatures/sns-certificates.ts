/** Gets the certificates that SNS signs with, through the guarded client, and remembers a few of them. */
import { type KeyObject, X509Certificate } from "node:crypto";
import { createLruCache } from "../../../platform/lru-cache.ts";
import type { GuardedClient } from "../../../platform/net/guarded-client.ts";

export type SnsCertificates = {
  /** Returns the public key, or why there is none. */
  get(url: string, now: Date): Promise<KeyObject | "bad_certificate" | "certificate_unreachable">;
};

/** SNS has some certificates in each region, and renews them about once a year. */
const MOST_KEPT = 100;
const MOST_BYTES = 64 * 1_024;
/** SNS waits 15 seconds for an answer. */
const LIMITS_MS = { connect: 3_000, headers: 6_000, whole: 8_000 };

export function createSnsCertificates(client: GuardedClient): SnsCertificates {
  const kept = createLruCache<X509Certificate>(MOST_KEPT);
  const underWay = new Map<string, ReturnType<typeof read>>();

  async function read(url: string): Promise<X509Certificate | "bad_certificate" | "certificate_unreachable"> {
    const answer = await client.fetch(url, { mostBytes: MOST_BYTES, limitsMs: LIMITS_MS });
    if (answer.kind === "refused") return "bad_certificate";
    if (answer.kind === "failed") return "certificate_unreachable";
    if (answer.status !== 200) return answer.status >= 500 ? "certificate_unreachable" : "bad_certificate";
    const certificate = parse(answer.body);
    if (!certificate) return "bad_certificate";
    kept.set(url, certificate);
    return certificate;
  }

  /** Many messages come at once; one request serves them all. */
  function readOnce(url: string): ReturnType<typeof read> {
    const known = underWay.get(url);
    if (known) return known;
    const reading = read(url).finally(() => underWay.delete(url));
    underWay.set(url, reading);
    return reading;
  }

  return {
    async get(url, now) {
      const certificate = kept.get(url) ?? (await readOnce(url));
      if (typeof certificate === "string") return certificate;
      const isValid = certificate.validFromDate <= now && now <= certificate.validToDate;
      return isValid && certificate.publicKey.asymmetricKeyType === "rsa"
        ? certificate.publicKey
        : "bad_certificate";
    },
  };
}

function parse(pem: Buffer): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}
