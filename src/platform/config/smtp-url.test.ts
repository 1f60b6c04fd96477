import assert from "node:assert/strict";
import { test } from "node:test";
import { parseSmtpUrl } from "./smtp-url.ts";

test("a relay is read from its address", () => {
  const cases: [string, ReturnType<typeof parseSmtpUrl>][] = [
    ["smtp://localhost:25", { host: "localhost", port: 25, implicitTls: false, credentials: undefined }],
    [
      "smtp://mail.example.com",
      { host: "mail.example.com", port: 587, implicitTls: false, credentials: undefined },
    ],
    [
      "smtps://me%40example.com:p%3Aw%25@mail.example.com/",
      {
        host: "mail.example.com",
        port: 465,
        implicitTls: true,
        credentials: { user: "me@example.com", password: "p:w%" },
      },
    ],
    ["smtp://[::1]:2525", { host: "::1", port: 2525, implicitTls: false, credentials: undefined }],
  ];
  for (const [text, relay] of cases) assert.deepEqual(parseSmtpUrl(text), relay, text);
});

test("what is no relay's address is refused without being quoted", () => {
  const wrong = [
    "mail.example.com",
    "http://mail.example.com",
    "smtp://",
    "smtp://mail.example.com/path",
    "smtp://mail.example.com?pool=1",
    "smtp://user@mail.example.com",
    "smtp://:hunter2@mail.example.com",
    "smtp://user:hunter2%@mail.example.com",
    "smtp://ma il.example.com",
    "smtp://mail.example.com:99999",
  ];
  for (const text of wrong) {
    assert.throws(
      () => parseSmtpUrl(text),
      (error: Error) => !error.message.includes("hunter2"),
      text,
    );
  }
});
