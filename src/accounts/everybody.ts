import type { Tx } from "../platform/db/db.ts";
import { announceKeyChange, deleteKeys } from "./api-keys/api-keys.ts";
import { deleteEverybody } from "./users/users.ts";

/**
 * Shuts everybody out of an account that is being deleted: its keys are gone, and so are its memberships and invitations, up to so many at once.
 * People who then belong to no account are deleted, with their sessions and factors. Returns whether somebody is left.
 */
export async function shutOut(tx: Tx, accountId: string, most: number): Promise<boolean> {
  if ((await deleteKeys(tx, accountId)) > 0) await announceKeyChange(tx);
  return (await deleteEverybody(tx, accountId, most)) === most;
}
