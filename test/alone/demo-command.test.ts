import assert from "node:assert/strict";
import { after, test } from "node:test";
import { assertOneLine, makeInstallation } from "../support/process.ts";

const installation = makeInstallation();
after(() => installation.clear());

test("`demo` without an account says how to make one", async () => {
  const ended = await installation.postrider(["demo"]);
  assert.equal(ended.code, 1);
  assertOneLine(ended, "there is no account yet");
});

test("`demo` seeds a list, sends a campaign to it by itself, and says where to look; the next one finds the list", async () => {
  const made = await installation.postrider(["accounts", "create", "--name", "Demo"]);
  assert.equal(made.code, 0, made.stderr);
  const first = await installation.postrider(["demo", "--people", "300"], { PORT: "4000" });
  assert.equal(first.code, 0, first.stderr);
  assert.match(first.stdout, /^300 people added to the list Demo \(lst_\w{26}\)\n/);
  // Two of the people have addresses that the sandbox refuses.
  assert.match(first.stdout, /298 of 300 sent in [\d.]+ s, .*; 2 refused/);
  // The demo reads 60 mails: every third by a person, every third by Apple ahead, and four are examined by a gateway.
  assert.match(first.stdout, /^Then the demo acted as 60 of the recipients, people and machines:$/m);
  assert.match(first.stdout, /^ {2}opened +20 by people, +24 by machines$/m);
  assert.match(first.stdout, /^ {2}clicked +10 by people, +4 by machines$/m);
  assert.match(first.stdout, /^ {2}unsubscribed +1$/m);
  assert.match(first.stdout, /http:\/\/127\.0\.0\.1:4000\/v1\/campaigns\/cmp_\w{26}\/stats/);
  assert.match(first.stdout, /in the dashboard:\n {2}http:\/\/127\.0\.0\.1:4000\/campaigns\/cmp_\w{26}\n$/);
  const second = await installation.postrider(["demo", "--people", "300"], { PORT: "4000" });
  assert.match(second.stdout, /^0 people added/);
  assert.match(second.stdout, /297 of 297 sent/);
});

test("`demo` sends nothing where a relay is set, and wants a sane number", async () => {
  const relayed = await installation.postrider(["demo"], { SMTP_URL: "smtp://relay.example.com:587" });
  assert.equal(relayed.code, 1);
  assertOneLine(relayed, "demo sends into the sandbox alone");
  const insane = await installation.postrider(["demo", "--people", "many"]);
  assertOneLine(insane, "--people is a whole number");
});
