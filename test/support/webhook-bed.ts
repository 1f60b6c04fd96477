/** What every test of webhook delivery begins with: an app, a clock that stands still, and endpoints that are gone after each test. */
import { after, afterEach, before } from "node:test";
import type { TestApp } from "./app.ts";
import { createTestClock, type TestClock } from "./clock.ts";
import type { Json } from "./subscribers.ts";
import {
  type Answer,
  createApiApp,
  type Endpoint,
  type Engine,
  type EngineOptions,
  startEndpoint,
  startEngine,
  writeEvents,
} from "./webhook-engine.ts";
import { makeWebhook } from "./webhooks.ts";

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

export type WebhookBed = {
  readonly app: TestApp;
  readonly clock: TestClock;
  /** Starts a server and makes an endpoint of it. */
  listen(answer: Answer, settings?: Json): Promise<{ endpoint: Endpoint; hook: Json }>;
  /** Makes an endpoint of a server that the test runs, and closes that with it. */
  makeHook(body: Json): Promise<Json>;
  closes(endpoint: { close(): Promise<void> }): void;
  start(options?: EngineOptions): Engine;
  /** Stops all engines. */
  stop(): Promise<void>;
  write(numbers: readonly number[], type?: Parameters<typeof writeEvents>[2]): Promise<void>;
  readHook(hook: Json): Promise<Json>;
};

/** Registers hooks, so it stands at the top of a file; `bed.app` is there once a test runs. */
export function useWebhookBed(settings: Record<string, string> = {}): WebhookBed {
  const clock = createTestClock();
  let app: TestApp;
  let engines: Engine[] = [];
  let open: { close(): Promise<void> }[] = [];
  let made: Json[] = [];
  before(async () => {
    app = await createApiApp({ clock, settings });
  });
  after(() => app.stop());
  afterEach(async () => {
    for (const { id } of made) await app.api("DELETE", `/v1/webhooks/${id}`);
    await stop();
    for (const one of open) await one.close();
    [open, made] = [[], []];
  });

  async function stop(): Promise<void> {
    const running = engines;
    engines = [];
    for (const engine of running) await engine.stop();
  }

  async function makeHook(body: Json): Promise<Json> {
    const hook = await makeWebhook(app, { events: ["list.updated"], ...body });
    made.push(hook);
    return hook;
  }

  return {
    get app() {
      return app;
    },
    clock,
    async listen(answer, more = {}) {
      const endpoint = await startEndpoint(answer);
      open.push(endpoint);
      return { endpoint, hook: await makeHook({ url: endpoint.url, ...more }) };
    },
    makeHook,
    closes: (endpoint) => void open.push(endpoint),
    start(options = {}) {
      const engine = startEngine(app, { clock, ...options });
      engines.push(engine);
      return engine;
    },
    stop,
    write: (numbers, more) => writeEvents(app, numbers, { clock, ...more }),
    readHook: async ({ id }) => (await app.api("GET", `/v1/webhooks/${id}`)).body,
  };
}
