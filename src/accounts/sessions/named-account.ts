/** Reads which account a request by a session is about. It needs no database. */
import { fromPublicId } from "../../platform/ids.ts";
import { AppError } from "../../platform/problems.ts";
import { accountRequired } from "../problems.ts";

export const ACCOUNT_HEADER = "postrider-account";
/** Streams, frames and downloads can't set a header, and name the account in the query. */
export const ACCOUNT_PARAMETER = "account";

export type NamedAccount = {
  /** Node joins a header that comes twice by a comma, so it is no id then. */
  readonly header: string | readonly string[] | undefined;
  readonly parameter: unknown;
};

/** Returns undefined where none is named, and a refusal where it isn't one. */
export function readNamedAccount({ header, parameter }: NamedAccount): string | undefined | AppError {
  const named = [header, parameter].filter((one) => one !== undefined);
  if (named.length === 0) return undefined;
  const ids = new Set(named.map((one) => (typeof one === "string" ? fromPublicId("acc", one) : undefined)));
  const [id] = ids;
  if (ids.size === 1 && id !== undefined) return id;
  return new AppError(accountRequired, "name one account, once: `Postrider-Account: acc_…`");
}
