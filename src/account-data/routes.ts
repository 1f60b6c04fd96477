/** The routes by which owners take everything that their account has with them, and have it deleted. */
import { Type } from "typebox";
import { stillMay } from "../accounts/accounts.ts";
import { createAuditRecorder } from "../audit/audit.ts";
import type { Db } from "../platform/db/db.ts";
import { auditOrigin } from "../platform/http/audit-records.ts";
import { type Route, readRoute } from "../platform/http/route.ts";
import { confirmationRequired } from "../platform/problems.ts";
import type { Secrets } from "../platform/secrets.ts";
import { createExporter } from "./exporting/exporting.ts";
import { exportRunning } from "./problems.ts";

const tag = "Account";

export function accountDataRoutes({
  db,
  secrets,
}: {
  readonly db: Db;
  readonly secrets: Secrets;
}): readonly Route[] {
  const exporter = createExporter();
  const scope = "account:export";
  return [
    readRoute({
      path: "/v1/account/export",
      scope,
      needsConfirmation: true,
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
      async handler({ ctx, principal, client, signal }) {
        const { accountId, clock, log } = ctx;
        exporter.refuseSecond(accountId);
        await db.transaction(async (tx) =>
          createAuditRecorder(clock)(tx, [
            {
              accountId,
              actor: principal.actor,
              action: "account.exported",
              targetId: null,
              fields: [],
              origin: auditOrigin(client),
            },
          ]),
        );
        const stream = exporter.open({
          db,
          clock,
          log,
          secrets,
          accountId,
          signal,
          mayStill: () => stillMay(db, principal, scope, clock.now()),
        });
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
