/** This file reads the options of `postrider imports create` and draws its progress bar. */
import type { FileImport } from "../subscribers/subscribers.ts";

type Values = Readonly<Record<string, string | boolean | undefined>>;

/** The options become a body as the API takes it. The import itself says what is wrong with them. */
export function readImportOptions(values: Values): Record<string, unknown> {
  const mapping = entries(values["map"]);
  const source = values["consent-source"];
  return {
    list_id: values["list"] ?? "",
    ...(values["on-conflict"] !== undefined && { on_conflict: values["on-conflict"] }),
    ...(typeof values["tags"] === "string" && { tags: values["tags"].split(",").map((tag) => tag.trim()) }),
    ...(mapping && { mapping }),
    ...((values["attested"] === true || source !== undefined) && {
      consent: { attested: values["attested"] === true, ...(source !== undefined && { source }) },
    }),
    ...(values["dry-run"] === true && { dry_run: true }),
  };
}

function entries(text: string | boolean | undefined): Record<string, string> | undefined {
  if (typeof text !== "string") return undefined;
  return Object.fromEntries(
    text.split(",").map((pair) => {
      const at = pair.lastIndexOf("=");
      return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
    }),
  );
}

const WIDTH = 30;

export function drawProgress({ status, counts, progress }: FileImport): void {
  drawBar({
    what: "rows",
    done: counts.processed,
    total: counts.total ?? 0,
    perSecond: progress.rows_per_second,
    eta: progress.eta === null ? null : new Date(progress.eta),
    percent: progress.percent,
  });
  const isOver = status !== "pending" && status !== "running";
  if (isOver && process.stderr.isTTY === true) process.stderr.write("\n");
}

type Bar = {
  readonly what: string;
  readonly done: number;
  readonly total: number;
  readonly perSecond: number | null;
  readonly eta: Date | null;
  /** It is given where it differs from `done` of `total`. */
  readonly percent?: number;
};

/** On a terminal it overwrites the same line. Elsewhere it draws nothing, because a bar would fill a log. */
export function drawBar({ what, done, total, perSecond, eta, percent }: Bar): void {
  if (process.stderr.isTTY !== true) return;
  const share = percent ?? (total === 0 ? 0 : (100 * done) / total);
  const filled = Math.round((share / 100) * WIDTH);
  const bar = `${"█".repeat(filled)}${"░".repeat(WIDTH - filled)}`;
  const number = (value: number) => value.toLocaleString("en-GB");
  const rate = perSecond === null ? "" : `, ${number(perSecond)}/s`;
  const left = eta === null ? "" : `, ${Math.max(0, Math.ceil((eta.getTime() - Date.now()) / 1_000))} s left`;
  process.stderr.write(
    `\r\x1b[K${bar} ${share.toFixed(1)} %  ${what}: ${number(done)} of ${number(total)}${rate}${left}`,
  );
}
