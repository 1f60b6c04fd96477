import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import type { SmtpOptions } from "./options.ts";
import { parseSmtpUrl } from "./url.ts";

test("a server is read from its address", () => {
  const cases: readonly [string, SmtpOptions][] = [
    ["smtp://mail.example.com", { host: "mail.example.com", port: 25, tls: "opportunistic" }],
    ["smtp://localhost:2525/", { host: "localhost", port: 2525, tls: "opportunistic" }],
    ["smtp://[::1]:2525", { host: "::1", port: 2525, tls: "opportunistic" }],
    ["smtp://localhost:25", { host: "localhost", port: 25, tls: "opportunistic" }],
    [
      "smtps://me%40example.com:p%3Aw%25@mail.example.com/",
      {
        host: "mail.example.com",
        port: 465,
        tls: "implicit",
        credentials: { user: "me@example.com", password: "p:w%" },
      },
    ],
    ["smtps://mail.example.com", { host: "mail.example.com", port: 465, tls: "implicit" }],
    [
      "smtp://me%40example.com:p%3Aw%25%C3%A9@mail.example.com?tls=required&auth=cram-md5",
      {
        host: "mail.example.com",
        port: 587,
        tls: "required",
        credentials: { user: "me@example.com", password: "p:w%é", method: "CRAM-MD5" },
      },
    ],
    [
      "smtp://h?verify=false&name=a.example&servername=b.example&connections=7&messages=50&plaintext-auth=true&tls=never",
      {
        host: "h",
        port: 25,
        tls: "never",
        verifyCertificate: false,
        serverName: "b.example",
        name: "a.example",
        maxConnections: 7,
        maxMessagesPerConnection: 50,
        allowPlainTextAuth: true,
      },
    ],
  ];
  for (const [text, options] of cases) assert.deepEqual({ ...parseSmtpUrl(text) }, options, text);
});

test("the password is not shown by anything that prints the options", () => {
  const url = parseSmtpUrl("smtp://me:hunter2@[::1]?tls=required");
  for (const shown of [String(url), JSON.stringify({ url }), inspect(url), inspect({ url })]) {
    assert.match(shown, /smtp:\/\/me:\*\*\*@\[::1\]:587\?tls=required/);
    assert.doesNotMatch(shown, /hunter2/);
  }
});

test("what is no server's address is refused without being quoted", () => {
  const wrong = [
    "",
    "mail.example.com",
    "http://mail.example.com",
    "smtp://",
    "smtp:mail.example.com",
    "smtp://mail.example.com/path",
    "smtp://mail.example.com#x",
    "smtp://mail.example.com:0",
    "smtp://mail.example.com:99999",
    "smtp://ma il.example.com",
    "smtp://user@mail.example.com",
    "smtp://:hunter2@mail.example.com",
    "smtp://user:hunter2%@mail.example.com",
    "smtp://user:hunter2%0d%0a@mail.example.com",
    "smtp://mail.example.com?pool=1",
    "smtp://mail.example.com?hunter2=1",
    "smtp://mail.example.com?tls=hunter2",
    "smtp://mail.example.com?tls=implicit",
    "smtp://mail.example.com?verify=1",
    "smtp://mail.example.com?connections=0",
    "smtp://mail.example.com?connections=5&connections=6",
    "smtp://mail.example.com?auth=plain",
    "smtps://mail.example.com?tls=required",
  ];
  for (const text of wrong) {
    assert.throws(
      () => parseSmtpUrl(text),
      (error: Error) => error.constructor === Error && !error.message.includes("hunter2"),
      text,
    );
  }
});
