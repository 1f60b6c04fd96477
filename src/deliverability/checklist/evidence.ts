/** What an account's own data says, as the rules want to have it. */
import type { AfterUnsubscribes } from "../../delivery/delivery.ts";
import type { FrozenSender, Probed } from "../../messages/messages.ts";
import type { Provider, RuleStatus } from "./schema.ts";

export type KnownDomain = {
  readonly name: string;
  readonly records: readonly {
    readonly kind: string;
    readonly status: string;
    readonly details: { readonly key_state?: string } | null;
  }[];
};

/** What a mail test found, by the keys of its items. */
export type TestedMail = {
  readonly at: Date;
  readonly items: readonly { readonly key: string; readonly status: RuleStatus; readonly title: string }[];
};

/** What receivers reported of mail from a domain. */
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
  /** From whom the campaigns of late were, and the account's own sender. */
  readonly senders: readonly FrozenSender[];
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
export function gravest(all: readonly Judgement[]): Judgement | undefined {
  return all.toSorted((one, other) => GRAVITY.indexOf(one.status) - GRAVITY.indexOf(other.status))[0];
}

const GRAVITY: readonly RuleStatus[] = ["fail", "warn", "unknown", "pass"];

/** Judges by what mail tests found under a key; undefined where no test knows it. */
export function fromTests(
  { tests }: Pick<Evidence, "tests">,
  keys: readonly string[],
  remedy: string,
): Judgement | undefined {
  const found = tests.flatMap(({ at, items }) =>
    items
      .filter(({ key, status }) => keys.includes(key) && status !== "unknown")
      .map(({ status, title }): Judgement => {
        const evidence = `The mail test of ${at.toISOString().slice(0, 10)}: ${title}.`;
        return status === "pass" ? pass(evidence) : judged(status, evidence, remedy);
      }),
  );
  return gravest(found);
}

export const RUN_A_TEST = "Run a mail test, which looks at a real mail of yours.";

export function percent(share: number): string {
  return `${(share * 100).toLocaleString("en", { maximumFractionDigits: 2 })}%`;
}

export function count(number: number, one: string, many: string): string {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}
