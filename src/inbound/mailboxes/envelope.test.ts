import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readEnvelope } from "./envelope.ts";

describe("the traces of an envelope", () => {
  const OURS = `b${"0123456789abcdefghjkmnpqrstvwxyz".repeat(2).slice(0, 62)}`;
  const named = { sourceId: "s", contactId: "c", kind: "bounce" as const };
  const read = (head: string) =>
    readEnvelope(Buffer.from(`${head}\r\n\r\nDelivered-To: ${OURS}@x\r\n`), "a", (localPart, accountId) =>
      accountId === "a" && localPart.toLowerCase() === OURS ? named : null,
    );

  it("say who sent it, and whose return path it came to", () => {
    for (const field of ["Delivered-To", "X-Original-To", "envelope-to", "To"])
      assert.deepEqual(read(`Return-Path: <>\r\n${field}: <${OURS.toUpperCase()}@bounces.example.com>`), {
        envelopeFrom: "",
        addressed: named,
      });
    assert.equal(read("Return-Path: <ada@example.com>").envelopeFrom, "ada@example.com");
  });

  it("are none in the body, in other fields, or where the address isn't ours", () => {
    const none = { envelopeFrom: null, addressed: null };
    assert.deepEqual(read("Subject: hello"), none);
    assert.deepEqual(read(`Subject: ${OURS}@x`), none);
    assert.deepEqual(read(`To: b${"7".repeat(62)}@x`), none);
    assert.deepEqual(read(`To: x${OURS}@x`), none);
  });

  it("are found in no time, whatever the head looks like", () => {
    const head = `To: ${"b".repeat(60_000)}\r\n ${" ".repeat(60_000)}`;
    assert.deepEqual(read(head).addressed, null);
  });
});
