/**
 * Reads each family of mail servers as if none of its mails had ever been seen: every phrase that fires in this family and
 * in no other may have been learnt from it, so it is left out (docs/decisions/0033-weighed-evidence.md).
 */
import { readWatched, readWithout } from "../../src/mail/dsn/phrases/phrase-set.ts";

/** The names in the corpus that stand for one maker's servers: its reports and what it says as the receiving host. */
const makers: Readonly<Record<string, readonly string[]>> = {
  google: ["lhost-gmail", "lhost-googlegroups", "rhost-google", "rhost-gsuite"],
  microsoft: [
    "lhost-exchange2003",
    "lhost-exchange2007",
    "lhost-outlook",
    "rhost-outlook",
    "rhost-microsoft",
  ],
  amazon: ["lhost-amazonses", "lhost-amazonworkmail", "lhost-receivingses"],
  sendmail: ["lhost-sendmail", "lhost-v5sendmail"],
  kddi: ["lhost-ezweb", "rhost-kddi"],
  yahoo: ["lhost-yahoo", "rhost-yahooinc", "rhost-aol"],
  ionos: ["lhost-einsundeins", "lhost-gmx"],
  lotus: ["lhost-notes", "lhost-domino"],
};

/** The family is the name without its number, `lhost-exim-03`, or the maker of several. */
export function familyOf(mail: string): string {
  const name = mail.replace(/-\d+$/, "");
  return Object.keys(makers).find((maker) => makers[maker]?.includes(name)) ?? name;
}

/**
 * Returns what `read` makes of each mail, the phrases left out that only the mail's own family has, or that fewer than
 * `others` families besides it have.
 */
export function readLeftOut<T>(
  mails: readonly string[],
  read: (mail: string) => T,
  others = 1,
): Map<string, T> {
  const supporters = findSupporters(mails, read);
  const results = new Map<string, T>();
  for (const family of new Set(mails.map(familyOf))) {
    const isLeftOut = (phrase: string) => {
      const families = supporters.get(phrase);
      return families?.has(family) === true && families.size <= others;
    };
    readWithout(isLeftOut, () => {
      for (const mail of mails.filter((one) => familyOf(one) === family)) results.set(mail, read(mail));
    });
  }
  return results;
}

/** Returns for each phrase that fires at all the families in whose mails it does. */
function findSupporters(
  mails: readonly string[],
  read: (mail: string) => unknown,
): ReadonlyMap<string, ReadonlySet<string>> {
  const supporters = new Map<string, Set<string>>();
  for (const mail of mails) {
    readWatched(
      (phrase) => supporters.set(phrase, (supporters.get(phrase) ?? new Set()).add(familyOf(mail))),
      () => read(mail),
    );
  }
  return supporters;
}
