/** A mail in a mailbox has lost its envelope, but servers leave traces of it at the top of the mail. */
import type { InboundItem } from "../types.ts";

export type VerifyAddress = (localPart: string, accountId: string) => InboundItem["addressed"];

type Envelope = Pick<InboundItem, "envelopeFrom" | "addressed">;

const MOST_HEAD_BYTES = 65_536;
/** Postfix, Exim, qmail and Gmail, Dovecot and Microsoft's servers write the address that a mail was delivered to into these. */
const DELIVERED_TO = /^(delivered-to|x-original-to|envelope-to|x-envelope-to|x-delivered-to|to)$/;
const OUR_LOCAL_PART = /(?<![\dA-Za-z])[bu][\dA-Za-z]{62}(?=@)/gi;

/**
 * The address is one of ours by its MAC alone, wherever it stands, so `To` counts too: a mail program that unsubscribes by
 * `mailto:` writes it there.
 */
export function readEnvelope(raw: Buffer, accountId: string, verify: VerifyAddress): Envelope {
  const fields = readFields(raw);
  const returnPath = fields.find(([name]) => name === "return-path")?.[1];
  const from = returnPath === undefined ? null : (/<([^<>\s]*)>/.exec(returnPath)?.[1] ?? null);
  for (const [name, value] of fields) {
    if (!DELIVERED_TO.test(name)) continue;
    for (const [localPart] of value.matchAll(OUR_LOCAL_PART)) {
      const addressed = verify(localPart, accountId);
      if (addressed) return { envelopeFrom: from, addressed };
    }
  }
  return { envelopeFrom: from, addressed: null };
}

function readFields(raw: Buffer): (readonly [name: string, value: string])[] {
  const text = raw.subarray(0, MOST_HEAD_BYTES).toString("latin1");
  const end = /\r?\n\r?\n/.exec(text)?.index ?? text.length;
  const lines = text
    .slice(0, end)
    .replace(/\r?\n[ \t]+/g, " ")
    .split(/\r?\n/);
  return lines.flatMap((line) => {
    const colon = line.indexOf(":");
    return colon <= 0 ? [] : [[line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1)] as const];
  });
}
