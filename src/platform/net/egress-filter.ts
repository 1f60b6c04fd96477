/**
 * Keeps connections that somebody else chose the host of (an account's relay) away from this machine and the networks
 * behind it. It looks at the address that is about to be connected to and not at the name, so that a name which leads
 * elsewhere at its second asking gains nothing.
 */
import { type LookupAddress, type LookupOptions, lookup as resolve } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { isInternal, readInternalHosts } from "./internal.ts";

export type EgressFilter = {
  /** For `net.connect`, which doesn't ask it of a literal address: whoever connects to one must ask by himself. */
  readonly lookup: LookupFunction;
  /** Of a literal address, without asking anybody; what a name leads to is only known when it is connected to. */
  refusesAddress(host: string): boolean;
};

/** `allowed`: what INTERNAL_HOSTS lists. */
export function createEgressFilter(allowed: readonly string[]): EgressFilter {
  const internalHosts = readInternalHosts(allowed);
  const isAllowed = (host: string, address: string) =>
    !isInternal(address) || internalHosts.allows(host, address);

  const lookup: LookupFunction = (host, options, callback) => {
    resolve(host, { ...(options as LookupOptions), all: true }, (error, found) => {
      if (error) return callback(error, "", 0);
      const reachable = found.filter(({ address }) => isAllowed(host, address));
      const [first] = reachable as [LookupAddress?];
      if (!first) return callback(refusal(), "", 0);
      if (options.all) callback(null, reachable);
      else callback(null, first.address, first.family);
    });
  };
  return { lookup, refusesAddress: (host) => isIP(host) !== 0 && !isAllowed(host, host) };
}

/** Without the address: what names inside lead to is nobody's business outside. */
function refusal(): NodeJS.ErrnoException {
  const error: NodeJS.ErrnoException = new Error(
    "the host leads to an internal address, which is off limits",
  );
  error.code = "EINTERNAL";
  return error;
}
