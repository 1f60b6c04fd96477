import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { dkimVerify } from "mailauth/lib/dkim/verify.js";
import { loadDkimKey, publicKeyRecord } from "../../src/mail/dkim/dkim.ts";
import { StartupError } from "../../src/platform/startup-error.ts";
import { createApp, type TestApp, WITH_UNSUBSCRIBE } from "../support/app.ts";
import { act, makeCampaign, readCampaign } from "../support/campaigns.ts";
import { type ScriptedServer, startScriptedServer } from "../support/smtp/scripted-server.ts";
import { addSubscriber, makeList } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

describe("mail from a domain that DKIM_KEYS names", () => {
  const folder = mkdtempSync(join(tmpdir(), "postrider-dkim-"));
  const file = join(folder, "example.org.pem");
  let app: TestApp;
  let relay: ScriptedServer;
  let record: string;
  before(async () => {
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const pem = privateKey.export({ type: "pkcs8", format: "pem" }) as string;
    writeFileSync(file, pem, { mode: 0o600 });
    const loaded = loadDkimKey({ domain: "example.org", selector: "mail", pem });
    assert.ok(loaded.ok);
    record = publicKeyRecord(loaded.key);
    relay = await startScriptedServer();
    const settings = { SMTP_URL: `smtp://127.0.0.1:${relay.port}`, DKIM_KEYS: `example.org:mail:${file}` };
    app = await createApp({ settings, served: WITH_UNSUBSCRIBE });
  });
  after(async () => {
    await app.stop();
    await relay.close();
    rmSync(folder, { recursive: true });
  });

  const verdictsOn = async (message: Buffer | undefined) => {
    assert.ok(message);
    const resolver = async (name: string) => (name === "mail._domainkey.example.org" ? [[record]] : []);
    const { results } = await dkimVerify(message, { resolver, strict: true });
    return results.map(({ signingDomain, status }) => [signingDomain, status.result]);
  };

  test("is signed, of a campaign as of its test", async () => {
    const listId = await makeList(app);
    await app.api("PATCH", `/v1/lists/${listId}`, { body: { postal_address: "1 High Street, London" } });
    await addSubscriber(app, listId, "ada@example.com");
    const { id } = await makeCampaign(app, listId, { from_email: "news@example.org" });
    const tried = await act(app, id, "test", { to: ["me@example.com"] });
    assert.ok(tried.status < 300, tried.text);
    await until(() => relay.messages.length === 1);
    await act(app, id, "send");
    await until(async () => (await readCampaign(app, id)).status === "sent");
    assert.equal(relay.messages.length, 2);
    for (const message of relay.messages)
      assert.deepEqual(await verdictsOn(message), [["example.org", "pass"]]);
  });

  const broken = join(folder, "broken.pem");
  const faults: readonly [string, string, RegExp][] = [
    [
      "a file that isn't there",
      `example.org:mail:${join(folder, "none.pem")}`,
      /none\.pem, which can't be read/,
    ],
    ["a file that is no key", `example.org:mail:${broken}`, /isn't a key in PEM/],
    ["a domain that is none", `example:mail:${file}`, /isn't a domain name/],
  ];
  for (const [name, value, told] of faults) {
    test(`with ${name} the start fails, and says why`, async () => {
      writeFileSync(broken, "nothing");
      const starting = createApp({ settings: { DKIM_KEYS: value }, databaseUrl: app.databaseUrl });
      await assert.rejects(starting, (error) => error instanceof StartupError && told.test(error.message));
    });
  }
});
