import type { Export } from "../../api/openapi.ts";

/** The path on this site: the address in the answer is the public one, which may be another than the one that is open here. */
export function downloadPath({ download_url }: Export): string | undefined {
  if (!download_url) return undefined;
  const { pathname, search } = new URL(download_url);
  return pathname + search;
}

/** The service answers with an attachment, so the page stays. */
export function startDownload(one: Export): void {
  const path = downloadPath(one);
  if (path) followDownload(path);
}

/** Takes an address of this site whose answer is an attachment. */
export function followDownload(path: string): void {
  const link = document.createElement("a");
  link.href = path;
  link.download = "";
  link.click();
}
