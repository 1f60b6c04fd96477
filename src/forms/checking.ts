/**
 * Looks whether mail would reach the address that somebody signs up with. A slip is asked about and never mended by itself, and only what
 * the DNS says can't be reached is refused, where the form wants that: whoever is only doubtful, or unknown, is taken.
 */
import { checkAddress, domainToLookUp } from "../mail/address-checks/address-checks.ts";
import type { Clock } from "../platform/clock.ts";
import { createConcurrencyLimit } from "../platform/concurrency-limit.ts";
import type { Db } from "../platform/db/db.ts";
import { type DomainFinder, keepLearnt } from "../recipient-domains/recipient-domains.ts";
import type { FormRow } from "./store.ts";
import type { FaultKind } from "./submitting/submitting.ts";

type AddressFinding = {
  readonly kind: Extract<FaultKind, "meant" | "unreachable" | "unreachableMeant">;
  readonly suggestion: string | null;
};

export type AddressAsker = (
  form: Pick<FormRow, "checks">,
  address: string,
  about: { readonly isKept: boolean },
) => Promise<AddressFinding | undefined>;

/** Of look-ups in one process. Beyond these nothing is looked up: a flood of slow domains keeps nobody from signing up. */
const AT_ONCE = 16;
const TOO_MANY = new Error("too many addresses are being looked up");

type Tools = { readonly db: Db; readonly clock: Clock; readonly findDomains: DomainFinder };

export function createAddressAsker({ db, clock, findDomains }: Tools): AddressAsker {
  const limit = createConcurrencyLimit({ atOnce: AT_ONCE, mostWaiting: 0, refuse: () => TOO_MANY });

  async function lookUp(domain: string) {
    const domains = await findDomains({ sql: db, clock }, [domain]);
    if (domains.learnt.length > 0) await db.transaction((tx) => keepLearnt({ sql: tx, clock }, domains));
    return domains.states.get(domain);
  }

  return async ({ checks }, address, { isKept }) => {
    if (checks === "off") return undefined;
    const domain = checks === "skip_bad" ? domainToLookUp(address) : undefined;
    const state = domain ? await limit(() => lookUp(domain)).catch(ignoreTooMany) : undefined;
    const { verdict, suggestion } = checkAddress(address, state);
    if (checks === "skip_bad" && verdict === "bad")
      return { kind: suggestion ? "unreachableMeant" : "unreachable", suggestion };
    return suggestion && !isKept ? { kind: "meant", suggestion } : undefined;
  };
}

function ignoreTooMany(error: unknown): undefined {
  if (error !== TOO_MANY) throw error;
}
