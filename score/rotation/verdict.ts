/** Judges, without I/O, what a receiving server has stored: its own verdicts, the keys in the DNS at that time, and the ledger. */
import { RECEIVER } from "../servers/mail-filters.ts";

export type StoredMail = {
  readonly to: string;
  readonly selectors: readonly string[];
  /** In whole seconds, as the server writes them. */
  readonly receivedMs: number;
  /** What OpenDKIM said of each signature. */
  readonly dkim: readonly string[];
  /** What OpenDMARC said. */
  readonly dmarc: readonly string[];
};

export function readStoredMail(text: string): StoredMail {
  const fields = text
    .slice(0, text.indexOf("\n\n"))
    .replaceAll(/\n[ \t]+/g, " ")
    .split("\n");
  const named = (name: string) => {
    const start = `${name.toLowerCase()}:`;
    return fields
      .filter((field) => field.toLowerCase().startsWith(start))
      .map((field) => field.slice(start.length).trim());
  };
  // Anybody may write such a field, so only what the receiving server put there counts.
  const results = named("Authentication-Results").filter((value) => value.startsWith(`${RECEIVER};`));
  const said = (method: string) =>
    results.flatMap((value) =>
      [...value.matchAll(new RegExp(`\\b${method}=(\\w+)`, "g"))].map(([, word = ""]) => word),
    );
  return {
    to: named("Delivered-To")[0] ?? "",
    selectors: named("DKIM-Signature").map((value) => /(?:^|;)\s*s=([^;\s]+)/.exec(value)?.[1] ?? ""),
    receivedMs: Date.parse(/;([^;]*)$/.exec(named("Received")[0] ?? "")?.[1] ?? ""),
    dkim: said("dkim"),
    dmarc: said("dmarc"),
  };
}

/** The selectors that the name server answered with: surely since `standsMs`, and no longer once the next one `beganMs`. */
export type Published = {
  readonly selectors: readonly string[];
  readonly beganMs: number;
  readonly standsMs: number;
};

/** Says whether the record of a key was in the DNS in that second. */
export function stoodInDns(selector: string, atMs: number, history: readonly Published[]): boolean {
  const ofThen = history.filter(({ beganMs }, at) => {
    const goneMs = history[at + 1]?.standsMs ?? Number.POSITIVE_INFINITY;
    return beganMs <= atMs + SECOND_MS && atMs <= goneMs;
  });
  return ofThen.length > 0 && ofThen.every(({ selectors }) => selectors.includes(selector));
}

const SECOND_MS = 1_000;

export type Verdict = {
  readonly dkimPassed: number;
  readonly dmarcPassed: number;
  readonly keyStood: number;
  /** How many of the recipients got what the ledger says. */
  readonly asLedger: number;
  /** How many recipients got one mail at most. */
  readonly onceAtMost: number;
  readonly arrivedUnknown: number;
  /** A line for each mail or recipient of which something is wrong. */
  readonly faults: readonly string[];
};

/** `ledger` has the status of each recipient. Each mail has to have `signatures` signatures. */
export function judgeMails(
  mails: readonly StoredMail[],
  ledger: ReadonlyMap<string, string>,
  history: readonly Published[],
  signatures: number,
): Verdict {
  const faults: string[] = [];
  const count = <T>(
    list: Iterable<T>,
    isRight: (one: T) => boolean,
    describe: (one: T) => string,
  ): number => {
    let right = 0;
    for (const one of list)
      if (isRight(one)) right++;
      else faults.push(describe(one));
    return right;
  };
  const copies = Map.groupBy(mails, ({ to }) => to);
  const copiesOf = (to: string) => copies.get(to)?.length ?? 0;
  const strangers = [...copies.keys()].filter((to) => !ledger.has(to));
  return {
    dkimPassed: count(
      mails,
      ({ dkim }) => dkim.length === signatures && dkim.every((word) => word === "pass"),
      ({ to, dkim, selectors }) => `${to}: dkim ${dkim.join(", ") || "nothing"} by ${selectors.join(", ")}`,
    ),
    dmarcPassed: count(
      mails,
      ({ dmarc }) => dmarc.length === 1 && dmarc[0] === "pass",
      ({ to, dmarc }) => `${to}: dmarc ${dmarc.join(", ") || "nothing"}`,
    ),
    keyStood: count(
      mails,
      ({ selectors, receivedMs }) =>
        selectors.length === signatures && selectors.every((one) => stoodInDns(one, receivedMs, history)),
      ({ to, selectors }) => `${to}: signed by ${selectors.join(", ") || "nobody"}, not in the DNS then`,
    ),
    asLedger: count(
      ledger,
      ([to, status]) => (status === "sent" ? copiesOf(to) === 1 : status === "unknown" && copiesOf(to) <= 1),
      ([to, status]) => `${to}: ${status} by the ledger, and ${copiesOf(to)} mails`,
    ),
    onceAtMost: count(
      [...ledger.keys(), ...strangers],
      (to) => copiesOf(to) <= 1 && ledger.has(to),
      (to) => `${to}: ${copiesOf(to)} mails`,
    ),
    arrivedUnknown: [...ledger].filter(([to, status]) => status === "unknown" && copiesOf(to) > 0).length,
    faults,
  };
}
