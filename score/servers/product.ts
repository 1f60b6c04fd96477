/** Runs our own program as people do, each role in a process of its own, which can be killed at any moment and started again. */
import { setTimeout as sleep } from "node:timers/promises";
import { keyIn, killOne, makeInstallation, type Service, waitUntil } from "../../test/support/process.ts";
import { findPort } from "./processes.ts";

const ROLES = {
  api: "api,public",
  jobs: "jobs",
  "first sender": "sender",
  "second sender": "sender",
} as const;
export type ProcessName = keyof typeof ROLES;
const NAMES = Object.keys(ROLES) as ProcessName[];

// biome-ignore lint/suspicious/noExplicitAny: scorers read answers of many shapes
type Answer = { readonly status: number; readonly text: string; readonly body: any };

export type Product = {
  /** Throws where nobody answers, as after a kill. */
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Asks again while nobody answers, and throws unless the answer is a success. */
  must(method: string, path: string, body?: unknown): Promise<Answer["body"]>;
  /** Ends the process by SIGKILL and starts it again. */
  killAndRestart(name: ProcessName): Promise<void>;
  stop(): Promise<void>;
};

const SECRET_KEY = "a secret key for scorers of 32 characters or more";

export async function startProduct(settings: Record<string, string>): Promise<Product> {
  const installation = makeInstallation();
  const port = String(await findPort());
  const running = new Map<ProcessName, Service>();
  const start = (name: ProcessName): Service => {
    const env = {
      ROLES: ROLES[name],
      SECRET_KEY,
      RATE_LIMIT_PER_MINUTE: "1000000",
      LOG_LEVEL: "info",
      ...(name === "api" && { PORT: port }),
      ...settings,
    };
    const service = installation.start({ via: "node", env });
    running.set(name, service);
    return service;
  };
  try {
    const first = start("api");
    await first.ready();
    await waitUntil("a first start prints a key", () => keyIn(first.stdout()) !== undefined);
    const key = keyIn(first.stdout()) ?? "";
    for (const name of NAMES) if (name !== "api") start(name);
    const ask = createAsk(`http://127.0.0.1:${port}`, key);
    return {
      ask,
      must: (method, path, body) => insist(() => ask(method, path, body), `${method} ${path}`),
      async killAndRestart(name) {
        const service = running.get(name);
        if (!service) throw new Error(`there is no ${name}`);
        killOne(service.pid, "SIGKILL");
        await service.ended;
        start(name);
      },
      stop: () => installation.clear(),
    };
  } catch (error) {
    await installation.clear();
    throw error;
  }
}

function createAsk(baseUrl: string, key: string): Product["ask"] {
  return async (method, path, body, headers = {}) => {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = /json/.test(response.headers.get("content-type") ?? "");
    return { status: response.status, text, body: isJson && text ? JSON.parse(text) : undefined };
  };
}

const PATIENCE_MS = 120_000;

async function insist(ask: () => Promise<Answer>, what: string): Promise<Answer["body"]> {
  const deadline = performance.now() + PATIENCE_MS;
  while (true) {
    const answer = await ask().catch((error: unknown) => error as Error);
    if (answer instanceof Error || answer.status >= 500) {
      if (performance.now() > deadline) throw new Error(`${what}: nobody answers`);
      await sleep(100);
    } else if (answer.status >= 300) throw new Error(`${what}: ${answer.text}`);
    else return answer.body ?? answer.text;
  }
}
