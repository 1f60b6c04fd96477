/** Acts as people who use the service through a browser: it keeps cookies, and knows the ways to become a user. */
import assert from "node:assert/strict";
import { lockUser, makeOperatorLink, type ROLES } from "../../src/accounts/accounts.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { systemCtx } from "../../src/platform/context.ts";
import { sql } from "../../src/platform/db/db.ts";
import { requireId } from "../../src/platform/ids.ts";
import { createLog } from "../../src/platform/log.ts";
import type { Reply, TestApp } from "./app.ts";

const log = createLog({ level: "silent", pretty: false });
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

export type Role = (typeof ROLES)[number];
export type Person = { id: string; email: string; browser: Browser };

/** Invites a person by the app's key or another, and signs in by the link. */
export async function addPerson(
  app: TestApp,
  email: string,
  role: Role = "marketer",
  key = app.key,
): Promise<Person> {
  const made = await app.api("POST", "/v1/invitations", { key, body: { email, role } });
  assert.equal(made.status, 201, made.text);
  const browser = openBrowser(app);
  const token = await tokenOfInvitation(app, made.body);
  const reply = await browser.send("POST", "/v1/password_links/redeem", { token, password: PASSWORD });
  assert.equal(reply.status, 201, reply.text);
  return { id: reply.body.user.id, email, browser };
}

/** Takes the token from the answer, or makes another link as the operator's command does where the instance mails it. */
async function tokenOfInvitation(app: TestApp, invitation: { id: string; link: string | null }) {
  if (invitation.link) return tokenOfLink(invitation.link);
  const id = requireId("inv", invitation.id, "invitation");
  return app.db.transaction(async (tx) => {
    const { account_id } = await tx.one<{ account_id: string }>(
      sql`select account_id from users where id = ${id}`,
    );
    const user = await lockUser(tx, account_id, id);
    assert.ok(user);
    const { token } = await makeOperatorLink(systemCtx({ clock: systemClock, log }, tx, account_id), user);
    return token;
  });
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

/** Invites somebody who is known to another account, and accepts with their password. The browser then belongs to both. */
export async function joinAs(
  app: TestApp,
  person: Person,
  key: string,
  role: Role = "marketer",
): Promise<{ id: string; browser: Browser }> {
  const made = await app.api("POST", "/v1/invitations", { key, body: { email: person.email, role } });
  assert.equal(made.status, 201, made.text);
  const browser = openBrowser(app);
  const token = await tokenOfInvitation(app, made.body);
  const reply = await browser.send("POST", "/v1/password_links/redeem", { token, password: PASSWORD });
  assert.equal(reply.status, 201, reply.text);
  return { id: reply.body.user.id, browser };
}
