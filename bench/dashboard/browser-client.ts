/** Speaks to a service that a bench has started: by its API, and by a browser in which somebody is signed in. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";

export type Api = {
  readonly baseUrl: string;
  // biome-ignore lint/suspicious/noExplicitAny: a bench reads answers of many shapes
  readonly send: (method: string, path: string, body?: unknown) => Promise<any>;
};

export function clientOf(baseUrl: string, key: string): Api {
  return {
    baseUrl,
    async send(method, path, body) {
      const response = await fetch(baseUrl + path, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body !== undefined && { "content-type": "application/json" }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      assert.ok(response.ok, `${method} ${path}: ${text}`);
      return JSON.parse(text);
    },
  };
}

export async function comeIn(page: Page, api: Api): Promise<void> {
  const invited = await api.send("POST", "/v1/invitations", { email: "bench@example.com", role: "owner" });
  const { pathname, hash } = new URL(invited.link);
  await page.goto(api.baseUrl + pathname + hash);
  await page.getByLabel("Password", { exact: true }).fill("correct horse battery staple");
  await page.getByRole("button", { name: "Open the dashboard" }).click();
  await page.waitForURL(`${api.baseUrl}/`);
}
