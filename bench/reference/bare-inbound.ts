/**
 * This frozen reference is the least that the package smtp-server and pg need to take a mail and to say 250 once it is durable: each is
 * inserted as it came, in a transaction of its own. It checks no address, seals nothing and looks for no mail that came before. It
 * imports nothing of ours. Usage: bare-inbound.ts DATABASE_URL
 */
import { randomUUID } from "node:crypto";
import type { AddressInfo } from "node:net";
import pg from "pg";
import { SMTPServer } from "smtp-server";

const pool = new pg.Pool({ connectionString: process.argv[2], max: 10, idleTimeoutMillis: 30_000 });
await pool.query(`
  create table reference_items (id uuid primary key, raw bytea not null);
  alter table reference_items alter column raw set storage external`);

const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ["AUTH", "STARTTLS"],
  disableReverseLookup: true,
  size: 10 * 1_024 * 1_024,
  onData(stream, _session, callback) {
    const chunks: Buffer[] = [];
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("end", () => {
      const values = [randomUUID(), Buffer.concat(chunks)];
      pool
        .query({ name: "insert", text: "insert into reference_items (id, raw) values ($1, $2)", values })
        .then(() => callback(null, "Kept"), callback);
    });
  },
});
process.on("SIGTERM", () => process.exit(0));
server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.server.address() as AddressInfo).port }));
