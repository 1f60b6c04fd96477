/**
 * Asks DNS blocklists (RFC 5782) for the addresses and domains that an account's mail leaves by, once a day. A list is believed only
 * while it is proved by its own test entries, and what nobody answered changes nothing. This file is what others may use.
 */
export type { BlocklistTools } from "./check.ts";
export { configureBlocklists } from "./configured-lists.ts";
export type { AddressOnList } from "./look-up.ts";
export { createAddressLookUp } from "./proofs.ts";
