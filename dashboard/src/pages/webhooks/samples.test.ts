import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { Webhook } from "standardwebhooks";
import { curlOf, sampleIn } from "./samples.ts";

const SECRET = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD0PMyfO9hQ0Y=";
const FORMER = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=";
const BODY = `{"type":"campaign.sent","data":{"says":"Grüße, 'quoted' \\"twice\\" $(id) 🐎"}}`;

type Signed = { readonly headers: Record<string, string>; readonly body: string };

function signed(ageSeconds = 0, secrets: readonly string[] = [SECRET]): Signed {
  const at = new Date(Date.now() - 1_000 * ageSeconds);
  const signatures = secrets.map((secret) => new Webhook(secret).sign("evt_1", at, BODY));
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const headers = {
    "webhook-id": "evt_1",
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" "),
  };
  return { headers, body: BODY };
}

const changed = (headers: Record<string, string>): Signed => {
  const good = signed();
  return { ...good, headers: { ...good.headers, ...headers } };
};

/** Each request, and whether a receiver takes it. */
const CASES: readonly (readonly [name: string, request: Signed, isGood: boolean])[] = [
  ["what is signed now", signed(), true],
  ["two signatures, of which the second is ours", signed(0, [FORMER, SECRET]), true],
  ["what is signed with another secret", signed(0, [FORMER]), false],
  ["what is ten minutes old", signed(600), false],
  ["what is ten minutes ahead", signed(-600), false],
  ["another body", { ...signed(), body: BODY.replace("sent", "Sent") }, false],
  ["another id", changed({ "webhook-id": "evt_2" }), false],
  ["no signature", changed({ "webhook-signature": "" }), false],
  ["a signature of letters that no base64 has", changed({ "webhook-signature": "v1,é 🐎 v1" }), false],
  ["no time", changed({ "webhook-timestamp": "" }), false],
  ["a time that is none", changed({ "webhook-timestamp": "now" }), false],
  [
    "a signature of another version",
    changed({ "webhook-signature": signed().headers["webhook-signature"]?.replace("v1,", "v1a,") ?? "" }),
    false,
  ],
];

function inFolder<T>(work: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "postrider-samples-"));
  const clear = () => rmSync(folder, { recursive: true, force: true });
  const result = work(folder);
  if (result instanceof Promise) return result.finally(clear) as T;
  clear();
  return result;
}

/** Says why a test is skipped where one of the commands isn't there; false where all are. */
function skipWithout(...commands: readonly string[]): string | false {
  const missing = commands.find((one) => spawnSync("sh", ["-c", `command -v ${one}`]).status !== 0);
  return missing ? `${missing} isn't there` : false;
}

type Verify = (secret: string, headers: Pick<Headers, "get">, body: string) => boolean;

describe("the code that verifies a signature", () => {
  test("in TypeScript takes what is well signed, and nothing else", () =>
    inFolder(async (folder) => {
      const file = join(folder, "verify.ts");
      writeFileSync(file, sampleIn("typescript", ""));
      const { verify } = (await import(file)) as { verify: Verify };
      for (const [name, { headers, body }, isGood] of CASES) {
        const given = { get: (header: string) => headers[header] ?? null };
        assert.equal(verify(SECRET, given, body), isGood, name);
      }
    }));

  test("in Python takes what is well signed, and nothing else", { skip: skipWithout("python3") }, () =>
    inFolder((folder) => {
      writeFileSync(join(folder, "verify.py"), sampleIn("python", ""));
      const script = `import json, sys
from verify import verify
secret, requests = json.load(sys.stdin)
print(json.dumps([verify(secret, one["headers"], one["body"].encode()) for one in requests]))`;
      const input = JSON.stringify([SECRET, CASES.map(([, request]) => request)]);
      const { stdout, stderr } = spawnSync("python3", ["-B", "-c", script], {
        input,
        cwd: folder,
        encoding: "utf8",
      });
      assert.equal(stderr, "");
      assert.deepEqual(
        JSON.parse(stdout),
        CASES.map(([, , isGood]) => isGood),
      );
    }),
  );

  test("with curl posts what is well signed, whatever stands in the address and the body", {
    skip: skipWithout("curl", "openssl", "base64", "od"),
  }, async () => {
    const received = Promise.withResolvers<Signed & { readonly url: string }>();
    const server = createServer(async (request, response) => {
      let body = "";
      for await (const chunk of request.setEncoding("utf8")) body += chunk;
      const headers = request.headers as Record<string, string>;
      received.resolve({ headers, body, url: request.url ?? "" });
      response.end("ok");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const { port } = server.address() as AddressInfo;
      const path = "/hooks?a={1,2}[3-4]&b='$(id)'";
      const script = curlOf({ url: `http://127.0.0.1:${port}${path}`, id: "evt_'1", body: BODY });
      const shell = spawn("sh", ["-eu"], { env: { PATH: process.env["PATH"], WEBHOOK_SECRET: SECRET } });
      const ended = new Promise((resolve) => shell.on("close", resolve));
      shell.stdin.end(script);
      assert.equal(await ended, 0);
      const { url, headers, body } = await received.promise;
      assert.equal(url, path);
      assert.equal(body, BODY);
      assert.equal(headers["webhook-id"], "evt_'1");
      assert.doesNotThrow(() => new Webhook(SECRET).verify(body, headers));
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
