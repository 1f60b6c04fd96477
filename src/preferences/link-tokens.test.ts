import assert from "node:assert/strict";
import { test } from "node:test";
import { createSecrets } from "../platform/secrets.ts";
import { makeToken, readToken } from "./link-tokens.ts";

const secrets = createSecrets(["a secret key for tests of 32 characters or more"]);
const accountId = "01890a5d-ac96-774b-bcce-b302099a8057";
const linkId = "01890a5d-ac96-774b-bcce-b302099a8058";

test("a token names its account and its link", () => {
  const token = makeToken(secrets, accountId, linkId);
  assert.match(token, /^[\w-]{64}$/);
  assert.deepEqual(readToken(secrets, token), { accountId, linkId });
});

test("a token with any character changed is none", () => {
  const token = makeToken(secrets, accountId, linkId);
  for (let at = 0; at < token.length; at++) {
    const other = token[at] === "A" ? "B" : "A";
    assert.equal(readToken(secrets, token.slice(0, at) + other + token.slice(at + 1)), undefined, String(at));
  }
  for (const none of ["", "x", `${token}A`, token.slice(1), "A".repeat(64)]) {
    assert.equal(readToken(secrets, none), undefined);
  }
});

test("a token lives through a change of SECRET_KEY, and not through another key", () => {
  const token = makeToken(secrets, accountId, linkId);
  const [next, old] = [
    "another secret key of 32 characters or more",
    "a secret key for tests of 32 characters or more",
  ];
  assert.deepEqual(readToken(createSecrets([next, old]), token), { accountId, linkId });
  assert.equal(readToken(createSecrets([next]), token), undefined);
});
