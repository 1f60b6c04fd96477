/**
 * Keeps connections to hosts that an account chose (its relay) away from this machine and the networks behind it. The
 * address is checked when it is connected to, not the name before, so a name that resolves differently the second time
 * gains nothing.
 */
import { type LookupAddress, type LookupAllOptions, lookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { isInternal, readInternalHosts } from "./internal.ts";

export type EgressFilter = {
  /** Resolves names for `net.connect`, which doesn't call it for a literal address: use `refusesAddress` for those. */
  readonly lookup: LookupFunction;
  /** Judges a literal address without a DNS query; what a name resolves to is only known when it is connected to. */
  refusesAddress(host: string): boolean;
};

/** Finds all addresses of a name. */
export type ResolveName = (
  host: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
) => void;

/** `allowed` is the list in INTERNAL_HOSTS. */
export function createEgressFilter(allowed: readonly string[], resolve: ResolveName = lookup): EgressFilter {
  const internalHosts = readInternalHosts(allowed);
  const isAllowed = (host: string, address: string) =>
    !isInternal(address) || internalHosts.allows(host, address);

  const lookUpAllowed: LookupFunction = (host, options, callback) => {
    resolve(host, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, "", 0);
      const reachable = found.filter(({ address }) => isAllowed(host, address));
      const [first] = reachable as [LookupAddress?];
      if (!first) return callback(refusal(), "", 0);
      if (options.all) callback(null, reachable);
      else callback(null, first.address, first.family);
    });
  };
  return { lookup: lookUpAllowed, refusesAddress: (host) => isIP(host) !== 0 && !isAllowed(host, host) };
}

/** The error leaves out the address, so that nobody outside learns what internal names resolve to. */
function refusal(): NodeJS.ErrnoException {
  const error: NodeJS.ErrnoException = new Error(
    "the host leads to an internal address, which is off limits",
  );
  error.code = "EINTERNAL";
  return error;
}
