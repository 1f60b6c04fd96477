/** Acts as people who use the service through a browser: it keeps cookies, and knows the ways to become a user. */
import assert from "node:assert/strict";
import type { Reply, TestApp } from "./app.ts";

export const PASSWORD = "correct horse battery staple";

export type Browser = {
  /** The token of the session; empty when signed out. */
  token: string;
  /** Sends the cookie and the `Origin` of our own pages, and keeps the cookie that comes back. */
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
};

export function openBrowser(app: Pick<TestApp, "api" | "baseUrl">, token = ""): Browser {
  const browser: Browser = {
    token,
    async send(method, path, body, headers) {
      const reply = await app.api(method, path, {
        key: null,
        ...(body !== undefined && { body }),
        headers: {
          origin: app.baseUrl,
          ...(browser.token && { cookie: cookieOf(browser.token) }),
          ...headers,
        },
      });
      browser.token = setToken(reply) ?? browser.token;
      return reply;
    },
  };
  return browser;
}

export function cookieOf(token: string): string {
  return `theme=dark; __Host-postrider_session=${token}; other=1`;
}

/** Returns the token that the answer sets, an empty text when it clears the cookie, or undefined when it does neither. */
export function setToken(reply: Reply): string | undefined {
  const last = reply.headers.getSetCookie().at(-1);
  return last && /^__Host-postrider_session=([^;]*)/.exec(last)?.[1];
}

export function tokenOfLink(link: string): string {
  return new URL(link).hash.slice(1);
}

/** Signs in as the first owner by the link of the first start. */
export async function setUpOwner(app: TestApp, email = "owner@example.com"): Promise<Browser> {
  const browser = openBrowser(app);
  const token = tokenOfLink(app.setupLink);
  const reply = await browser.send("POST", "/v1/password_links/redeem", { token, email, password: PASSWORD });
  assert.equal(reply.status, 201, reply.text);
  return browser;
}

export type Person = { id: string; email: string; browser: Browser };

/** Invites a person by the app's key or another, and signs in by the link. */
export async function addPerson(
  app: TestApp,
  email: string,
  role: "owner" | "member" = "member",
  key = app.key,
): Promise<Person> {
  const made = await app.api("POST", "/v1/users", { key, body: { email, role } });
  assert.equal(made.status, 201, made.text);
  const browser = openBrowser(app);
  const token = tokenOfLink(made.body.setup_link);
  const reply = await browser.send("POST", "/v1/password_links/redeem", { token, password: PASSWORD });
  assert.equal(reply.status, 201, reply.text);
  return { id: made.body.id, email, browser };
}

export async function signIn(
  app: Pick<TestApp, "api" | "baseUrl">,
  email: string,
  password = PASSWORD,
): Promise<{ browser: Browser; reply: Reply }> {
  const browser = openBrowser(app);
  const reply = await browser.send("POST", "/v1/session", { email, password });
  return { browser, reply };
}
