import type { Reply, TestApp } from "./app.ts";
import { until } from "./until.ts";

export type Options = Record<string, unknown>;

/** Builds the form as a browser or curl would send it. */
function formOf(options: unknown, file: string | Buffer, name = "people.csv"): FormData {
  const form = new FormData();
  form.append("options", typeof options === "string" ? options : JSON.stringify(options));
  form.append("file", new Blob([Buffer.from(file)]), name);
  return form;
}

export async function upload(
  app: Pick<TestApp, "baseUrl" | "key">,
  options: unknown,
  file: string | Buffer,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const response = await fetch(`${app.baseUrl}/v1/imports`, {
    method: "POST",
    headers: { authorization: `Bearer ${app.key}`, ...headers },
    body: formOf(options, file),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: text ? JSON.parse(text) : undefined,
  };
}

/** Waits until the import is over, and returns it. */
// biome-ignore lint/suspicious/noExplicitAny: an answer of the API
export async function finished(app: Pick<TestApp, "api">, id: string): Promise<any> {
  let body: { status: string } = { status: "" };
  await until(async () => {
    body = (await app.api("GET", `/v1/imports/${id}`)).body;
    return !["pending", "running", "undoing"].includes(body.status);
  });
  return body;
}

// biome-ignore lint/suspicious/noExplicitAny: an answer of the API
export async function importFile(app: TestApp, options: Options, file: string | Buffer): Promise<any> {
  const made = await upload(app, options, file);
  if (made.status !== 202) throw new Error(`${made.status} ${made.text}`);
  return finished(app, made.body.id);
}

export async function makeList(app: TestApp, more: Options = {}): Promise<string> {
  return (await app.api("POST", "/v1/lists", { body: { name: "Import", ...more } })).body.id;
}
