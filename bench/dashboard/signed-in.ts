/** Starts a service with made-up subscribers, and a browser in which somebody is signed in to its dashboard. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { makeFresh } from "../../src/dashboard/build.ts";
import { launchChromium } from "../../test/support/browser.ts";
import type { Setting } from "../harness/bench.ts";
import { SECRET_KEY, startService } from "../harness/service.ts";
import { type Generated, generate } from "../subscribers/generate.ts";
import { type Api, clientOf, comeIn } from "./browser-client.ts";

export type SignedIn = {
  readonly api: Api;
  readonly page: Page;
  readonly generated: Generated;
  readonly databaseUrl: string;
  readonly stop: () => Promise<void>;
};

type Wanted = {
  /** The name of the bench, which its database gets too. */
  readonly name: string;
  readonly people: number;
  readonly roles: string;
};

export async function startSignedIn(setting: Setting, { name, people, roles }: Wanted): Promise<SignedIn> {
  await makeFresh();
  const databaseUrl = await setting.postgres.createDatabase(`bench_${name}`);
  const dataDir = join(setting.folder, "data-of-generate");
  mkdirSync(dataDir);
  const env = { DATABASE_URL: databaseUrl, SECRET_KEY, DATA_DIR: dataDir };
  const generated = await generate(env, people, setting.note);
  const { program, port } = await startService({
    databaseUrl,
    folder: setting.folder,
    roles,
    env: { RATE_LIMIT_PER_MINUTE: "10000000" },
  });
  const browser = await launchChromium().catch(async (error) => {
    await program.stop();
    throw error;
  });
  const stop = async () => {
    await browser.close();
    await program.stop();
  };
  try {
    const api = clientOf(`http://127.0.0.1:${port}`, generated.key);
    const page = await browser.newPage({ viewport: { width: 1_440, height: 900 } });
    await comeIn(page, api);
    return { api, page, generated, databaseUrl, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
