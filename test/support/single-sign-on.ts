/** Acts as people who sign in by single sign-on, and as the providers that they come from: a real one, and one that lies. */
import assert from "node:assert/strict";
import { createSign, generateKeyPairSync, type KeyObject } from "node:crypto";
import { createServer, type RequestListener, type Server } from "node:http";
import Provider, { type FindAccount } from "oidc-provider";
import type { Reply, TestApp } from "./app.ts";
import { type Browser, cookieOf, openBrowser, setToken } from "./people.ts";
import { freePort } from "./ports.ts";

export const CLIENT_ID = "postrider";
const CLIENT_SECRET = "a secret of the client that has enough characters";

/** The app has to know its own address before it starts, and the provider the app's. */
export async function ssoSettings(
  issuer: string,
  port: number,
  more: Record<string, string> = {},
): Promise<Record<string, string>> {
  return {
    PORT: String(port),
    BASE_URL: `http://127.0.0.1:${port}`,
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: CLIENT_ID,
    OIDC_CLIENT_SECRET: CLIENT_SECRET,
    OIDC_NAME: "Fernhill login",
    ...more,
  };
}

type Said = Record<string, unknown> & { sub: string };

export type TestProvider = {
  readonly issuer: string;
  /** What it says of whom, by their login. */
  readonly people: Map<string, Said>;
  stop(): Promise<void>;
};

/** Starts a real provider, whose pages take any login that `people` has. */
export async function startProvider(redirectUrl: string): Promise<TestProvider> {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const people = new Map<string, Said>();
  const findAccount: FindAccount = async (_ctx, subject) => {
    const said = people.get(subject);
    return said && { accountId: subject, claims: () => said };
  };
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: [redirectUrl],
        response_types: ["code"],
        grant_types: ["authorization_code"],
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), kid: "one", alg: "RS256", use: "sig" }] },
    cookies: { keys: ["a key of the provider's own cookies"] },
    scopes: ["openid", "email", "profile", "groups"],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"], groups: ["groups"] },
    pkce: { required: () => true },
    ttl: {
      Session: 600,
      Grant: 600,
      Interaction: 600,
      AccessToken: 600,
      IdToken: 600,
      AuthorizationCode: 60,
    },
    findAccount,
  });
  const server = await listen(port, provider.callback());
  return { issuer, people, stop: () => close(server) };
}

async function listen(port: number, listener: RequestListener): Promise<Server> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return server;
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

/** Goes through the pages of the real provider as a browser does, and returns the parameters that it leads back with. */
export async function passProvider(authorizationUrl: string, login: string): Promise<Record<string, string>> {
  const cookies = new Map<string, string>();
  const ask = async (url: string, form?: Record<string, string>) => {
    const response = await fetch(url, {
      method: form ? "POST" : "GET",
      redirect: "manual",
      headers: { cookie: [...cookies].map((pair) => pair.join("=")).join("; ") },
      ...(form && { body: new URLSearchParams(form) }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    return response;
  };
  let url = authorizationUrl;
  for (let step = 0; step < 10; step++) {
    const response = await ask(url);
    const location = response.headers.get("location");
    if (location) {
      url = new URL(location, url).href;
      if (new URL(url).pathname === "/sign-in/sso") return Object.fromEntries(new URL(url).searchParams);
      continue;
    }
    const page = await response.text();
    assert.equal(response.status, 200, page);
    const prompt = page.includes('name="login"') ? "login" : "consent";
    const form = prompt === "login" ? { prompt, login, password: "any" } : { prompt };
    const next = await ask(url, form);
    url = new URL(next.headers.get("location") ?? "", url).href;
    if (new URL(url).pathname === "/sign-in/sso") return Object.fromEntries(new URL(url).searchParams);
  }
  throw new Error("the provider never led back");
}

export type Liar = {
  readonly issuer: string;
  /** What the ID token says beside issuer, audience, times and nonce; a field here wins over those. */
  claims: Record<string, unknown>;
  /** How the token is signed; `none` has no signature. */
  alg: "RS256" | "none" | "HS256";
  /** Signs with a key that it doesn't publish. */
  usesForeignKey: boolean;
  /** What the user info says; undefined has no such address. */
  userInfo: Record<string, unknown> | undefined;
  /** The status of every answer from now on, or `hang` for none at all. */
  fault: number | "hang" | undefined;
  /** How often each path was asked for. */
  readonly asked: Map<string, number>;
  /** What the token endpoint was last sent. */
  lastToken: URLSearchParams | undefined;
  stop(): Promise<void>;
};

/** Starts a provider that says what the test wants. It gives a token for any code. */
export async function startLiar(): Promise<Liar> {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const own = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const foreign = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const nonces = new Map<string, string>();
  const liar: Liar = {
    issuer,
    claims: {},
    alg: "RS256",
    usesForeignKey: false,
    userInfo: undefined,
    fault: undefined,
    asked: new Map(),
    lastToken: undefined,
    stop: () => close(server),
  };
  const tokenFor = (code: string) => {
    const now = Math.floor(Date.now() / 1_000);
    const usual = { iss: issuer, aud: CLIENT_ID, iat: now, exp: now + 300, nonce: nonces.get(code) };
    const key = liar.usesForeignKey ? foreign.privateKey : own.privateKey;
    return signToken({ ...usual, ...liar.claims }, liar.alg, key);
  };
  const answers: Record<string, (url: URL, body: string) => unknown> = {
    "/.well-known/openid-configuration": () => ({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/userinfo`,
      jwks_uri: `${issuer}/jwks`,
      id_token_signing_alg_values_supported: ["RS256", "none", "HS256"],
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      authorization_response_iss_parameter_supported: true,
    }),
    "/jwks": () => ({
      keys: [{ ...own.publicKey.export({ format: "jwk" }), kid: "one", alg: "RS256", use: "sig" }],
    }),
    "/token": (_url, body) => {
      liar.lastToken = new URLSearchParams(body);
      const idToken = tokenFor(liar.lastToken.get("code") ?? "");
      return { access_token: "an access token", token_type: "Bearer", expires_in: 60, id_token: idToken };
    },
    "/userinfo": () => liar.userInfo ?? {},
  };
  const server = await listen(port, (request, response) => {
    const url = new URL(request.url ?? "/", issuer);
    liar.asked.set(url.pathname, (liar.asked.get(url.pathname) ?? 0) + 1);
    if (liar.fault === "hang") return;
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      const answer = liar.fault === undefined ? answers[url.pathname]?.(url, body) : undefined;
      response.writeHead(answer ? 200 : ((liar.fault as number | undefined) ?? 404), {
        "content-type": "application/json",
      });
      response.end(JSON.stringify(answer ?? {}));
    });
  });
  return Object.assign(liar, {
    /** Remembers the nonce of a sign-in under the code that it will be redeemed with. */
    remember: (code: string, nonce: string) => nonces.set(code, nonce),
  });
}

function signToken(claims: Record<string, unknown>, alg: string, key: KeyObject): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const content = `${part({ alg, kid: "one", typ: "JWT" })}.${part(claims)}`;
  if (alg !== "RS256") return `${content}.`;
  return `${content}.${createSign("sha256").update(content).sign(key).toString("base64url")}`;
}

export type SsoBrowser = Browser & {
  /** The cookie that binds the sign-in; empty before one was begun. */
  binding: string;
  /** Begins, and returns where the browser is sent to. */
  begin(body?: Record<string, unknown>): Promise<{ reply: Reply; url: URL }>;
  /** Gives the service what the provider answered. */
  finish(answer: Record<string, string>): Promise<Reply>;
};

export function openSsoBrowser(app: Pick<TestApp, "api" | "baseUrl">): SsoBrowser {
  const plain = openBrowser(app);
  const post = (path: string, body: unknown) => {
    const parts = [
      plain.token && cookieOf(plain.token),
      browser.binding && `__Host-postrider_sso=${browser.binding}`,
    ];
    const headers = { origin: app.baseUrl, cookie: parts.filter(Boolean).join("; ") };
    return app.api("POST", path, { key: null, body, headers });
  };
  const browser: SsoBrowser = Object.assign(plain, {
    binding: "",
    async begin(body: Record<string, unknown> = {}) {
      const reply = await post("/v1/session/sso", body);
      const [cookie = ""] = reply.headers.getSetCookie();
      browser.binding = /^__Host-postrider_sso=([^;]+)/.exec(cookie)?.[1] ?? browser.binding;
      return { reply, url: new URL(reply.body.authorization_url ?? "http://none.invalid/") };
    },
    async finish(answer: Record<string, string>) {
      const reply = await post("/v1/session/sso/callback", answer);
      plain.token = setToken(reply) ?? plain.token;
      return reply;
    },
  });
  return browser;
}

let codes = 0;

/** Begins a sign-in with the liar, which keeps the nonce for the code; the answer is as an honest provider would give it. */
export async function beginWithLiar(
  browser: SsoBrowser,
  liar: Liar,
  body?: Record<string, unknown>,
): Promise<{ state: string; code: string; iss: string }> {
  const { reply, url } = await browser.begin(body);
  assert.equal(reply.status, 201, reply.text);
  const code = `code-${++codes}`;
  (liar as Liar & { remember(code: string, nonce: string): void }).remember(
    code,
    url.searchParams.get("nonce") ?? "",
  );
  return { state: url.searchParams.get("state") ?? "", code, iss: liar.issuer };
}

/** Signs in with the liar from beginning to end. */
export async function signInWithLiar(
  app: Pick<TestApp, "api" | "baseUrl">,
  liar: Liar,
  claims: Record<string, unknown>,
  begin?: Record<string, unknown>,
): Promise<{ browser: SsoBrowser; reply: Reply }> {
  const browser = openSsoBrowser(app);
  liar.claims = claims;
  const reply = await browser.finish(await beginWithLiar(browser, liar, begin));
  return { browser, reply };
}
