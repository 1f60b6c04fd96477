/** Says whether anything comes back about an account's mail, by any of the ways that there are. */
import type { Queryable } from "../platform/db/db.ts";
import { hasMailbox } from "./mailboxes/mailboxes.ts";
import { hasEndpoint } from "./providers/endpoint-store.ts";

type Question = (db: Queryable, accountId: string) => Promise<boolean>;

/** Each way that an account sets up for itself answers here whether it has done so. */
const ways: readonly Question[] = [hasMailbox, hasEndpoint];

export function createBouncePathCheck(inboundDomain: string | undefined): Question {
  return async (db, accountId) => {
    if (inboundDomain !== undefined) return true;
    const answers = await Promise.all(ways.map((isSetUp) => isSetUp(db, accountId)));
    return answers.includes(true);
  };
}
