import { pageAnswer } from "../platform/http/paging/cursor.ts";
import { type Route, readRoute, uploadRoute, writeRoute } from "../platform/http/route.ts";
import { PageQuery, PublicId, Strict } from "../platform/http/schemas.ts";
import { requireId, toPublicId } from "../platform/ids.ts";
import { missing } from "../platform/problems.ts";
import { createFile, deleteFile, refuseOverQuota, type UsedBy } from "./files.ts";
import { MOST_BYTES } from "./images.ts";
import { fileInUse, filesBusy, filesQuotaExceeded, invalidImage } from "./problems.ts";
import { createReceive } from "./receive.ts";
import { File, FilePage } from "./schema.ts";
import { type FileRow, findFile, listFiles, readTotals } from "./store.ts";

const Params = Strict({ id: PublicId("fil") });
const tag = "Files";
const read = "files:read";
const write = "files:write";

export function fileRoutes(deps: {
  /** Where recipients reach the files. */
  readonly publicUrl: () => string;
  readonly usedBy: readonly UsedBy[];
}): readonly Route[] {
  const receive = createReceive();
  const shape = (row: FileRow) => shapeFile(row, deps.publicUrl());
  return [
    readRoute({
      path: "/v1/files",
      scope: read,
      tag,
      summary: "List files",
      description: "Newest first.",
      query: PageQuery({}),
      success: { status: 200, schema: FilePage, description: "A page of files." },
      async handler(call) {
        const { ctx, query, after } = call;
        const [rows, totals] = await Promise.all([
          listFiles(ctx.sql, ctx.accountId, { limit: query.limit + 1, after }),
          query.include_total ? readTotals(ctx.sql, ctx.accountId) : undefined,
        ]);
        return pageAnswer(call, rows, (row) => [row.created_at.toISOString(), row.id], shape, totals?.files);
      },
    }),
    uploadRoute({
      path: "/v1/files",
      scope: write,
      audit: { action: "file.created", of: "answer" },
      tag,
      summary: "Upload an image",
      description:
        "A PNG, JPEG, GIF or WebP of up to 10 MB and 25 million pixels, as `multipart/form-data` with the one part `file`. What it " +
        "is decides its content, not its name. It is decoded and encoded anew: animations stay animated, the orientation is " +
        "applied, and metadata such as the place of a photograph is left out. Anybody who has its `url` can see it.",
      mostBytes: MOST_BYTES,
      success: { status: 201, schema: File, description: "The file, at its address." },
      problems: [invalidImage, filesQuotaExceeded, filesBusy],
      async receive({ ctx }, file) {
        refuseOverQuota((await readTotals(ctx.sql, ctx.accountId)).bytes, 1);
        const received = await receive(ctx.accountId, file);
        return { received, sha256: received.sha256 };
      },
      discard: async () => undefined,
      async handler({ ctx, baseUrl }, received) {
        const made = shape(await createFile(ctx, received));
        return { status: 201, body: made, headers: { location: `${baseUrl}/v1/files/${made.id}` } };
      },
    }),
    readRoute({
      path: "/v1/files/:id",
      scope: read,
      tag,
      summary: "Get a file",
      description: "What is known of it; the image itself is at its `url`.",
      params: Params,
      success: { status: 200, schema: File, description: "The file." },
      async handler({ ctx, params }) {
        const row = await findFile(ctx.sql, ctx.accountId, fileId(params.id));
        if (!row) throw missing("file");
        return { status: 200, body: shape(row) };
      },
    }),
    writeRoute({
      method: "DELETE",
      path: "/v1/files/:id",
      scope: write,
      audit: { action: "file.deleted", of: "path" },
      tag,
      summary: "Delete a file",
      description:
        "Its address answers 404 from then on; what others have cached stays with them. Refused while something shows it.",
      params: Params,
      success: { status: 204, schema: null, description: "Gone." },
      problems: [fileInUse],
      async handler({ ctx, params }) {
        await deleteFile(ctx, deps.usedBy, fileId(params.id));
        return { status: 204 };
      },
    }),
  ];
}

function fileId(text: string): string {
  return requireId("fil", text, "file");
}

function shapeFile(row: FileRow, publicUrl: string): File {
  const id = toPublicId("fil", row.id);
  return {
    object: "file",
    id,
    name: row.name,
    content_type: row.content_type,
    bytes: row.bytes,
    width: row.width,
    height: row.height,
    url: `${publicUrl}/files/${id}`,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
