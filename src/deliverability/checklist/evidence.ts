/** What an account's own data says, as the rules want to have it. */
import type { AfterUnsubscribes } from "../../delivery/delivery.ts";
import type { FrozenSender, Probed } from "../../messages/messages.ts";
import type { Provider, RuleStatus } from "./schema.ts";

/** A record of a domain, as the last look found it. */
export type KnownRecord = {
  readonly kind: string;
  readonly name: string;
  readonly status: string;
  readonly expected: string | null;
  readonly required: boolean;
  readonly details: {
    readonly key_state?: string;
    readonly addresses?: readonly { readonly address: string; readonly result: string }[];
  } | null;
};

export type KnownDomain = { readonly name: string; readonly records: readonly KnownRecord[] };

/** What a mail test found, by the keys of its items. */
export type TestedMail = {
  readonly at: Date;
  readonly items: readonly {
    readonly key: string;
    readonly status: RuleStatus;
    readonly title: string;
    readonly evidence: string;
  }[];
};

/** What receivers reported of mail that left by the account's own addresses. */
export type ReportedMail = {
  readonly messages: number;
  readonly aligned: number;
  readonly dkimAligned: number;
  readonly spfAligned: number;
};

export type Volume = {
  readonly provider: Provider;
  readonly accepted: number;
  readonly hardBounces: number;
  readonly mostInADay: number;
  readonly complaints: number;
};

export type EnteredRate = { readonly provider: Provider; readonly day: string; readonly rate: number };

export type Evidence = {
  /** From whom the campaigns of late were; where there was none, the account's own sender. */
  readonly senders: readonly FrozenSender[];
  /** Whether there was one of late. */
  readonly hasCampaigns: boolean;
  readonly domains: readonly KnownDomain[];
  /** The newest test of each transport. */
  readonly tests: readonly TestedMail[];
  /** Null where no report has come. */
  readonly reported: ReportedMail | null;
  readonly volumes: readonly Volume[];
  readonly rates: readonly EnteredRate[];
  readonly unsubscribes: AfterUnsubscribes;
  readonly publicUrl: string;
  readonly probed: Probed | undefined;
  readonly lists: { readonly lists: number; readonly confirmed: number };
};

export type Judgement = {
  readonly status: RuleStatus;
  readonly evidence: string;
  readonly remedy: string | null;
};

export function pass(evidence: string): Judgement {
  return { status: "pass", evidence, remedy: null };
}

export function judged(status: Exclude<RuleStatus, "pass">, evidence: string, remedy: string): Judgement {
  return { status, evidence, remedy };
}

/** The gravest of several: one that fails is worse than one that may, and that is worse than one of which nothing is known. */
export function gravest(all: readonly Judgement[]): Judgement {
  const [worst] = all.toSorted((one, other) => GRAVITY.indexOf(one.status) - GRAVITY.indexOf(other.status));
  if (!worst) throw new Error("there is nothing to judge");
  return worst;
}

const GRAVITY: readonly RuleStatus[] = ["fail", "warn", "unknown", "pass"];

/**
 * Judges by what mail tests found under these keys, of which each test should know every one; undefined where there was no test. What
 * a test could not tell, or not look for, is unknown.
 */
export function fromTests(
  { tests }: Pick<Evidence, "tests">,
  keys: readonly string[],
  remedy: string,
): Judgement | undefined {
  const found = tests.flatMap(({ at, items }) =>
    keys.map((wanted): Judgement => {
      const test = `The mail test of ${at.toISOString().slice(0, 10)}`;
      const item = items.find(({ key }) => key === wanted);
      if (!item) return judged("unknown", `${test} had nothing that shows it.`, RUN_A_TEST);
      const { status, title } = item;
      if (status === "pass") return pass(`${test}: ${title}.`);
      if (status === "unknown")
        return judged("unknown", `${test}: ${title}. ${firstLine(item.evidence)}`, RUN_A_TEST);
      return judged(status, `${test}: ${title}.`, remedy);
    }),
  );
  return found.length > 0 ? gravest(found) : undefined;
}

/** Prefers what a test has decided, then what is decided otherwise, then what kept the test from deciding. */
export function decided(tested: Judgement | undefined, otherwise: Judgement): Judgement {
  return [tested, otherwise].find((one) => one && one.status !== "unknown") ?? tested ?? otherwise;
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}

export const NOT_TESTED = {
  status: "unknown",
  evidence: "No mail test was run in the last 90 days.",
  remedy: "Run a mail test, which looks at a real mail of yours.",
} as const satisfies Judgement;
export const RUN_A_TEST = NOT_TESTED.remedy;

export function percent(share: number): string {
  return `${(share * 100).toLocaleString("en", { maximumFractionDigits: 2 })}%`;
}

export function count(number: number, one: string, many: string): string {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}
