import assert from "node:assert/strict";
import { test } from "node:test";
import { fromDomainOf } from "./header-from.ts";

const of = (header: string) => fromDomainOf(Buffer.from(`${header}\r\n\r\nFrom: body@wrong.example\r\n`));

test("the domain in From is found, wherever the field stands and however it is folded", () => {
  assert.equal(of("Date: x\r\nFrom: news@Example.org\r\nTo: a@b.example"), "example.org");
  assert.equal(of('FROM: "Ada, from: x@no.example" <ada@example.org>\r\nTo: a@b.example'), "example.org");
  assert.equal(of("From: =?utf-8?q?Ada?=\r\n <ada@example.org>\r\nTo: a@b.example"), "example.org");
});

test("a message without From, or without an address in it, has none", () => {
  assert.equal(of("To: a@b.example"), undefined);
  assert.equal(of("From: nobody"), undefined);
  assert.equal(fromDomainOf(Buffer.alloc(0)), undefined);
});
