import { Type } from "typebox";
import type { Ctx } from "../../platform/context.ts";
import { refuseMissingScope } from "../../platform/http/access-control.ts";
import { CHANGES_NOTHING } from "../../platform/http/audit.ts";
import { pageByAge } from "../../platform/http/paging/page-by-age.ts";
import { type Route, readRoute, uploadRoute, writeRoute } from "../../platform/http/route.ts";
import { PageQuery, PublicId, Strict } from "../../platform/http/schemas.ts";
import { requireId } from "../../platform/ids.ts";
import { missing } from "../../platform/problems.ts";
import { allFields } from "../fields/fields.ts";
import { invalidState } from "../problems.ts";
import { streamChecked, streamErrors } from "./errors-csv.ts";
import {
  cancelImport,
  canSuppress,
  createImport,
  MOST_UPLOAD_BYTES,
  receiveFile,
  undoImport,
} from "./import-life.ts";
import { countImports, findImport, type ImportRowInDb, listImports } from "./import-store.ts";
import { previewFile } from "./preview.ts";
import { ImportPreview, PreviewOptions } from "./preview-schema.ts";
import { type ProgressHints, streamProgress } from "./progress.ts";
import { type Plan, SAMPLE_BYTES } from "./reading/reading.ts";
import { Import, ImportOptions, ImportPage } from "./schema.ts";
import { shapeImport } from "./shape.ts";
import { removeUpload } from "./upload.ts";

const Params = Strict({ id: PublicId("imp") });
const tag = "Imports";
const read = "subscribers:read";
const write = "subscribers:write";

export function importRoutes(deps: { uploadDir: string; hints: ProgressHints }): readonly Route[] {
  return [
    readRoute({
      path: "/v1/imports",
      scope: read,
      tag,
      summary: "List imports",
      description: "Newest first.",
      query: PageQuery({}),
      success: { status: 200, schema: ImportPage, description: "A page of imports." },
      handler(call) {
        const { sql, accountId, clock } = call.ctx;
        const shape = allFields(sql, accountId).then(
          (fields) => (row: ImportRowInDb) => shapeImport(row, fields, clock),
        );
        return pageByAge(call, { list: listImports, count: countImports, shape });
      },
    }),
    uploadRoute({
      path: "/v1/imports",
      scope: write,
      audit: { action: "import.created", of: "answer" },
      tag,
      summary: "Import a file",
      description:
        "A CSV of up to 2 GB, as `multipart/form-data`: first the part `options` as JSON, then the part `file`. Delimiter, encoding, " +
        "header and columns are found out unless you name them, and exports of other services are recognised. An address that opted " +
        "out stays opted out, whatever the file says, and who has left, bounced or complained there does so here. No confirmation " +
        "is ever sent: on a list that asks for one, `consent.attested` is required, save for a dry run. A file that can't be read to its end is refused " +
        "before its first row is imported. Where a column or `default_status` can suppress addresses, which holds in the whole account, the scope " +
        "`suppressions:write` is needed too. There is no event for each row, but `import.completed` or `import.failed` at the end.",
      body: ImportOptions,
      mostBytes: MOST_UPLOAD_BYTES,
      success: { status: 202, schema: Import, description: "The import, about to run." },
      async receive({ ctx, body, principal }, file) {
        const permit = (plan?: Plan) => {
          if (canSuppress(body, plan)) refuseMissingScope(principal, "suppressions:write");
        };
        permit();
        const received = await receiveFile(ctx, deps.uploadDir, body, file, permit);
        return { received, sha256: received.sha256 };
      },
      discard: ({ path }) => removeUpload(path),
      async handler({ ctx, body, baseUrl }, received) {
        const made = await shape(ctx, await createImport(ctx, body, received));
        return { status: 202, body: made, headers: { location: `${baseUrl}/v1/imports/${made.id}` } };
      },
    }),
    uploadRoute({
      path: "/v1/imports/preview",
      scope: write,
      audit: CHANGES_NOTHING,
      tag,
      summary: "Preview an import",
      description:
        "Send the start of a file, 256 KB or so, and get what an import would make of it: whose export it is, what each column is, " +
        "what each status means, and the first rows. Nothing is stored. `mapping` and the rest of the answer are what " +
        "`POST /v1/imports` takes.",
      body: PreviewOptions,
      mostBytes: SAMPLE_BYTES,
      // People's data must not lie among the kept answers.
      shownOnce: ["rows"],
      success: { status: 200, schema: ImportPreview, description: "What the file looks like." },
      async receive({ ctx, body }, file) {
        const { preview, sha256 } = await previewFile(ctx, body, file);
        return { received: preview, sha256 };
      },
      discard: async () => undefined,
      handler: async (_call, preview) => ({ status: 200, body: preview }),
    }),
    readRoute({
      path: "/v1/imports/:id",
      scope: read,
      tag,
      summary: "Get an import",
      params: Params,
      success: { status: 200, schema: Import, description: "The import as it stands." },
      async handler({ ctx, params }) {
        return { status: 200, body: await shape(ctx, await required(ctx, params.id)) };
      },
    }),
    readRoute({
      path: "/v1/imports/:id/progress",
      scope: read,
      tag,
      summary: "Watch an import",
      description:
        "Server-sent events: `progress` with the import whenever it has moved, and at last `done`. Then the stream ends.",
      params: Params,
      success: {
        status: 200,
        schema: Type.String(),
        description: "A stream of events, each with an import as its data.",
        contentType: "text/event-stream",
      },
      async handler({ ctx, params, signal }) {
        const { id } = await required(ctx, params.id);
        const look = async () => {
          const row = await findImport(ctx.sql, ctx.accountId, id);
          return row && shape(ctx, row);
        };
        return {
          status: 200,
          stream: streamProgress(deps.hints, id, look, signal),
          headers: { "content-type": "text/event-stream; charset=utf-8", "x-accel-buffering": "no" },
        };
      },
    }),
    readRoute({
      path: "/v1/imports/:id/errors",
      scope: read,
      audit: { action: "import.errors_downloaded", of: "path" },
      tag,
      summary: "Download the rows that failed",
      description:
        "As CSV: row number, column, code and detail, then the cells as they stood in the file. The first 100,000, which " +
        "are kept for 30 days. Cells that a spreadsheet might run have an apostrophe before them, which an import takes off again.",
      params: Params,
      success: { status: 200, schema: Type.String(), description: "The rows.", contentType: "text/csv" },
      async handler({ ctx, params, principal }) {
        const row = await required(ctx, params.id);
        if (row.options.target === "suppressions") refuseMissingScope(principal, "suppressions:read");
        const name = `${params.id}-errors.csv`;
        return {
          status: 200,
          stream: streamErrors(ctx, row),
          headers: {
            "content-type": "text/csv; charset=utf-8",
            "content-disposition": `attachment; filename="${name}"`,
          },
        };
      },
    }),
    readRoute({
      path: "/v1/imports/:id/checks",
      scope: read,
      audit: { action: "import.checks_downloaded", of: "path" },
      tag,
      summary: "Download the rows that may not be reached",
      description:
        "As CSV: row number, `risky` or `bad`, the reasons and the address that may have been meant, then the cells as they stood in the file. These " +
        "rows were imported; what `skip_bad` left out is among the failed. The first 100,000, which are kept for 30 days.",
      params: Params,
      success: { status: 200, schema: Type.String(), description: "The rows.", contentType: "text/csv" },
      async handler({ ctx, params }) {
        const row = await required(ctx, params.id);
        return {
          status: 200,
          stream: streamChecked(ctx, row),
          headers: {
            "content-type": "text/csv; charset=utf-8",
            "content-disposition": `attachment; filename="${params.id}-checks.csv"`,
          },
        };
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/imports/:id/cancel",
      scope: write,
      audit: { action: "import.canceled", of: "path" },
      tag,
      summary: "Cancel an import",
      description: "Stops after the batch in progress. What is imported by then stays; `undo` takes it away.",
      params: Params,
      success: { status: 200, schema: Import, description: "The import, canceled." },
      problems: [invalidState],
      async handler({ ctx, params }) {
        return { status: 200, body: await shape(ctx, await cancelImport(ctx, idOf(params.id))) };
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/imports/:id/undo",
      scope: write,
      audit: { action: "import.undone", of: "path" },
      tag,
      summary: "Undo an import",
      description:
        "Removes the subscribers that this import made and that nothing has touched since. Subscribers that it only updated keep " +
        "what it gave them: what was there before isn't kept. Opt-outs and suppressions stay, because they are people's wishes; " +
        "an import of suppressions can't be undone.",
      params: Params,
      success: { status: 202, schema: Import, description: "The import, being undone." },
      problems: [invalidState],
      async handler({ ctx, params }) {
        return { status: 202, body: await shape(ctx, await undoImport(ctx, idOf(params.id))) };
      },
    }),
  ];
}

function idOf(text: string): string {
  return requireId("imp", text, "import");
}

async function required(ctx: Ctx, text: string): Promise<ImportRowInDb> {
  const row = await findImport(ctx.sql, ctx.accountId, idOf(text));
  if (!row) throw missing("import");
  return row;
}

async function shape(ctx: Ctx, row: ImportRowInDb): Promise<Import> {
  return shapeImport(row, await allFields(ctx.sql, ctx.accountId), ctx.clock);
}
