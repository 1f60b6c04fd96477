/** The programs of docs/webhooks.md verify what we sign and what the reference signs, and refuse everything else. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { Webhook } from "standardwebhooks";
import { newSecret, signedHeaders, signingKey } from "../../src/platform/net/webhook-signing.ts";
import { readMarkdown } from "../../tools/markdown.ts";
import { ROOT } from "../support/process.ts";

const run = promisify(execFile);
const ID = "evt_01k9zq4t3xe8k8y0v6d3m2n1pq";
const BODY = JSON.stringify({ id: ID, data: { name: "Zoë" } });

type Message = { readonly secret: string; readonly headers: Record<string, string>; readonly body: string };
/** Says whether a program of the page takes the message. */
type Verify = (message: Message) => Promise<boolean>;

let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), "postrider-samples-"));
  writeFileSync(join(folder, "package.json"), '{"type": "module"}');
  for (const [language, name] of [
    ["ts", "verify-webhook.ts"],
    ["python", "verify_webhook.py"],
    ["bash", "verify.sh"],
  ] as const)
    writeFileSync(join(folder, name), blockOf(language));
});
after(() => rmSync(folder, { recursive: true, force: true }));

function blockOf(language: string): string {
  const { code } = readMarkdown(readFileSync(join(ROOT, "docs/webhooks.md"), "utf8"));
  return code.find((one) => one.language === language)?.text ?? assert.fail(`the page has no ${language}`);
}

const ends = (work: Promise<unknown>) =>
  work.then(
    () => true,
    () => false,
  );

const byTypeScript: Verify = async ({ secret, headers, body }) => {
  const { verifyWebhook } = await import(join(folder, "verify-webhook.ts"));
  return ends(Promise.resolve().then(() => verifyWebhook(secret, headers, body)));
};

const byPython: Verify = (message) => {
  const program =
    "import json, sys; from verify_webhook import verify_webhook; m = json.loads(sys.argv[1]); " +
    "verify_webhook(m['secret'], m['headers'], m['body'].encode())";
  return ends(run("python3", ["-c", program, JSON.stringify(message)], { cwd: folder }));
};

const byShell: Verify = ({ secret, headers, body }) => {
  writeFileSync(join(folder, "body.json"), body);
  const {
    "webhook-id": id = "",
    "webhook-timestamp": at = "",
    "webhook-signature": signature = "",
  } = headers;
  const env = { PATH: process.env["PATH"], SECRET: secret, ID: id, TIMESTAMP: at, SIGNATURE: signature };
  return ends(run("bash", ["-euo", "pipefail", "verify.sh"], { cwd: folder, env }));
};

const missing = async (program: string, ...options: string[]) =>
  (await ends(run(program, options))) ? false : `there is no ${program} here`;

const samples: [string, Verify, string | false][] = [
  ["TypeScript", byTypeScript, false],
  ["Python", byPython, await missing("python3", "--version")],
  ["a shell", byShell, await missing("openssl", "version")],
];

for (const [language, verify, skip] of samples) {
  describe(`the sample in ${language}`, { skip }, () => {
    const secret = newSecret();
    const ours = (): Message => ({
      secret,
      headers: { ...signedHeaders([newSecret(), secret].map(signingKey), ID, new Date(), Buffer.from(BODY)) },
      body: BODY,
    });

    it("takes what we sign, by either of two secrets", async () => {
      assert.equal(await verify(ours()), true);
    });

    it("takes what the reference signs", async () => {
      const at = new Date();
      const headers = {
        "webhook-id": ID,
        "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
        "webhook-signature": new Webhook(secret).sign(ID, at, BODY),
      };
      assert.equal(await verify({ secret, headers, body: BODY }), true);
    });

    it("refuses another body, another id and another secret", async () => {
      assert.equal(await verify({ ...ours(), body: `${BODY} ` }), false);
      const { headers } = ours();
      assert.equal(await verify({ ...ours(), headers: { ...headers, "webhook-id": "evt_other" } }), false);
      assert.equal(await verify({ ...ours(), secret: newSecret() }), false);
    });
  });
}
