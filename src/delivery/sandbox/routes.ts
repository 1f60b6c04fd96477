/** These routes show the messages that the sandbox caught. */
import { Readable } from "node:stream";
import type { Email } from "postal-mime";
import { Type } from "typebox";
import { authorFrame, escapeHtml } from "../../content/content.ts";
import { decodeWords } from "../../mail/reading/headers.ts";
import type { Ctx } from "../../platform/context.ts";
import { hasScope } from "../../platform/http/access-control.ts";
import { pageAnswer } from "../../platform/http/paging/cursor.ts";
import { type Principal, type Route, readRoute, writeRoute } from "../../platform/http/route.ts";
import { oneOf, PageQuery, PublicId, Strict } from "../../platform/http/schemas.ts";
import { requireId, toPublicId } from "../../platform/ids.ts";
import { missing } from "../../platform/problems.ts";
import type { SourceOwner } from "../types.ts";
import { readMessage } from "./read-message.ts";
import { keyOfAddress } from "./sandbox.ts";
import {
  countMessages,
  deleteMessages,
  findMessage,
  listMessages,
  type SandboxRow,
  type Sight,
} from "./sandbox-store.ts";
import { SandboxMessage, SandboxPage } from "./schema.ts";

const Params = Strict({ id: PublicId("msg") });
const tag = "Sandbox";

export type SandboxTools = {
  readonly owner: Pick<SourceOwner, "idsInEvents">;
  readonly publicUrl: () => string;
};

export const sandboxRoutes = ({ owner, publicUrl }: SandboxTools): readonly Route[] => [
  readRoute({
    path: "/v1/sandbox/messages",
    scope: "campaigns:read",
    tag,
    summary: "List caught messages",
    description:
      "Mail that the sandbox transport caught and that left nowhere, newest first; the newest 5,000 are kept. Mail to subscribers is shown to " +
      "those who have `campaigns:recipients`, transactional mail to those who have `emails:read` as well, and a mail with a link that sets a password to those who have `full`.",
    query: PageQuery({
      to: Type.Optional(Type.String({ maxLength: 1_000, description: "Sent to this address." })),
    }),
    success: { status: 200, schema: SandboxPage, description: "A page of messages." },
    async handler(call) {
      const { ctx, query, after } = call;
      const toKey = query.to === undefined ? undefined : keyOfAddress(query.to.trim().replaceAll(" ", "+"));
      const sight = { ...sightOf(call.principal), toKey };
      const [rows, total] = await Promise.all([
        listMessages(ctx.sql, ctx.accountId, sight, query.limit + 1, after && String(after[0])),
        query.include_total ? countMessages(ctx.sql, ctx.accountId, sight) : undefined,
      ]);
      const shown = new Map(
        await Promise.all(rows.map(async (row) => [row.id, summarise(owner, row, await read(row))] as const)),
      );
      const shape = (row: SandboxRow) => shown.get(row.id) as ReturnType<typeof summarise>;
      return pageAnswer(call, rows, (row) => [row.id], shape, total);
    },
  }),
  readRoute({
    path: "/v1/sandbox/messages/:id",
    scope: "campaigns:read",
    tag,
    summary: "Get a caught message",
    description: "With its headers, its HTML and its text.",
    params: Params,
    success: { status: 200, schema: SandboxMessage, description: "The message." },
    async handler({ ctx, principal, params }) {
      const row = await requireMessage(ctx, principal, params.id);
      const email = await read(row);
      const body = {
        ...summarise(owner, row, email),
        headers: email.headers.map(({ originalKey: name, value }) => ({ name, value: decodeWords(value) })),
        html: email.html ?? null,
        text: email.text ?? null,
        size: row.raw.length,
      };
      return { status: 200, body };
    },
  }),
  readRoute({
    path: "/v1/sandbox/messages/:id/raw",
    scope: "campaigns:read",
    tag,
    summary: "Get a caught message as it was sent",
    params: Params,
    success: {
      status: 200,
      schema: Type.String(),
      contentType: "message/rfc822",
      description: "The message, byte for byte.",
    },
    async handler({ ctx, principal, params }) {
      const { raw } = await requireMessage(ctx, principal, params.id);
      const headers = { "content-type": "message/rfc822" };
      return { status: 200, headers, stream: Readable.from([raw], { objectMode: false }) };
    },
  }),
  readRoute({
    path: "/v1/sandbox/messages/:id/html",
    scope: "campaigns:read",
    tag,
    summary: "Show a caught message",
    description:
      "Its HTML, or its text where it has none, as a page for a frame of the dashboard, under a policy by which nothing runs. Links open in a window of their own.",
    params: Params,
    query: Strict({
      pictures: Type.Optional(
        oneOf(["own", "all"], {
          description:
            "Only pictures from this instance, or all: other servers then learn who looks, and when.",
        }),
      ),
    }),
    success: {
      status: 200,
      schema: Type.String(),
      contentType: "text/html",
      description: "The page.",
    },
    async handler({ ctx, principal, params, query: { pictures = "own" } }) {
      const { html, text = "" } = await read(await requireMessage(ctx, principal, params.id));
      const source = html ?? `<!doctype html><pre style="white-space: pre-wrap">${escapeHtml(text)}</pre>`;
      const { headers, body } = authorFrame(source, { publicUrl: publicUrl(), pictures, links: "open" });
      return { status: 200, headers, stream: Readable.from([Buffer.from(body)], { objectMode: false }) };
    },
  }),
  writeRoute({
    method: "DELETE",
    path: "/v1/sandbox/messages",
    scope: "campaigns:write",
    audit: { action: "sandbox.emptied", of: "account" },
    tag,
    summary: "Empty the sandbox",
    description: "Of what the caller is shown there.",
    success: { status: 204, schema: null, description: "Gone." },
    async handler({ ctx, principal }) {
      await deleteMessages(ctx.sql, ctx.accountId, sightOf(principal));
      return { status: 204 };
    },
  }),
];

const sightOf = (principal: Principal): Sight => ({
  hasTransactional: hasScope(principal, "emails:read"),
  hasRecipients: hasScope(principal, "campaigns:recipients"),
  hasPrivate: hasScope(principal, "full"),
});

async function requireMessage(ctx: Ctx, principal: Principal, id: string): Promise<SandboxRow> {
  const row = await findMessage(ctx.sql, ctx.accountId, requireId("msg", id, "message"), sightOf(principal));
  if (!row) throw missing("message");
  return row;
}

function read({ raw }: SandboxRow): Promise<Email> {
  return readMessage(raw);
}

function summarise(owner: SandboxTools["owner"], row: SandboxRow, { subject }: Email) {
  const { stream, owner_id: ownerId } = row;
  const contactId = row.contact_id ?? undefined;
  const ids = stream && ownerId ? owner.idsInEvents({ stream, ownerId }, contactId) : {};
  return {
    object: "sandbox_message" as const,
    id: toPublicId("msg", row.id),
    campaign_id: ids["campaign_id"] ?? null,
    email_id: ids["email_id"] ?? null,
    from: row.envelope_from,
    to: row.envelope_to,
    subject: subject ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.created_at.toISOString(),
  };
}
