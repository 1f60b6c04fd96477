/**
 * A key that can't be opened signs nothing, and its mail waits. Senders notice it first and have the domain looked at; the look tells the
 * account, and tells again when it is over.
 */
import { closeAlert, openAlert } from "../../alerts/alerts.ts";
import type { TxCtx } from "../../platform/context.ts";
import type { Queryable } from "../../platform/db/db.ts";
import { toPublicId } from "../../platform/ids.ts";
import type { Secrets } from "../../platform/secrets.ts";
import { openDomainKey } from "../keys/keys.ts";
import { readSigningKeys } from "../keys/signing-store.ts";
import type { DomainWithKeys } from "../store.ts";

/** Whether every key that signs can be opened under this SECRET_KEY. */
export async function canOpenKeys(
  db: Queryable,
  secrets: Pick<Secrets, "open">,
  { account_id, id: domain_id }: DomainWithKeys,
): Promise<boolean> {
  const sealed = await readSigningKeys(db, account_id, domain_id);
  return sealed.every(({ id, private_key }) => {
    return openDomainKey(secrets, { account_id, domain_id, id }, private_key) !== undefined;
  });
}

/** Opens the alert about it, or closes it. */
export async function tellOfKeys(
  ctx: TxCtx,
  { id, name }: DomainWithKeys,
  areReadable: boolean,
): Promise<void> {
  const domainId = toPublicId("dom", id);
  if (areReadable) return closeAlert(ctx, "signing_key_unreadable", domainId);
  await openAlert(ctx, {
    kind: "signing_key_unreadable",
    subject: domainId,
    severity: "critical",
    title: `The key of ${name} can't be opened`,
    detail:
      `It was sealed under a SECRET_KEY that the service no longer has. Where no other key signs, nothing leaves from ${name}: campaigns ` +
      "pause, and transactional mail waits for 72 hours and then fails.",
    remedy:
      "Start the service with the SECRET_KEY that it was sealed under. If that is lost, rotate the domain's keys twice: the standby key was " +
      "sealed under the same one.",
    data: { domain_id: domainId },
  });
}
