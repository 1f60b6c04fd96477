/** A mail that takes long, because it is large or its server slow, keeps no other mail of the account waiting. */
import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { test } from "node:test";
import { createApp } from "../support/app.ts";
import { sendEmail, untilStatus } from "../support/emails.ts";
import { startScriptedServer } from "../support/smtp/scripted-server.ts";
import { until } from "../support/until.ts";

test("a large mail to a slow server keeps no other waiting", async () => {
  // The body that comes first gets no answer until the test ends.
  const server = await startScriptedServer({
    EHLO: "250-test\r\n250 8BITMIME",
    dot: [() => undefined, "250 ok"] as readonly (string | ((peer: Socket) => unknown))[],
  });
  const app = await createApp({ settings: { SMTP_URL: `smtp://127.0.0.1:${server.port}` } });
  try {
    const content = Buffer.alloc(12 * 1_048_576, 7).toString("base64");
    await sendEmail(app, { to: ["large@slow.example"], attachments: [{ filename: "a.bin", content }] });
    await until(() => server.messages.length === 1);
    const { id } = await sendEmail(app, { to: ["quick@example.com"] });
    await untilStatus(app, id, "sent");
    assert.equal(server.messages.length, 2);
  } finally {
    await server.close();
    await app.stop();
  }
});
