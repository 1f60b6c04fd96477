/** Verifies the DKIM signatures of a mail. mailauth is loaded when it is first needed, since few processes ever need it. */
import type { ParsedField } from "../../../mail/reading/headers.ts";
import type { Dns } from "../../../platform/dns.ts";

export type Signature = {
  readonly domain: string;
  readonly selector: string;
  readonly algorithm: string;
  readonly result: string;
  /** Why it didn't pass, as far as it is known. */
  readonly detail: string;
  readonly keyBits: number | null;
  /** The names of the fields that it covers, in lower case. */
  readonly covers: ReadonlySet<string>;
};

export type Signatures =
  | { readonly kind: "verified"; readonly all: readonly Signature[] }
  | { readonly kind: "failed"; readonly detail: string };

/** Each costs a question to the DNS and the check of a signature; mail has one to three. */
const MOST_SIGNATURES = 10;

export async function verifySignatures(
  dns: Dns,
  raw: Buffer,
  fields: readonly ParsedField[],
  now: Date,
): Promise<Signatures> {
  const count = fields.filter(({ name }) => name === "dkim-signature").length;
  if (count === 0) return { kind: "verified", all: [] };
  if (count > MOST_SIGNATURES) return { kind: "failed", detail: `it has ${count} signatures` };
  try {
    const { dkimVerify } = await import("mailauth/lib/dkim/verify.js");
    const { results } = await dkimVerify(raw, { resolver: resolverOf(dns), curTime: now });
    return {
      kind: "verified",
      all: results
        .filter(({ signingDomain }) => signingDomain !== undefined)
        .map((one) => ({
          domain: (one.signingDomain ?? "").toLowerCase(),
          selector: one.selector ?? "",
          algorithm: one.algo ?? "",
          result: one.status.result,
          detail: one.status.comment ?? "",
          keyBits: (one as { modulusLength?: number }).modulusLength ?? null,
          covers: new Set((one.signingHeaders?.keys ?? "").toLowerCase().split(/\s*:\s*/)),
        })),
    };
  } catch {
    return { kind: "failed", detail: "the signatures of this mail can't be read" };
  }
}

/** mailauth asks as Node's own resolver is asked, and tells what it makes of a failure by the code of an error. */
function resolverOf(dns: Dns) {
  return async (name: string, type: string): Promise<string[][]> => {
    if (type !== "TXT") throw codedError("ENODATA");
    const answer = await dns.txt(name);
    if (answer.kind === "found") return answer.values.map((value) => [value]);
    throw codedError(answer.kind === "none" ? (answer.nameExists ? "ENODATA" : "ENOTFOUND") : "ESERVFAIL");
  };
}

function codedError(code: string): Error {
  return Object.assign(new Error(code), { code });
}
