/** Judges complaints, bounces, and how people came onto the lists. */
import {
  count,
  type EnteredRate,
  type Evidence,
  type Judgement,
  judged,
  pass,
  percent,
  type Volume,
} from "./evidence.ts";
import type { Provider } from "./schema.ts";

/** Gmail wants a rate below 0.1%, and never one of 0.3% or more; Yahoo one below 0.3%. */
const GOOD_RATE = 0.001;
const WORST_RATE = 0.003;
/** A few complaints about few mails say little. */
const LEAST_COMPLAINTS = 3;
/** Of the days that were entered, so many of the newest count. */
const DAYS_THAT_COUNT = 7;
const MOST_HARD_BOUNCES = 0.02;
const LEAST_MAILS = 500;

const NAMES: Readonly<Record<Provider, string>> = {
  gmail: "Gmail",
  yahoo: "Yahoo",
  microsoft: "Outlook.com",
  apple: "iCloud Mail",
};
const WHERE: Readonly<Record<Provider, string>> = {
  gmail: "Enter the rate that Google's Postmaster Tools show for your domain.",
  yahoo: "Join Yahoo's complaint feedback loop with your DKIM domain, with an address that bounces come to.",
  microsoft: "Join the Junk Mail Reporting Program for the addresses that your mail leaves by.",
  apple: "Apple tells nobody. Mail only who reads, and watch the blocks from iCloud.",
};
const SLOW_DOWN =
  "Mail only who asked for it and reads it, and see which campaigns and sources are complained about.";

/** A provider that sends complaints is judged by them once one has come, since until then nobody knows whether any would. */
const SENDS_COMPLAINTS: ReadonlySet<Provider> = new Set(["yahoo", "microsoft"]);

export type ComplaintRate = { readonly rate: number; readonly source: "feedback" | "entered" };

/** The rate that counts: what was entered, else what came back over the provider's own mail. */
export function rateOf(
  provider: Provider,
  rates: readonly EnteredRate[],
  volume: Volume | undefined,
): ComplaintRate | null {
  const newest = newestRates(provider, rates);
  if (newest.length > 0)
    return { rate: newest.reduce((sum, { rate }) => sum + rate, 0) / newest.length, source: "entered" };
  if (!SENDS_COMPLAINTS.has(provider) || !volume || volume.complaints === 0 || volume.accepted === 0)
    return null;
  return { rate: Math.min(1, volume.complaints / volume.accepted), source: "feedback" };
}

export function sendsComplaints(provider: Provider): boolean {
  return SENDS_COMPLAINTS.has(provider);
}

function newestRates(provider: Provider, rates: readonly EnteredRate[]): readonly EnteredRate[] {
  return rates
    .filter((one) => one.provider === provider)
    .toSorted((one, other) => (one.day < other.day ? 1 : -1))
    .slice(0, DAYS_THAT_COUNT);
}

export function judgeComplaints(provider: Provider, { rates, volumes }: Evidence): Judgement {
  const volume = volumes.find((one) => one.provider === provider);
  const name = NAMES[provider];
  const found = rateOf(provider, rates, volume);
  if (!found) {
    const mails = count(volume?.accepted ?? 0, "mail", "mails");
    const said = SENDS_COMPLAINTS.has(provider)
      ? `No complaint came from ${name} about ${mails} of the last 30 days, which says nothing unless its reports come here.`
      : `${name} reports no complaints to senders, and no rate was entered.`;
    return judged("unknown", said, WHERE[provider]);
  }
  if (found.source === "entered") {
    const newest = newestRates(provider, rates);
    const worst = Math.max(...newest.map(({ rate }) => rate));
    const said = `Of ${count(newest.length, "day", "days")} that were entered, the rate is ${percent(found.rate)} in the mean and ${percent(worst)} at most.`;
    return byRate(Math.max(worst >= WORST_RATE ? worst : 0, found.rate), said);
  }
  const { complaints, accepted } = volume as Volume;
  const said = `${count(complaints, "complaint", "complaints")} of ${name}'s users about ${count(accepted, "mail", "mails")} to them in the last 30 days: ${percent(found.rate)}.`;
  const isFew = complaints < LEAST_COMPLAINTS;
  return byRate(isFew ? Math.min(found.rate, GOOD_RATE) : found.rate, said);
}

function byRate(rate: number, said: string): Judgement {
  if (rate < GOOD_RATE) return pass(said);
  return judged(rate < WORST_RATE ? "warn" : "fail", said, SLOW_DOWN);
}

export function judgeFeedbackLoop({ volumes }: Evidence): Judgement {
  const reporting = volumes.filter(({ provider, complaints }) => sendsComplaints(provider) && complaints > 0);
  if (reporting.length === 2) return pass("Complaints come from both Yahoo and Outlook.com.");
  const said =
    reporting.length === 0
      ? "No complaint came in the last 30 days."
      : `Complaints come from ${reporting.map(({ provider }) => NAMES[provider]).join(", ")} alone.`;
  const missing = (["yahoo", "microsoft"] as const).filter(
    (provider) => !reporting.some((one) => one.provider === provider),
  );
  return judged("unknown", said, missing.map((provider) => WHERE[provider]).join(" "));
}

export function judgeConsent({ lists: { lists, confirmed } }: Evidence): Judgement {
  if (lists === 0)
    return judged("unknown", "There is no list yet.", "Let lists ask people to confirm by mail.");
  const said = `${confirmed.toLocaleString("en")} of ${count(lists, "list", "lists")} ${confirmed === 1 ? "asks" : "ask"} people to confirm by mail that they want it.`;
  return confirmed === lists
    ? pass(said)
    : judged(
        "warn",
        said,
        "Let all lists ask people to confirm (double opt-in), and import only who agreed.",
      );
}

export function judgeBounces({ volumes }: Evidence): Judgement {
  const { all, hard } = sentTo(volumes);
  const remedy = "Look at where the addresses came from.";
  const handling = "An address that bounces for good is suppressed once the bounce is believed.";
  if (all < LEAST_MAILS)
    return judged(
      "unknown",
      `${handling} ${count(all, "mail", "mails")} to these providers in the last 30 days are too few to judge by.`,
      remedy,
    );
  const said = `${handling} Of ${count(all, "mail", "mails")} to these providers in the last 30 days, ${percent(hard / all)} bounced for good.`;
  return hard / all > MOST_HARD_BOUNCES ? judged("warn", said, remedy) : pass(said);
}

export function judgeErrors({ volumes }: Evidence): Judgement {
  const { all, hard } = sentTo(volumes);
  const handling =
    "What a server puts off is tried again later and less often, and what it refuses for good isn't tried again.";
  const remedy = "Read the answers of servers in the reports of your campaigns.";
  if (all === 0)
    return judged("unknown", `${handling} Nothing was sent to these providers in the last 30 days.`, remedy);
  return pass(
    `${handling} Of ${count(all, "mail", "mails")} to these providers in the last 30 days, ${count(hard, "was", "were")} refused or returned for good.`,
  );
}

function sentTo(volumes: readonly Volume[]): { readonly all: number; readonly hard: number } {
  const hard = volumes.reduce((sum, one) => sum + one.hardBounces, 0);
  return { hard, all: volumes.reduce((sum, one) => sum + one.accepted, hard) };
}

/** People who left are kept out of imports into the same list alone, and nobody notes who asked to be back. */
export function judgeSuppressions(): Judgement {
  return judged(
    "unknown",
    "An import into a list makes nobody active there who has left it. A request can, and so can an import into another list; whether the person asked for it isn't known here.",
    "Make people active again, and lift suppressions, only at their own request.",
  );
}

export function judgeInactive(): Judgement {
  return judged(
    "unknown",
    "Which people no longer read is for you to decide.",
    "Make a segment of who opened and clicked nothing for half a year, and leave it out or ask it once more.",
  );
}
