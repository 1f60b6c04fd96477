import { shapeUpdatedBy } from "../../accounts/accounts.ts";
import { pageByAge } from "../../platform/http/paging/page-by-age.ts";
import { type Answer, type Route, readRoute, writeRoute } from "../../platform/http/route.ts";
import { PublicId, Strict } from "../../platform/http/schemas.ts";
import { requireId, toPublicId } from "../../platform/ids.ts";
import { missing } from "../../platform/problems.ts";
import {
  createMailbox,
  deleteMailbox,
  type MailboxTools,
  mailboxEtag,
  tooManyMailboxes,
  updateMailbox,
} from "./mailboxes.ts";
import { Mailbox, MailboxCreate, MailboxPage, MailboxPatch, MailboxQuery, MailboxTest } from "./schema.ts";
import { countMailboxes, findMailbox, listMailboxes, type MailboxRow } from "./store.ts";
import { readTrial, recordTry, tryMailbox } from "./try.ts";

const Params = Strict({ id: PublicId("mbx") });
const tag = "Mailboxes";
const read = "inbound:read";
const write = "inbound:write";

export function mailboxRoutes(tools: MailboxTools): readonly Route[] {
  return [
    readRoute({
      path: "/v1/inbound/mailboxes",
      scope: read,
      tag,
      summary: "List mailboxes",
      description: "The account's own IMAP mailboxes that are read for bounces and complaints, newest first.",
      query: MailboxQuery,
      success: { status: 200, schema: MailboxPage, description: "A page of mailboxes." },
      handler: (call) => pageByAge(call, { list: listMailboxes, count: countMailboxes, shape: shapeMailbox }),
    }),
    writeRoute({
      method: "POST",
      path: "/v1/inbound/mailboxes",
      scope: write,
      audit: { action: "mailbox.created", of: "answer" },
      tag,
      summary: "Make a mailbox",
      description:
        "It is looked into within seconds, and of what is there the newest thousand mails of the last 30 days are read. Mails that " +
        "are no report, complaint, unsubscribe or auto-reply are not kept. The password is kept encrypted and never shown again.",
      body: MailboxCreate,
      success: { status: 201, schema: Mailbox, description: "The mailbox." },
      problems: [tooManyMailboxes],
      async handler({ ctx, body, baseUrl }) {
        const answer = answerWith(await createMailbox(ctx, tools, body), 201);
        return { ...answer, headers: { location: `${baseUrl}/v1/inbound/mailboxes/${answer.body?.id}` } };
      },
    }),
    readRoute({
      path: "/v1/inbound/mailboxes/:id",
      scope: read,
      tag,
      summary: "Get a mailbox",
      params: Params,
      success: { status: 200, schema: Mailbox, description: "The mailbox." },
      async handler({ ctx, params }) {
        const row = await findMailbox(ctx.sql, ctx.accountId, mailboxId(params.id));
        if (!row) throw missing("mailbox");
        return answerWith(row, 200);
      },
    }),
    writeRoute({
      method: "PATCH",
      path: "/v1/inbound/mailboxes/:id",
      scope: write,
      audit: { action: "mailbox.updated", of: "path" },
      tag,
      summary: "Edit a mailbox",
      description:
        "Another host, port, TLS or user name wants the password again. Of another folder or server the newest mails are read, as on " +
        "making it.",
      params: Params,
      body: MailboxPatch,
      success: { status: 200, schema: Mailbox, description: "The mailbox." },
      async handler({ ctx, params, body, ifMatch }) {
        return answerWith(await updateMailbox(ctx, tools, mailboxId(params.id), body, ifMatch), 200);
      },
    }),
    writeRoute({
      method: "DELETE",
      path: "/v1/inbound/mailboxes/:id",
      scope: write,
      audit: { action: "mailbox.deleted", of: "path" },
      tag,
      summary: "Delete a mailbox",
      description: "Nothing is changed on the server. What was read of it stays for its 30 days.",
      params: Params,
      success: { status: 204, schema: null, description: "Gone." },
      async handler({ ctx, params }) {
        await deleteMailbox(ctx, mailboxId(params.id));
        return { status: 204 };
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/inbound/mailboxes/:id/test",
      scope: write,
      audit: { action: "mailbox.tested", of: "path" },
      tag,
      summary: "Test a mailbox",
      description:
        "Connects, begins TLS, signs in and opens the folder; within 15 seconds it says how far that went and what to do about it. " +
        "Where it went well, the mailbox is also read at once. Under the same idempotency key the first answer comes again, and the " +
        "server isn't asked anew.",
      params: Params,
      success: { status: 200, schema: MailboxTest, description: "What was found, good or bad." },
      prepare: ({ ctx, params }) => readTrial(ctx, mailboxId(params.id)),
      act: ({ ctx }, row) => tryMailbox(ctx, tools, row),
      async handler({ ctx }, tried) {
        return { status: 200, body: await recordTry(ctx, tried) };
      },
    }),
  ];
}

function mailboxId(text: string): string {
  return requireId("mbx", text, "mailbox");
}

function answerWith(row: MailboxRow, status: number): Answer<Mailbox> {
  return { status, body: shapeMailbox(row), etag: mailboxEtag(row) };
}

function shapeMailbox(row: MailboxRow): Mailbox {
  const { name, host, port, tls, username, folder, after, is_paused: paused } = row;
  return {
    object: "mailbox",
    id: toPublicId("mbx", row.id),
    name,
    host,
    port,
    tls,
    username,
    folder,
    after,
    paused,
    state: stateOf(row),
    last_checked_at: row.last_checked_at?.toISOString() ?? null,
    last_error:
      row.error_code && row.error_at
        ? { reason: row.error_code, text: row.error_text ?? "", at: row.error_at.toISOString() }
        : null,
    counts: { taken: row.count_taken, left: row.count_left, cut: row.count_cut },
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    updated_by: shapeUpdatedBy(row.updated_by),
  };
}

function stateOf({ is_paused, is_failing, last_checked_at }: MailboxRow): Mailbox["state"] {
  if (is_paused) return "paused";
  if (is_failing) return "failing";
  return last_checked_at ? "ok" : "waiting";
}
