/** What `postrider imports create` needs beside the import itself: reading its options, and a bar that moves. */
import type { FileImport } from "./subscribers/subscribers.ts";

type Values = Readonly<Record<string, string | boolean | undefined>>;

/** As the API takes them; it also says what is wrong with them. */
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

/** On a terminal, over the same line again and again; elsewhere not at all, since a log wants no bars. */
export function drawProgress({ status, counts, progress }: FileImport): void {
  if (process.stderr.isTTY !== true) return;
  const filled = Math.round((progress.percent / 100) * WIDTH);
  const bar = `${"█".repeat(filled)}${"░".repeat(WIDTH - filled)}`;
  const number = (value: number) => value.toLocaleString("en-GB");
  const rate = progress.rows_per_second === null ? "" : `, ${number(progress.rows_per_second)} rows/s`;
  const seconds =
    progress.eta === null ? undefined : Math.max(0, (Date.parse(progress.eta) - Date.now()) / 1_000);
  const left = seconds === undefined ? "" : `, ${Math.ceil(seconds)} s left`;
  const line = `${bar} ${progress.percent.toFixed(1)} %  ${number(counts.processed)} of ${number(counts.total ?? 0)}${rate}${left}`;
  const isOver = status !== "pending" && status !== "running";
  process.stderr.write(`\r\x1b[K${line}${isOver ? "\n" : ""}`);
}
