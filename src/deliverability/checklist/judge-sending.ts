/** Judges the servers that mail leaves by, the mail itself, and how it can be stopped. */
import { reachOf } from "../../platform/net/reach.ts";
import {
  count,
  type Evidence,
  fromTests,
  gravest,
  type Judgement,
  judged,
  NOT_TESTED,
  pass,
} from "./evidence.ts";
import { domainsOf } from "./judge-authentication.ts";

/** Gmail gives 48 hours, Yahoo two days. */
const UNSUBSCRIBED_WITHIN_SECONDS = 48 * 3_600;
/** A mail that was on its way when somebody unsubscribed may still arrive. */
const ON_ITS_WAY_SECONDS = 3_600;
const MANY_SENDERS = 3;

export function judgePtr(evidence: Evidence): Judgement {
  const remedy =
    "Have whoever owns the address give it a name (PTR) that leads back to it; a relay's operator has to do that.";
  return fromTests(evidence, ["ptr"], remedy) ?? NOT_TESTED;
}

export function judgeTls(evidence: Evidence): Judgement {
  return fromTests(evidence, ["tls"], "Let the relay encrypt what it sends (STARTTLS).") ?? NOT_TESTED;
}

/** A signature that is valid where the mail arrives shows that nobody has changed it on the way. */
export function judgeFormat(evidence: Evidence): Judgement {
  const written =
    "Postrider writes campaigns itself, with one From, a Date and a Message-ID, and lines of legal length";
  const remedy =
    "Run a mail test, and see whether a valid signature says that the mail came as it was written.";
  const tested = fromTests(evidence, ["dkim"], remedy);
  return tested?.status === "pass"
    ? pass(`${written}. ${tested.evidence}`)
    : judged("unknown", `${written}. Whether they leave your relay unchanged isn't known.`, remedy);
}

export function judgeConsistency({ senders, hasCampaigns }: Evidence): Judgement {
  const domains = domainsOf(senders.map(({ from }) => from));
  if (!hasCampaigns || domains.length === 0)
    return judged(
      "unknown",
      "No campaign was sent in the last 30 days.",
      "Keep to one domain and few addresses.",
    );
  const said = `The campaigns of the last 30 days are from ${count(domains.length, "domain", "domains")}: ${domains.slice(0, 5).join(", ")}. The servers that they leave by are yours to keep.`;
  return domains.length > MANY_SENDERS
    ? judged("warn", said, "Keep to few domains and addresses, so that each can earn a reputation.")
    : pass(said);
}

export function judgeReplyTo({ senders }: Evidence): Judgement {
  const addresses = [...new Set(senders.map(({ from, replyTo }) => (replyTo ?? from).toLowerCase()))];
  if (addresses.length === 0)
    return judged("unknown", "The account has no sender yet.", "Set the sender of the account.");
  const refusing = addresses.filter((address) => /^(?:no|do-?not|donot)[-_.]?reply/.test(address));
  if (refusing.length > 0)
    return judged(
      "warn",
      `${count(refusing.length, "address", "addresses")} that people answer to ${refusing.length === 1 ? "says" : "say"} that nobody reads there.`,
      "Use a From or Reply-To address that somebody reads.",
    );
  return judged(
    "unknown",
    "Whether somebody reads the address that people answer to is for you to know.",
    "Answer to one of your own mails, and see whether it arrives.",
  );
}

export function judgeOneClick(evidence: Evidence): Judgement {
  const tested = fromTests(
    evidence,
    ["list_unsubscribe", "one_click", "one_click_signed"],
    "Sign with a DKIM key of your own domain, and see that the relay leaves List-Unsubscribe headers as they are.",
  );
  return gravest([...publicUrlJudgements(evidence), tested ?? NOT_TESTED]);
}

function publicUrlJudgements({ publicUrl, probed }: Evidence): Judgement[] {
  const { protocol, hostname } = new URL(publicUrl);
  const found: Judgement[] = [];
  if (reachOf(hostname) !== "world")
    found.push(
      judged(
        "fail",
        "The address of the unsubscribe link can't be reached from outside.",
        "Set PUBLIC_URL to an https address that the whole world can reach.",
      ),
    );
  else if (protocol !== "https:")
    found.push(
      judged(
        "fail",
        "The unsubscribe link isn't https (RFC 8058 §3.1).",
        "Put a proxy with TLS in front and set PUBLIC_URL to its https address.",
      ),
    );
  if (probed && probed.url === publicUrl && !probed.ok)
    found.push(
      judged(
        "fail",
        `A POST to the unsubscribe link did not arrive here on ${probed.probed_at.toISOString().slice(0, 10)}.`,
        "Let every path and POST through to Postrider.",
      ),
    );
  return found;
}

export function judgeUnsubscribeLink(evidence: Evidence): Judgement {
  const refused = pass(
    "A campaign whose content has no unsubscribe link is refused. Whether the link is easy to see is for you to look at.",
  );
  return gravest([...publicUrlJudgements(evidence), refused]);
}

export function judgeUnsubscribeDelay({ unsubscribes }: Evidence): Judgement {
  const { people, mailedAfter, longestSeconds } = unsubscribes;
  if (people === 0)
    return judged(
      "unknown",
      "Nobody has unsubscribed in the last 30 days, so there is nothing to measure.",
      "Postrider unsubscribes at once; the next one will show it.",
    );
  const who = `Of the last ${count(people, "person", "people")} who unsubscribed,`;
  if (mailedAfter === 0) return pass(`${who} nobody got a mail of the same list afterwards.`);
  const hours = (longestSeconds / 3_600).toLocaleString("en", { maximumFractionDigits: 1 });
  const said = `${who} ${mailedAfter.toLocaleString("en")} got another mail of the same list, at most ${hours} hours later.`;
  if (longestSeconds <= ON_ITS_WAY_SECONDS) return pass(said);
  return judged(
    longestSeconds > UNSUBSCRIBED_WITHIN_SECONDS ? "fail" : "warn",
    said,
    "Look at how these people came back onto the list, for example by an import.",
  );
}
