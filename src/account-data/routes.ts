/** The routes by which owners take everything that their account has with them, and have it deleted. */
import { Type } from "typebox";
import { noSession, stillMay } from "../accounts/accounts.ts";
import type { Db, DbOptions } from "../platform/db/db.ts";
import { type Principal, type Route, readRoute, writeRoute } from "../platform/http/route.ts";
import { toPublicId } from "../platform/ids.ts";
import { AppError, confirmationRequired, missing } from "../platform/problems.ts";
import {
  cancelDeletion,
  type DeletionRow,
  findDeletion,
  GRACE_DAYS,
  requestDeletion,
} from "./deleting/deleting.ts";
import { createExporter } from "./exporting/exporting.ts";
import { deletionStarted, exportRunning } from "./problems.ts";
import { AccountDeletion, AccountDeletionCreate } from "./schema.ts";

const tag = "Account";

type Options = {
  readonly db: Db;
  readonly connection: DbOptions["connection"];
  readonly secretKeys: readonly string[];
};

export function accountDataRoutes(options: Options): readonly Route[] {
  return [...exportRoutes(options), ...deletionRoutes];
}

function exportRoutes({ db, connection, secretKeys }: Options): readonly Route[] {
  const exporter = createExporter();
  const scope = "account:export";
  return [
    readRoute({
      path: "/v1/account/export",
      scope,
      needsConfirmation: true,
      audit: { action: "account.exported", of: "account" },
      tag,
      summary: "Export everything that the account has",
      description:
        "One JSON object a line, each with its `object` and ids as everywhere else, all as they were at one moment. The first line says what isn't " +
        "in it, and why; secrets never are. The last line (`account_export_end`) has the number of each kind and the SHA-256 of all lines " +
        "before it: without that line it was broken off. Images are in it, in base64. Owners alone may do this, and it is recorded in the audit log.",
      success: {
        status: 200,
        schema: Type.String(),
        contentType: "application/jsonl",
        description: "The export.",
      },
      problems: [confirmationRequired, exportRunning],
      async handler({ ctx, principal, signal }) {
        const { accountId, clock, log } = ctx;
        const mayStill = () => stillMay(db, principal, scope, clock.now());
        const exporting = { connection, secretKeys, clock, log, accountId, signal, mayStill };
        const stream = exporter.open(exporting);
        const day = clock.now().toISOString().slice(0, 10);
        const headers = {
          "content-type": "application/jsonl; charset=utf-8",
          "content-disposition": `attachment; filename="account-${day}.jsonl"`,
          // Proxies that gather what they pass on are told not to.
          "x-accel-buffering": "no",
        };
        return { status: 200, headers, stream };
      },
    }),
  ];
}

const deletionPath = "/v1/account/deletion";
/** Owners alone have it. */
const ownersScope = "full";

const deletionRoutes: readonly Route[] = [
  readRoute({
    path: deletionPath,
    scope: "account:read",
    tag,
    summary: "Get the deletion of the account",
    description: "404 where nobody has asked for it.",
    success: { status: 200, schema: AccountDeletion, description: "When the account will be deleted." },
    async handler({ ctx }) {
      const found = await findDeletion(ctx.sql, ctx.accountId);
      if (!found) throw missing("deletion");
      return { status: 200, body: shapeDeletion(found) };
    },
  }),
  writeRoute({
    method: "POST",
    path: deletionPath,
    scope: ownersScope,
    audit: { action: "account.deletion_requested", of: "account" },
    needsConfirmation: true,
    worksWhileHeld: true,
    tag,
    summary: "Delete the account",
    description:
      `Nothing is sent from now on, and changes are answered with 403 \`deletion_pending\`; reading and exporting work as before. After ${GRACE_DAYS} days ` +
      "everything is deleted for good, with the people who belong to no other account. Until then an owner can take it back with DELETE. Owners are " +
      "told by mail. Only people do this, not keys, and they repeat the account's name. A second request changes nothing. No other account takes the " +
      "place of the instance's first one.",
    body: AccountDeletionCreate,
    success: { status: 201, schema: AccountDeletion, description: "When the account will be deleted." },
    alsoAnswers: [200],
    problems: [noSession],
    async handler({ ctx, body, principal }) {
      refuseKeys(principal);
      const { deletion, isNew } = await requestDeletion(ctx, body.name);
      const shaped = shapeDeletion(deletion);
      return isNew ? { status: 201, body: shaped } : { status: 200, body: shaped, changedNothing: true };
    },
  }),
  writeRoute({
    method: "DELETE",
    path: deletionPath,
    scope: ownersScope,
    audit: { action: "account.deletion_canceled", of: "account" },
    needsConfirmation: true,
    worksWhileHeld: true,
    tag,
    summary: "Take the deletion of the account back",
    description: "The account is as it was, and what was under way goes on.",
    success: { status: 204, schema: null, description: "It won't be deleted." },
    problems: [noSession, deletionStarted],
    async handler({ ctx, principal }) {
      refuseKeys(principal);
      await cancelDeletion(ctx);
      return { status: 204 };
    },
  }),
];

/** A key that was stolen can't do it, nor a program by mistake. */
function refuseKeys({ sessionId }: Principal): void {
  if (!sessionId) throw new AppError(noSession, "an account is deleted by people, not by an API key");
}

function shapeDeletion(row: DeletionRow): AccountDeletion {
  return {
    object: "account_deletion",
    id: toPublicId("acc", row.account_id),
    status: row.started_at ? "running" : "pending",
    requested_by: row.requested_by,
    due_at: row.due_at.toISOString(),
    created_at: row.requested_at.toISOString(),
    updated_at: (row.started_at ?? row.requested_at).toISOString(),
  };
}
