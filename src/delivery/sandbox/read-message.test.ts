import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { composeMessage } from "../../mail/mime/mime.ts";
import { readMessage, withoutAttachments } from "./read-message.ts";

const QUOTED = "Somebody wrote:\r\n\r\nContent-Disposition: attachment\r\n";
const attachment = (size: number) => ({
  filename: "large.bin",
  contentType: "application/octet-stream",
  content: Buffer.alloc(size, "attached"),
});

function compose(size: number): Buffer {
  return composeMessage({
    from: { address: "news@letters.example" },
    to: [{ address: "ada@example.com" }],
    subject: ["A large mail"],
    text: [QUOTED],
    html: ["<p>Hello</p>"],
    attachments: size === 0 ? [] : [attachment(size)],
    boundary: "postrider_0",
    date: new Date(0),
    messageId: "1@letters.example",
    values: [],
  });
}

describe("a caught message", () => {
  it("with a large attachment is read without it", async () => {
    const raw = compose(2_000_000);
    assert.ok(withoutAttachments(raw).length < 5_000);
    const { subject, text, html, attachments } = await readMessage(raw);
    assert.equal(subject, "A large mail");
    assert.match(text ?? "", /Somebody wrote:\s+Content-Disposition: attachment/);
    assert.equal(html?.trim(), "<p>Hello</p>");
    assert.equal(attachments.length, 0);
  });

  it("without one is left as it is, also where its text quotes such a line", () => {
    const raw = compose(0);
    assert.ok(raw.includes("Content-Disposition"));
    assert.equal(withoutAttachments(raw), raw);
  });
});
