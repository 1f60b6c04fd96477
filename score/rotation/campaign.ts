/** The campaign that is under way while keys are rotated, and what its ledger says in the end. */
import type { Product } from "../servers/product.ts";
import { DOMAIN } from "./sender-domain.ts";

/** A domain may not use all connections, so people are at several. */
export const RECIPIENT_DOMAINS = Array.from({ length: 10 }, (_, n) => `people${n}.example`);
const A_BATCH = 1_000;
const A_PAGE = 200;

/** Returns the id of the campaign, which is being sent. */
export async function launchCampaign(product: Product, mails: number): Promise<string> {
  const { id: listId } = await product.must("POST", "/v1/lists", {
    name: "Customers",
    from_email: `news@${DOMAIN}`,
    from_name: "Shop",
    postal_address: "1 High Street, London N1 1AA",
  });
  for (let from = 0; from < mails; from += A_BATCH) {
    const subscribers = Array.from({ length: Math.min(A_BATCH, mails - from) }, (_, n) => ({
      email: `person${from + n}@${RECIPIENT_DOMAINS[n % RECIPIENT_DOMAINS.length]}`,
      list_id: listId,
    }));
    await product.must("POST", "/v1/subscribers/batch", { subscribers });
  }
  const { id } = await product.must("POST", "/v1/campaigns", {
    name: "News",
    list_id: listId,
    subject: "News",
    html: '<p>News for you.</p><p><a href="{{ unsubscribe_url }}">Unsubscribe</a></p>',
    // Whoever may have got the mail when a sender died gets no second one, so that a copy too many is a fault.
    on_ambiguous: "hold",
  });
  await product.must("POST", `/v1/campaigns/${id}/send`);
  return id;
}

/** Returns the status of each recipient. */
export async function readLedger(product: Product, campaignId: string): Promise<Map<string, string>> {
  const ledger = new Map<string, string>();
  for (let cursor = ""; ; ) {
    const query = `limit=${A_PAGE}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
    const page = await product.must("GET", `/v1/campaigns/${campaignId}/recipients?${query}`);
    for (const { email, status } of page.data) ledger.set(email, status);
    if (!page.next_cursor) return ledger;
    cursor = page.next_cursor;
  }
}
