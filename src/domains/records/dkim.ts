/** The records of an account's own keys. One of them in the DNS is the proof that the account may use the domain. */
import { isSameKey, type KeyRecord, parseKeyRecord } from "../../mail/dkim/key-record.ts";
import type { Dns, DnsAnswer } from "../../platform/dns.ts";
import { findMisplaced, type Inspecting, NO_ANSWER, quotesHint, toRecord, valuesOf } from "./inspecting.ts";
import type { DomainKeyFacts, DomainRecord, Inspection, RecordTools } from "./types.ts";
import type { Zone } from "./zone.ts";

type Seen = Inspection["keysSeen"] extends ReadonlyMap<string, infer S> ? S : never;
type Judged = Pick<DomainRecord, "status" | "advice"> & { readonly seen: Seen };

export async function inspectKey(
  context: Inspecting,
  key: DomainKeyFacts,
  delegatedZone: string | undefined,
): Promise<{ record: DomainRecord; seen: Seen }> {
  const { dns, facts } = context;
  const name = keyName(key, facts.name);
  const answer = await dns.txt(name);
  const own = parseKeyRecord(key.record);
  const { status, advice, seen } = judgeKey(answer, own, key);
  const found = valuesOf(answer);
  const isOurs = (text: string) => isKey(parseKeyRecord(text), own);
  const isLost = seen === "absent" && key.state !== "retired";
  const hints = isLost
    ? [quotesHint(found), await aliasHint(context, name), await findMisplaced(context, name, dns.txt, isOurs)]
    : [];
  const delegation =
    isLost && delegatedZone !== undefined
      ? `The records below ${delegatedZone} are kept by other name servers than the rest of the domain. Change it there.`
      : undefined;
  const record = toRecord(context, {
    kind: "dkim",
    type: "TXT",
    name,
    expected: key.record,
    found,
    status,
    // Whoever doesn't know Ed25519 reads the RSA signature, which every mail has.
    required: key.algorithm === "rsa" && (key.state === "active" || key.state === "standby"),
    advice,
    hint: [...hints, delegation].filter((one) => one).join(" "),
    details: { selector: key.selector, key_state: key.state },
    ...(delegatedZone !== undefined && { zone: delegatedZone }),
  });
  return { record, seen };
}

export function keyName({ selector }: DomainKeyFacts, domain: string): string {
  return `${selector}._domainkey.${domain}`;
}

function isKey(found: KeyRecord | undefined, own: KeyRecord | undefined): boolean {
  return found !== undefined && own !== undefined && isSameKey(found, own);
}

/** A second key at the same name makes it a matter of luck which one a receiver takes (RFC 6376 §3.6.2.2). */
function judgeKey(answer: DnsAnswer<string>, own: KeyRecord | undefined, { state }: DomainKeyFacts): Judged {
  if (answer.kind === "failed") return { status: "unknown", seen: "unknown", advice: NO_ANSWER };
  const parsed = valuesOf(answer).map(parseKeyRecord);
  const ours = parsed.find((one) => isKey(one, own));
  const others = parsed.filter((one) => !isKey(one, own));
  if (state === "retired")
    return {
      status: "ok",
      seen: ours ? "present" : "absent",
      advice: ours ? "This key signs nothing any more, and its record may be removed." : "",
    };
  if (parsed.length === 0)
    return {
      status: "missing",
      seen: "absent",
      advice:
        state === "standby"
          ? "Publish this record too: it is the key that takes over when keys are rotated."
          : "Publish this record. Mail is signed, and the domain proved to be yours, once it is there.",
    };
  if (!ours) return { status: "wrong", seen: "absent", advice: adviceForOther(parsed) };
  if (others.length > 0)
    return {
      status: "duplicate",
      seen: others.some((one) => one !== undefined) ? "absent" : "present",
      advice: "There are other TXT records at this name. Remove all but this one.",
    };
  if (!ours.isForMail)
    return {
      status: "wrong",
      seen: "absent",
      advice:
        "The key is right, but its tags h or s forbid to use it for mail. Publish the record as it stands here.",
    };
  const advice = ours.isTesting
    ? "The key is right. Remove t=y from its record: with it, receivers may treat mail as unsigned."
    : "";
  return { status: "ok", seen: "present", advice };
}

function adviceForOther(parsed: readonly (KeyRecord | undefined)[]): string {
  if (parsed.some((one) => one?.key.length === 0))
    return "The record says that the key was revoked (p is empty). Publish it as it stands here.";
  if (parsed.some((one) => one !== undefined))
    return "Another key stands there, or this one was cut off. Replace the whole value.";
  return "What stands there can't be read as a key. Replace the whole value.";
}

async function aliasHint({ dns }: Inspecting, name: string): Promise<string | undefined> {
  const [target] = valuesOf(await dns.cname(name));
  return target === undefined
    ? undefined
    : `The name is an alias of ${target}, so that the record has to be changed there, or the alias replaced.`;
}

/** Whether the record of a key stands in the DNS, without advice about it. */
export async function findKey(dns: Dns, key: DomainKeyFacts, domain: string): Promise<Seen> {
  return judgeKey(await dns.txt(keyName(key, domain)), parseKeyRecord(key.record), key).seen;
}

/** `_domainkey` is delegated where it has name servers of its own. */
export async function findDelegatedKeys({ dns }: RecordTools, domain: string): Promise<Zone | undefined> {
  const apex = `_domainkey.${domain}`;
  const nameServers = valuesOf(await dns.ns(apex));
  return nameServers.length === 0 ? undefined : { apex, nameServers };
}
