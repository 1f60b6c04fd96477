/**
 * The reference for imports is a plain COPY of rows made beforehand into the same tables, with their indexes and
 * triggers. It parses and validates nothing, and doesn't look for rows that exist.
 */
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import pg from "pg";
import { from as copyFrom } from "pg-copy-streams";

export type CopyFiles = {
  readonly contacts: string;
  readonly subscribers: string;
  readonly consents: string;
};

export async function bareCopy(databaseUrl: string, files: CopyFiles): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const startedMs = performance.now();
    await client.query("begin");
    const copy = (target: string, file: string) =>
      pipeline(
        createReadStream(file, { highWaterMark: 256 * 1_024 }),
        client.query(copyFrom(`copy ${target} from stdin`)),
      );
    await copy("contacts (account_id, id, address_hash, created_at)", files.contacts);
    await copy(
      "subscribers (account_id, id, list_id, contact_id, email, email_key, first_name, last_name, fields, status, source, created_at, updated_at)",
      files.subscribers,
    );
    await copy(
      "consents (account_id, subscriber_id, id, action, attested, source, actor_kind, created_at)",
      files.consents,
    );
    await client.query("commit");
    return (performance.now() - startedMs) / 1_000;
  } finally {
    await client.end();
  }
}
