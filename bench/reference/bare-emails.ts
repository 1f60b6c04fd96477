/**
 * This frozen reference is the least that Fastify and pg need to store a mail in the same rows as the program does: the mail,
 * its content, what it is found by, and its row, batch and recipient in the ledger, in one statement. It checks no key and no
 * address, seals nothing and wakes nobody. It imports nothing of ours. Usage: bare-emails.ts DATABASE_URL
 */
import { randomBytes, randomUUID } from "node:crypto";
import type { AddressInfo } from "node:net";
import { fastify } from "fastify";
import pg from "pg";

const pool = new pg.Pool({ connectionString: process.argv[2], max: 10, idleTimeoutMillis: 30_000 });
const server = fastify({ logger: false });
const wave = `${Date.now()
  .toString(16)
  .padStart(12, "0")
  .replace(/^(.{8})/, "$1-")}-7000-8000-000000000000`;

type Mail = { to: string[]; subject: string; html: string; text: string };

server.post<{ Params: { account: string }; Body: Mail }>("/:account/emails", async (request, reply) => {
  const { to, subject, html, text } = request.body;
  const time = Date.now().toString(16).padStart(12, "0");
  const id = `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
  const now = new Date();
  await pool.query({
    name: "insert",
    text: `with mail as (
        insert into emails (account_id, id, content_id, wave_id, recipients, attachments, created_at, updated_at)
        values ($1, $2, $2, $3, 1, 0, $4, $4)
      ), content as (
        insert into email_contents (account_id, id, envelope, body) values ($1, $2, $5, $6)
      ), terms as (
        insert into email_terms (account_id, term, email_id) select $1, term, $2 from unnest($7::uuid[]) as term
      ), row as (
        insert into deliveries (account_id, source_id, contact_id, stream, transport_id, state, changed_at, planned_at)
        values ($1, $3, $2, 'transactional', $3, 'ready', $4, $4)
      ), recipient as (
        insert into given_recipients (account_id, source_id, contact_id, person_id, email, email_key, "values")
        values ($1, $3, $2, $2, '@example.com', '@example.com', '{}')
      )
      insert into batches (account_id, source_id, stream, transport_id, contacts)
      values ($1, $3, 'transactional', $3, array[$2::uuid])`,
    values: [
      request.params.account,
      id,
      wave,
      now,
      Buffer.from(JSON.stringify({ to, subject })),
      Buffer.concat([randomBytes(28), Buffer.from(JSON.stringify({ html, text }))]),
      [randomUUID(), randomUUID(), randomUUID()],
    ],
  });
  return reply.code(202).send({ object: "email", id, to, subject, status: "queued", created_at: now });
});

process.on("SIGTERM", () => process.exit(0));
await server.listen({ host: "127.0.0.1", port: 0 });
process.send?.({ port: (server.server.address() as AddressInfo).port });
