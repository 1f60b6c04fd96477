/** Makes forms for tests, and sends them in as browsers and scripts do. */
import assert from "node:assert/strict";
import { type Challenge, solveChallenge } from "altcha-lib";
import { deriveKey } from "altcha-lib/algorithms/pbkdf2";
import { sql } from "../../src/platform/db/db.ts";
import type { TestApp } from "./app.ts";
import type { Json } from "./subscribers.ts";
import { until } from "./until.ts";

export async function makeForm(
  app: TestApp,
  listId: string,
  body: Json = {},
): Promise<Json & { id: string }> {
  const made = await app.api("POST", "/v1/forms", { body: { name: "Sign-up", list_id: listId, ...body } });
  assert.equal(made.status, 201, made.text);
  return made.body;
}

export type Sent = { status: number; headers: Headers; text: string };

/** Sends it as a browser without a script does. */
export async function sendForm(
  app: TestApp,
  formId: string,
  values: Readonly<Record<string, string>>,
  headers: Record<string, string> = {},
): Promise<Sent> {
  const response = await fetch(`${app.baseUrl}/f/${formId}`, {
    method: "POST",
    body: new URLSearchParams(values),
    headers: { accept: "text/html", ...headers },
    redirect: "manual",
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** All that the page sends beside what people fill in. */
export async function hiddenOf(
  app: TestApp,
  formId: string,
  language = "en",
): Promise<Record<string, string>> {
  const page = await fetch(`${app.baseUrl}/f/${formId}`, { headers: { "accept-language": language } });
  const shown = /name="form-shown" value="([^"]+)"/.exec(await page.text())?.[1];
  assert.ok(shown, "the page says what it shows");
  return { "form-shown": shown };
}

export async function solve(app: TestApp, formId: string): Promise<string> {
  const answer = await fetch(`${app.baseUrl}/f/${formId}/challenge`);
  const challenge = (await answer.json()) as Challenge;
  const solution = await solveChallenge({ challenge, deriveKey });
  return Buffer.from(JSON.stringify({ challenge, solution })).toString("base64");
}

/** Waits until all that was sent in is carried out. */
export async function untilTaken(app: TestApp): Promise<void> {
  await until(async () => (await app.db.many(sql`select from form_submissions`)).length === 0);
}
