/** Campaigns that are sent and published, for tests of the public archive. */
import assert from "node:assert/strict";
import type { TestApp } from "./app.ts";
import { act, endSource, makeCampaign } from "./campaigns.ts";
import type { Json } from "./subscribers.ts";

/** Sends a campaign by the API, and ends it as the engine does; the list must have somebody on it, and no engine run. */
export async function publish(app: TestApp, listId: string, more: Json = {}): Promise<string> {
  const { id } = await makeCampaign(app, listId, { archive: true, ...more });
  const sent = await act(app, id, "send");
  assert.equal(sent.status, 202, sent.text);
  await endSource(app, id, { kind: "done" });
  return id;
}

/** Switches a campaign on or off in the archive. */
export async function setArchive(app: TestApp, id: string, archive: boolean): Promise<void> {
  const reply = await app.api("PATCH", `/v1/campaigns/${id}`, { body: { archive } });
  assert.deepEqual([reply.status, reply.body.archive], [200, archive], reply.text);
}
