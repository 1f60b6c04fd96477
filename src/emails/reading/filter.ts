/** Reads the query of a list of mails. */
import { parseAddress } from "../../mail/addresses.ts";
import { AppError, invalidQuery } from "../../platform/problems.ts";
import type { Secrets } from "../../platform/secrets.ts";
import type { EmailQuery } from "../schema.ts";
import { digestsOf, type Term, wordsOf } from "../sealed.ts";
import type { EmailFilter } from "./search.ts";

const METADATA = /^metadata\[([^\]]+)\]$/;

export function readFilter(accountId: string, secrets: Secrets, query: Partial<EmailQuery>): EmailFilter {
  const metadata = Object.entries(query).flatMap(([name, value]): Term[] => {
    const key = METADATA.exec(name)?.[1];
    return key === undefined ? [] : [{ kind: "metadata", name: key, value: String(value) }];
  });
  // Those that few mails have come first, because the first is looked for and the others are asked of what is found.
  const rare: Term[] = [...(query.to === undefined ? [] : [readTo(query.to)]), ...metadata];
  const terms: Term[] = [
    ...rare,
    ...readWords(query.subject),
    ...(query.tag === undefined ? [] : [{ kind: "tag", tag: query.tag } as const]),
  ];
  return {
    terms: terms.map((term) => digestsOf(secrets, accountId, term)),
    isFirstRare: rare.length > 0,
    status: query.status,
    createdAfter: query.created_after === undefined ? undefined : new Date(query.created_after),
    createdBefore: query.created_before === undefined ? undefined : new Date(query.created_before),
    suppressedTerm: digestsOf(secrets, accountId, { kind: "suppressed" }),
  };
}

/** A plus sign in a query is a blank to whoever decodes it, and no address has blanks. */
function readTo(text: string): Term {
  const parsed = parseAddress(text.trim().replaceAll(" ", "+"));
  if (parsed.ok) return { kind: "to", key: parsed.key };
  throw new AppError(invalidQuery, "this is no e-mail address", {
    faults: [{ parameter: "to", code: parsed.code, detail: parsed.detail }],
  });
}

function readWords(subject: string | undefined): Term[] {
  if (subject === undefined) return [];
  const words = wordsOf(subject);
  if (words.length > 0) return words.map((word) => ({ kind: "word", word }));
  throw new AppError(invalidQuery, "there is no word in it", {
    faults: [{ parameter: "subject", code: "required", detail: "must have a word in it" }],
  });
}
