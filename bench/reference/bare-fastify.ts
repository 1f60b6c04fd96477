/**
 * This frozen reference is the least that Fastify and pg need to read and to insert an API key. It has no key check,
 * rate limit or idempotency, and no transaction beyond the statement itself. It imports nothing of ours. Usage:
 * bare-fastify.ts DATABASE_URL
 */
import { randomBytes, randomUUID } from "node:crypto";
import type { AddressInfo } from "node:net";
import { fastify } from "fastify";
import pg from "pg";

const pool = new pg.Pool({ connectionString: process.argv[2], max: 10, idleTimeoutMillis: 30_000 });
const server = fastify({ logger: false });

const time = { type: "string", format: "date-time" };
const optionalTime = { ...time, nullable: true };
const properties = {
  object: { type: "string" },
  id: { type: "string" },
  name: { type: "string" },
  scopes: { type: "array", items: { type: "string" } },
  hint: { type: "string" },
  unlimited: { type: "boolean" },
  last_used_at: optionalTime,
  expires_at: optionalTime,
  created_at: time,
  updated_at: time,
};
const withKey = { ...properties, key: { type: "string" } };

server.get<{ Params: { account: string; id: string } }>(
  "/:account/api_keys/:id",
  { schema: { response: { 200: { type: "object", properties } } } },
  async (request, reply) => {
    const { rows } = await pool.query({
      name: "get",
      text: `select account_id, id, name, scopes, hint, unlimited, created_at, updated_at, last_used_at, expires_at
             from api_keys where account_id = $1 and id = $2 and revoked_at is null`,
      values: [request.params.account, request.params.id],
    });
    if (rows.length === 0) return reply.code(404).send();
    return { object: "api_key", ...rows[0] };
  },
);

server.post<{ Params: { account: string }; Body: { name: string; scopes: string[] } }>(
  "/:account/api_keys",
  { schema: { response: { 201: { type: "object", properties: withKey } } } },
  async (request, reply) => {
    const { name, scopes } = request.body;
    const id = randomUUID();
    const key = randomBytes(32).toString("hex");
    const now = new Date();
    await pool.query({
      name: "insert",
      text: `insert into api_keys
               (account_id, id, name, scopes, secret_hash, hint, unlimited, created_at, updated_at, expires_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      values: [
        request.params.account,
        id,
        name,
        scopes,
        Buffer.from(key, "hex"),
        key.slice(-4),
        false,
        now,
        now,
        null,
      ],
    });
    return reply.code(201).send({
      object: "api_key",
      id,
      name,
      scopes,
      hint: key.slice(-4),
      unlimited: false,
      last_used_at: null,
      expires_at: null,
      created_at: now,
      updated_at: now,
      key,
    });
  },
);

process.on("SIGTERM", () => process.exit(0));
await server.listen({ host: "127.0.0.1", port: 0 });
process.send?.({ port: (server.server.address() as AddressInfo).port });
