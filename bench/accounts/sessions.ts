/** Compares requests by a session with the same requests by a key, of one service. */
import assert from "node:assert/strict";
import type { Result, Setting } from "../harness/bench.ts";
import { type Contest, judgeContest, runInTurns } from "../harness/compare.ts";
import { type Load, runLoad, warmUp } from "../harness/load.ts";
import { measure } from "../harness/meter.ts";
import { startAccountService } from "./service.ts";

const CONNECTIONS = 32;
const LEAD_IN_SECONDS = 0.3;
/** A key is cached for moments and a session is asked for each time, so that a removed member is refused at once. */
const ASKED = 0.5;

export async function* sessionFigures(setting: Setting): AsyncIterable<Result> {
  const service = await startAccountService(setting, "sessions");
  try {
    const authorization = `authorization: Bearer ${service.key}`;
    const invited = await service.ask(
      "/v1/invitations",
      { email: "owner@example.com", role: "owner" },
      { authorization: `Bearer ${service.key}` },
    );
    assert.equal(invited.status, 201, invited.text);
    const token = new URL(JSON.parse(invited.text).link).hash.slice(1);
    const cookie = `cookie: ${await redeem(service.baseUrl, token)}`;
    const load = (header: string): Load => ({
      port: service.port,
      connections: CONNECTIONS,
      status: 200,
      request: () => `GET /v1/account HTTP/1.1\r\nhost: 127.0.0.1\r\n${header}\r\n\r\n`,
    });
    const turn = (one: Load) => async () => {
      await runLoad(one, LEAD_IN_SECONDS);
      return measure(setting.postgres, service.program.pid, () => runLoad(one, setting.sizes.seconds));
    };
    const [bySession, byKey] = [load(cookie), load(authorization)];
    await warmUp(bySession);
    await warmUp(byKey);
    const contest: Contest = {
      name: "GET by a session, against a key",
      unit: "request",
      asked: ASKED,
      ours: turn(bySession),
      reference: turn(byKey),
    };
    yield judgeContest(contest, await runInTurns(contest, setting));
  } finally {
    await service.stop();
  }
}

/** Sets a password by a link and returns the cookie of the session. */
async function redeem(baseUrl: string, token: string): Promise<string> {
  const response = await fetch(`${baseUrl}/v1/password_links/redeem`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: baseUrl },
    body: JSON.stringify({ token, password: "correct horse battery staple" }),
  });
  assert.equal(response.status, 201, await response.text());
  const cookie = /^__Host-postrider_session=[^;]+/.exec(response.headers.getSetCookie().at(-1) ?? "")?.[0];
  assert.ok(cookie, "the answer sets no session");
  return cookie;
}
