/** Plays an authenticator app, by an implementation that isn't ours. */
import assert from "node:assert/strict";
import { Secret, TOTP } from "otpauth";
import type { Browser } from "./people.ts";

const STEP_MS = 30_000;

export type TestFactor = {
  readonly id: string;
  readonly recoveryCodes: readonly string[];
  /** The code at a time, or some steps before or after it. */
  code(now: Date, steps?: number): string;
};

export function appWith(secret: string): (now: Date, steps?: number) => string {
  const totp = new TOTP({ secret: Secret.fromBase32(secret), algorithm: "SHA1", digits: 6, period: 30 });
  return (now, steps = 0) => totp.generate({ timestamp: now.getTime() + steps * STEP_MS });
}

/** Sets up an app for whoever is signed in, and activates it with the code of the step before, so that the present one is unused. */
export async function addApp(browser: Browser, now: Date): Promise<TestFactor> {
  const made = await browser.send("POST", "/v1/factors", { type: "totp", name: "Phone" });
  assert.equal(made.status, 201, made.text);
  const code = appWith(made.body.secret);
  const activate = (steps: number) =>
    browser.send("POST", `/v1/factors/${made.body.id}/activate`, { code: code(now, steps) });
  let activated = await activate(-1);
  // Where the clock has reached the next step meanwhile, what was the present one is the one before.
  if (activated.status === 422) activated = await activate(0);
  assert.equal(activated.status, 200, activated.text);
  return { id: made.body.id, recoveryCodes: activated.body.recovery_codes ?? [], code };
}
