/** Puts the payloads into what an endpoint says of itself, and into the mouth of whoever answers there. */
import assert from "node:assert/strict";
import type { TestApp } from "./app.ts";
import { makeWebhook, startReceiver } from "./webhooks.ts";
import { ONE_LINE, PAYLOADS, pack } from "./xss-payloads.ts";

export type XssWebhook = { readonly webhookId: string; readonly deliveryIds: readonly string[] };

/** Of an answer so much is kept. */
const KEPT_CHARACTERS = 1_000;
const IN_URL = `?q="'><svg/onload=__xss(1)><a/href=javascript:__xss(2)>`;

export async function answerWithPayloads(app: TestApp): Promise<XssWebhook> {
  const receiver = await startReceiver();
  try {
    const description = pack(ONE_LINE, 500)[0] ?? "";
    // Nothing of this kind happens by itself.
    const asked = { url: receiver.url + IN_URL, events: ["webhook.deleted"], description };
    const { id: webhookId } = await makeWebhook(app, asked);
    const deliveryIds: string[] = [];
    for (const text of pack(PAYLOADS, KEPT_CHARACTERS)) {
      receiver.answerWith(500, text);
      const { status, body } = await app.api("POST", `/v1/webhooks/${webhookId}/test`, { body: {} });
      assert.equal(status, 200);
      deliveryIds.push(body.id);
    }
    return { webhookId: String(webhookId), deliveryIds };
  } finally {
    await receiver.close();
  }
}
