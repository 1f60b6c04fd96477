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
  assert.match(first.stdout, /http:\/\/127\.0\.0\.1:4000\/v1\/campaigns\/cmp_\w{26}\/stats/);
  const second = await installation.postrider(["demo", "--people", "300"], { PORT: "4000" });
  assert.match(second.stdout, /^0 people added/);
  assert.match(second.stdout, /298 of 298 sent/);
});

test("`demo` sends nothing where a relay is set, and wants a sane number", async () => {
  const relayed = await installation.postrider(["demo"], { SMTP_URL: "smtp://relay.example.com:587" });
  assert.equal(relayed.code, 1);
  assertOneLine(relayed, "demo sends into the sandbox alone");
  const insane = await installation.postrider(["demo", "--people", "many"]);
  assertOneLine(insane, "--people is a whole number");
});
