import { parseAddress } from "../mail/addresses.ts";
import type { Queryable } from "../platform/db/db.ts";
import type { Secrets } from "../platform/secrets.ts";
import { type HashAddress, readAddressHashes } from "../subscribers/subscribers.ts";
import { openEnvelope } from "./sealed.ts";
import { readEnvelopes } from "./store.ts";

type Tools = { readonly secrets: Secrets; readonly hashAddress: HashAddress };
type Recipient = { readonly emailId: string; readonly contactId: string };

/**
 * Finds the addresses of contacts among the recipients of mails, by the contact. Of a contact only a digest of the address is stored,
 * so it is the envelopes that know it. Who was erased, or whose mail is no longer kept, has none.
 */
export async function findRecipientAddresses(
  db: Queryable,
  { secrets, hashAddress }: Tools,
  accountId: string,
  recipients: readonly Recipient[],
): Promise<ReadonlyMap<string, string>> {
  if (recipients.length === 0) return new Map();
  const unique = (ids: readonly string[]) => [...new Set(ids)];
  const [sealed, hashes] = await Promise.all([
    readEnvelopes(db, accountId, unique(recipients.map(({ emailId }) => emailId))),
    readAddressHashes(db, accountId, unique(recipients.map(({ contactId }) => contactId))),
  ]);
  const contactOf = new Map([...hashes].map(([contactId, hash]) => [hash.toString("hex"), contactId]));
  const found = sealed.flatMap(({ content_id: contentId, envelope }) => {
    const opened = openEnvelope(secrets, { accountId, contentId }, envelope);
    return (opened?.recipients ?? []).flatMap(({ address }): [string, string][] => {
      const parsed = address ? parseAddress(address.email) : undefined;
      if (!address || !parsed?.ok) return [];
      const contactId = contactOf.get(hashAddress(parsed.key).toString("hex"));
      return contactId === undefined ? [] : [[contactId, address.email]];
    });
  });
  return new Map(found);
}
