/**
 * The addresses under INBOUND_DOMAIN that belong to an account as a whole: `dmarc-…` takes the reports that its domains ask for, and
 * `test+…` takes the one mail of a mail test. Both name the account by the 26 characters of its public id. The first stands in the
 * DNS for everybody to read; the second holds 74 random bits of the test's id, and is known to nobody before the mail leaves.
 */
import { fromPublicId, toPublicId } from "../platform/ids.ts";

export type AccountAddress =
  | { readonly kind: "dmarc_report"; readonly accountId: string }
  | { readonly kind: "mail_test"; readonly accountId: string; readonly testId: string };

const ID_CHARACTERS = 26;
const DMARC = /^dmarc-([\da-z]{26})$/i;
const TEST = /^test\+([\da-z]{52})$/i;

export function dmarcAddressOf(accountId: string, inboundDomain: string): string {
  return `dmarc-${charactersOf(accountId)}@${inboundDomain}`;
}

export function testAddressOf(accountId: string, testId: string, inboundDomain: string): string {
  return `test+${charactersOf(accountId)}${charactersOf(testId)}@${inboundDomain}`;
}

/** Returns undefined for whatever hasn't the form of such a local part. Servers on the way may change the case of letters. */
export function readAccountAddress(localPart: string): AccountAddress | undefined {
  const accountId = idOf(DMARC.exec(localPart)?.[1]);
  if (accountId !== undefined) return { kind: "dmarc_report", accountId };
  const both = TEST.exec(localPart)?.[1];
  const [ofAccount, ofTest] = [idOf(both?.slice(0, ID_CHARACTERS)), idOf(both?.slice(ID_CHARACTERS))];
  if (ofAccount === undefined || ofTest === undefined) return undefined;
  return { kind: "mail_test", accountId: ofAccount, testId: ofTest };
}

function charactersOf(id: string): string {
  return toPublicId("", id).slice(1);
}

function idOf(characters: string | undefined): string | undefined {
  return characters === undefined ? undefined : fromPublicId("", `_${characters.toLowerCase()}`);
}
