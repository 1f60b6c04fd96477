/** Who a public page says that it is from: the account's name, address and look. */
import type { AccountRow } from "../accounts/accounts.ts";
import { toPublicId } from "../platform/ids.ts";
import type { Sender } from "./document/document.ts";

/** The list's postal address goes before the account's, as in mail. */
export function senderOf(
  account: AccountRow,
  list: { readonly postal_address: string | null } | null | undefined,
): Sender {
  return {
    name: account.name,
    postalAddress: list?.postal_address ?? account.postal_address,
    branding: {
      colour: account.brand_colour,
      // Images are served by the role that serves the pages, so the path alone leads there under any host name.
      logoUrl: account.logo_file_id && `/files/${toPublicId("fil", account.logo_file_id)}`,
    },
  };
}
