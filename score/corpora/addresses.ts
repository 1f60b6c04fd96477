/**
 * Compares our address policy with isemail's cases. Each difference must belong to a class that docs/addresses.md
 * explains.
 */
import { readFileSync } from "node:fs";
import {
  type AddressFault,
  type AddressFaultReason,
  type ParsedAddress,
  parseAddress,
} from "../../src/mail/addresses.ts";
import { percentFigure, type Score, type Scorer } from "../figures.ts";
import { type IsemailTest, readIsemailTests } from "./isemail.ts";

export const addressScorer: Scorer = {
  name: "addresses",
  summary: "which e-mail addresses are taken, against isemail",
  needs: "addresses/isemail-tests.xml",
  score: (path) => scoreAddresses(readIsemailTests(readFileSync(path, "utf8"))),
};

/** isemail's categories, from plainly valid to wrong. isemail itself calls those after RFC5321 unfit for SMTP. */
const categories = [
  "ISEMAIL_VALID_CATEGORY",
  "ISEMAIL_DNSWARN",
  "ISEMAIL_RFC5321",
  "ISEMAIL_CFWS",
  "ISEMAIL_DEPREC",
  "ISEMAIL_RFC5322",
  "ISEMAIL_ERR",
] as const;
type Category = (typeof categories)[number];

/** A class of addresses that the RFCs would accept and we refuse. */
type RefusedClass = {
  /** The heading in docs/addresses.md that says why. */
  readonly title: string;
  readonly reasons: readonly AddressFaultReason[];
  /**
   * The plainest category that the class may contain: refusing anything plainer is a fault of ours, whatever the
   * reason.
   */
  readonly from: Category;
};

export const refusedClasses: readonly RefusedClass[] = [
  { title: "Quoted local parts", reasons: ["quoted_local_part"], from: "ISEMAIL_RFC5321" },
  { title: "Address literals", reasons: ["address_literal"], from: "ISEMAIL_RFC5321" },
  { title: "Single-label domains", reasons: ["single_label_domain"], from: "ISEMAIL_VALID_CATEGORY" },
  { title: "Numeric top-level domains", reasons: ["numeric_top_level_domain"], from: "ISEMAIL_RFC5321" },
  {
    title: "Comments, names and routes",
    reasons: ["comment", "display_name", "source_route"],
    from: "ISEMAIL_CFWS",
  },
  {
    title: "White space, folding and control characters",
    reasons: ["white_space", "control_character"],
    from: "ISEMAIL_CFWS",
  },
  {
    title: "Sizes that SMTP can't carry",
    reasons: ["too_long", "local_part_too_long", "label_too_long"],
    from: "ISEMAIL_RFC5322",
  },
  {
    title: "Domains that are no host names",
    reasons: ["domain_character", "not_idna"],
    from: "ISEMAIL_RFC5322",
  },
  {
    title: "Look-alikes and invisible characters",
    reasons: ["look_alike", "invisible_character"],
    from: "ISEMAIL_RFC5322",
  },
];

/**
 * The classes of addresses that we accept and that isemail, an ASCII validator of whole strings, would not use in
 * SMTP.
 */
export const acceptedClasses = {
  blanks: "Outer blanks",
  international: "Internationalised addresses",
} as const;

type Answer = ParsedAddress | AddressFault;

export function scoreAddresses(tests: readonly IsemailTest[]): Score {
  const judged = tests.map((test) => {
    const answer = parseAddress(test.address);
    return { test, answer, agrees: answer.ok === isMailable(test.category), kind: classify(test, answer) };
  });
  const unexplained = judged.filter(({ kind }) => kind === "unexplained");
  const kinds = [...new Set(judged.map(({ kind }) => kind))].filter((kind) => kind !== null).sort();
  return {
    figures: [
      percentFigure("addresses.agreed_or_argued", tests.length - unexplained.length, tests.length, 100),
      percentFigure("addresses.agreed", judged.filter(({ agrees }) => agrees).length, tests.length, null),
    ],
    details: [
      `${tests.length} cases, ${judged.filter(({ agrees }) => agrees).length} answered as isemail does`,
      ...kinds.flatMap((kind) => {
        const cases = judged.filter((one) => one.kind === kind);
        return [
          `${kind}: ${cases.length}`,
          ...cases.map(({ test, answer }) => `  ${describe(test, answer)}`),
        ];
      }),
    ],
  };
}

/**
 * Returns the class of a difference, or null where there is none. We must have a reason for refusing anything
 * grammatical, also what isemail itself would not mail, and for accepting anything that isn't mailable.
 */
function classify({ address, category }: IsemailTest, answer: Answer): string | null {
  if (rank(category) < 0) return "unexplained";
  if (!answer.ok) return category === "ISEMAIL_ERR" ? null : refusedClass(category, answer.reason);
  if (isMailable(category)) return null;
  if (answer.isEai || answer.domain.toLowerCase() !== answer.asciiDomain)
    return acceptedClasses.international;
  return category === "ISEMAIL_CFWS" && address !== answer.address ? acceptedClasses.blanks : "unexplained";
}

function refusedClass(category: string, reason: AddressFaultReason): string {
  const found = refusedClasses.find(({ reasons }) => reasons.includes(reason));
  return found && rank(category) >= rank(found.from) ? found.title : "unexplained";
}

function isMailable(category: string): boolean {
  return rank(category) >= 0 && rank(category) <= rank("ISEMAIL_RFC5321");
}

function rank(category: string): number {
  return (categories as readonly string[]).indexOf(category);
}

function describe({ id, address, diagnosis }: IsemailTest, answer: Answer): string {
  const shown = JSON.stringify(address.length > 60 ? `${address.slice(0, 57)}…` : address);
  return `#${id} ${shown} is ${diagnosis}; ${answer.ok ? "accepted" : `refused: ${answer.reason}`}`;
}
