/** Fetches the export of the account as it comes, so that a page can say how far it is and whether it is whole. */
import { ofAccount } from "./account.ts";
import { askToConfirm } from "./confirmation.ts";
import { ApiError, offline, readProblem } from "./problem.ts";

export type FetchedExport = { readonly file: Blob; readonly name: string; readonly lines: number };

/** Pieces are joined at this size: a browser keeps a large blob on its disk, and not in memory. */
const JOINED_BYTES = 8 * 1024 * 1024;
/** The last line is short, and is looked for in the end of what came. */
const TAIL_BYTES = 64 * 1024;

export async function fetchAccountExport(
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<FetchedExport> {
  const response = await open(signal);
  const parts: Blob[] = [];
  let pieces: Uint8Array<ArrayBuffer>[] = [];
  let [bytes, waiting] = [0, 0];
  const join = () => {
    parts.push(new Blob(pieces));
    pieces = [];
    waiting = 0;
  };
  const reader = response.body?.getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done || !value) break;
    pieces.push(value as Uint8Array<ArrayBuffer>);
    bytes += value.length;
    waiting += value.length;
    if (waiting >= JOINED_BYTES) join();
    onBytes(bytes);
  }
  join();
  const file = new Blob(parts, { type: "application/jsonl" });
  return { file, name: nameIn(response), lines: linesOf(await file.slice(-TAIL_BYTES).text()) };
}

async function open(signal: AbortSignal): Promise<Response> {
  for (;;) {
    const response = await fetch(ofAccount("/v1/account/export"), { signal }).catch((error: Error) => {
      if (signal.aborted) throw error;
      throw offline();
    });
    if (response.ok) return response;
    const problem = await readProblem(response);
    if (problem.code !== "confirmation_required" || !(await askToConfirm())) throw problem;
  }
}

function nameIn({ headers }: Response): string {
  return /filename="([^"]+)"/.exec(headers.get("content-disposition") ?? "")?.[1] ?? "account.jsonl";
}

/** Reads how many lines there are from the last one. Without it the export was broken off. */
function linesOf(tail: string): number {
  const last = tail.trimEnd().split("\n").at(-1) ?? "";
  try {
    const { object, lines } = JSON.parse(last) as { object?: string; lines?: number };
    if (object === "account_export_end" && lines !== undefined) return lines;
  } catch {
    // It ends within a line.
  }
  throw new ApiError({ code: "export_broken_off", detail: "" });
}
