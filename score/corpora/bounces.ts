/** Compares how we read returned mail with the mails that Sisimai's authors collected and what they say of each. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type ReturnedMail, readReturnedMail } from "../../src/mail/dsn/dsn.ts";
import { otherMails } from "../../src/mail/dsn/fixtures/other-mails.ts";
import type { BounceReason } from "../../src/mail/dsn/vocabulary.ts";
import { percentFigure, type Score, type Scorer } from "../figures.ts";
import { familyOf, readLeftOut } from "./bounce-families.ts";

export const bounceScorer: Scorer = {
  name: "bounces",
  summary: "how bounces, delays and complaints are read, against Sisimai's set of emails",
  needs: "bounces",
  score: scoreBounces,
};

/** Translates our reasons into Sisimai's. */
const sisimaiReasons: Readonly<Record<BounceReason, string>> = {
  user_unknown: "userunknown",
  domain_unknown: "hostunknown",
  address_moved: "hasmoved",
  domain_takes_no_mail: "notaccept",
  mailbox_full: "mailboxfull",
  mailbox_disabled: "suspend",
  recipient_filter: "filtered",
  message_over_limit: "exceedlimit",
  message_too_large: "mesgtoobig",
  suppressed: "suppressed",
  expired: "expired",
  network_error: "networkerror",
  system_error: "systemerror",
  system_full: "systemfull",
  delivery_program_failed: "mailererror",
  tls_failed: "failedstarttls",
  syntax_error: "syntaxerror",
  sender_rejected: "rejected",
  ip_blocked: "blocked",
  bad_reputation: "badreputation",
  missing_ptr: "requireptr",
  authentication_failed: "authfailure",
  spam_detected: "spamdetected",
  virus_detected: "virusdetected",
  policy_refused: "policyviolation",
  security_refused: "securityerror",
  content_refused: "contenterror",
  not_compliant: "notcompliantrfc",
  relaying_denied: "norelaying",
  too_many_at_once: "toomanyconn",
  rate_limited: "speeding",
  unclear: "onhold",
  unstated: "undefined",
  delivered: "delivered",
};

type Answer = { readonly reason: string; readonly hard: boolean };
type Expected = Answer & { readonly feedback: string };

function scoreBounces(folder: string): Score {
  const expected: Record<string, Expected[]> = JSON.parse(
    readFileSync(join(folder, "expected.json"), "utf8"),
  );
  const read = (name: string) => readReturnedMail(readFileSync(join(folder, "eml", `${name}.eml`)));
  const compare = (name: string, found: ReturnedMail): ScoredMail => {
    const wanted = expected[name] ?? [];
    const answers = toAnswers(found, wanted.length);
    return { name, pairs: wanted.map((want, index) => ({ want, found: answers[index] })) };
  };
  const names = Object.keys(expected);
  const mails = names.map((name) => compare(name, read(name)));
  const leftOut = [...readLeftOut(names, read)].map(([name, found]) => compare(name, found));
  const pairs = mails.flatMap((mail) => mail.pairs);
  const heldOut = leftOut.flatMap((mail) => mail.pairs);
  const others = listOthers(folder);
  const taken = others.filter(({ raw }) => /bounce|delay/.test(readReturnedMail(raw).kind));
  return {
    figures: [
      percentFigure("bounces.hard_or_soft", pairs.filter(agreesOnHard).length, pairs.length, 95),
      percentFigure("bounces.reason", pairs.filter(agreesOnReason).length, pairs.length, 88),
      percentFigure("bounces.left_out_hard_or_soft", heldOut.filter(agreesOnHard).length, heldOut.length, 95),
      percentFigure("bounces.left_out_reason", heldOut.filter(agreesOnReason).length, heldOut.length, 85),
      percentFigure("bounces.mails_hard_or_soft", countWhole(mails, agreesOnHard), mails.length, 95),
      percentFigure("bounces.mails_reason", countWhole(mails, agreesOnReason), mails.length, 88),
      percentFigure("bounces.others_left_alone", others.length - taken.length, others.length, 100),
    ],
    details: [
      `${mails.length} mails of ${new Set(names.map(familyOf)).size} families with ${pairs.length} recipients, ${others.length} mails that are no bounce`,
      ...[2, 3].map((others) => {
        const found = [...readLeftOut(names, read, others)].flatMap(
          ([name, mail]) => compare(name, mail).pairs,
        );
        const percent = (agrees: (pair: Pair) => boolean) =>
          percentFigure("", found.filter(agrees).length, found.length, null).ours;
        return `each phrase borne out by ${others} other families: hard or soft ${percent(agreesOnHard)} %, reason ${percent(agreesOnReason)} %`;
      }),
      ...describeReasons(pairs),
      ...mails.flatMap(listDifferences),
      ...leftOut.flatMap(listDifferences).map((line) => `its family left out: ${line}`),
      ...taken.map(({ name }) => `${name}: taken for a bounce`),
    ],
  };
}

type ScoredMail = { readonly name: string; readonly pairs: readonly Pair[] };
type Pair = { readonly want: Expected; readonly found: Answer | undefined };

function listDifferences({ name, pairs }: ScoredMail): string[] {
  return pairs
    .filter((pair) => !agreesOnHard(pair) || !agreesOnReason(pair))
    .map(({ want, found }) => `${name}: expected ${show(want)}, ours ${found ? show(found) : "nothing"}`);
}

function agreesOnHard({ want, found }: Pair): boolean {
  return found?.hard === want.hard;
}

function agreesOnReason({ want, found }: Pair): boolean {
  return found?.reason === want.reason;
}

function countWhole(mails: readonly { pairs: readonly Pair[] }[], agrees: (pair: Pair) => boolean): number {
  return mails.filter(({ pairs }) => pairs.every(agrees)).length;
}

/** Sisimai names a recipient even where the report hides it, and gives mail that is no bounce a reason of its own. */
function toAnswers(read: ReturnedMail, wanted: number): Answer[] {
  const whole = read.feedbackType !== null ? "feedback" : read.kind === "auto_reply" ? "vacation" : null;
  if (whole) return Array.from({ length: Math.max(wanted, 1) }, () => ({ reason: whole, hard: false }));
  return read.recipients.map((one) => ({ reason: sisimaiReasons[one.reason], hard: one.class === "hard" }));
}

function describeReasons(pairs: readonly Pair[]): string[] {
  const reasons = [...new Set(pairs.map(({ want }) => want.reason))].sort();
  return reasons.map((reason) => {
    const cases = pairs.filter(({ want }) => want.reason === reason);
    return `${reason}: ${cases.filter(agreesOnReason).length} of ${cases.length}, hard or soft ${cases.filter(agreesOnHard).length}`;
  });
}

function show({ reason, hard }: Answer): string {
  return `${reason}${hard ? " (hard)" : ""}`;
}

/** Lists the corpora's mails that are no bounces, its reports on DMARC and TLS among them, and those that we wrote. */
function listOthers(folder: string): { readonly name: string; readonly raw: Buffer }[] {
  const paths = [join(folder, "not-bounces"), join(folder, "../reports")]
    .filter((path) => existsSync(path))
    .flatMap((path) =>
      readdirSync(path, { recursive: true, encoding: "utf8" }).map((name) => join(path, name)),
    )
    .filter((path) => path.endsWith(".eml"));
  const found = paths.map((path) => ({ name: basename(path), raw: readFileSync(path) }));
  return [...found, ...otherMails.map(({ name, raw }) => ({ name, raw: Buffer.from(raw) }))];
}
