/** Billing says what accounts use and what that costs. It counts nothing itself: the ledger does, where mail is sent. */
export type { Price } from "./usage/price.ts";
