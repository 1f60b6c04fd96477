import type { TestContext } from "node:test";
import { createSmtpPool, type SmtpOptions, type SmtpPool } from "../../../src/mail/smtp/smtp.ts";
import { type Script, type ScriptedServer, startScriptedServer } from "./scripted-server.ts";

/** Starts a scripted server and a pool that connects to it; both end with the test. */
export async function startPool(
  t: TestContext,
  script: Script = {},
  options: Partial<SmtpOptions> = {},
): Promise<{ server: ScriptedServer; pool: SmtpPool }> {
  const server = await startScriptedServer(script);
  const backOff = { firstMs: 1, maxMs: 1 };
  const pool = createSmtpPool({
    host: "127.0.0.1",
    port: server.port,
    name: "tests.example",
    backOff,
    ...options,
  });
  t.after(async () => {
    await pool.close();
    await server.close();
  });
  return { server, pool };
}
