/** Mail with a preference link, and the links that are mailed because of it. */
import assert from "node:assert/strict";
import PostalMime from "postal-mime";
import { sql } from "../../src/platform/db/db.ts";
import type { TestApp } from "./app.ts";
import { act, makeCampaign, readCampaign } from "./campaigns.ts";
import { uuidOf } from "./subscribers.ts";
import { until } from "./until.ts";

/** Sends a campaign to a list, and returns the path of each recipient's preference page. */
export async function sendWithPreferences(app: TestApp, listId: string): Promise<Map<string, string>> {
  const html = `<p>Hello, <a href="https://example.com/">read</a>, <a href="{{ preferences_url }}">choose</a>, <a href="{{ unsubscribe_url }}">leave</a></p>`;
  const { id } = await makeCampaign(app, listId, { html });
  const sent = await act(app, id, "send");
  assert.equal(sent.status, 202, sent.text);
  await until(async () => (await readCampaign(app, id))["status"] === "sent");
  const rows = await app.db.many<{ envelope_to: string; raw: Buffer }>(
    sql`select envelope_to, raw from sandbox_messages where owner_id = ${uuidOf("cmp", id)}`,
  );
  const paths = new Map<string, string>();
  for (const { envelope_to, raw } of rows) {
    const path = /\/p\/[\w-]+/.exec((await PostalMime.parse(raw)).html ?? "")?.[0];
    assert.ok(path, envelope_to);
    paths.set(envelope_to, path);
  }
  return paths;
}

export type MailedLink = { readonly subject: string; readonly text: string; readonly path: string | null };

/** The mails to an address that are about its data, oldest first, once there are so many. */
export async function mailedLinks(app: TestApp, email: string, count: number): Promise<MailedLink[]> {
  const read = async () => {
    const rows = await app.db.many<{ raw: Buffer }>(
      sql`select raw from sandbox_messages where envelope_to = ${email} order by id`,
    );
    const mails = await Promise.all(rows.map(({ raw }) => PostalMime.parse(raw)));
    return mails
      .filter(({ headers }) => headers.some(({ key }) => key === "auto-submitted"))
      .map(({ subject = "", text = "" }) => ({
        subject,
        text,
        path: /\/p\/link\/[\w-]+/.exec(text)?.[0] ?? null,
      }));
  };
  await until(async () => (await read()).length >= count);
  return read();
}
