import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { type Challenge, solveChallenge } from "altcha-lib";
import { deriveKey } from "altcha-lib/algorithms/pbkdf2";
import { createTestClock } from "../../../test/support/clock.ts";
import { cloneDatabase } from "../../../test/support/database.ts";
import { createDb, type Db } from "../../platform/db/db.ts";
import { newId } from "../../platform/ids.ts";
import { createLog } from "../../platform/log.ts";
import { createSecrets } from "../../platform/secrets.ts";
import { createProofs } from "./proof.ts";

const KEY = "a secret key for tests of 32 characters or more";
const clock = createTestClock();
let database: Awaited<ReturnType<typeof cloneDatabase>>;
let db: Db;
before(async () => {
  database = await cloneDatabase();
  const log = createLog({ level: "silent", pretty: false });
  db = createDb({
    connection: database.url,
    poolSize: 4,
    applicationName: "test",
    log,
    statementTimeoutMs: 60_000,
  });
});
after(async () => {
  await db.close();
  await database.drop();
});

const FORM = "frm_01k9zq4t3xe8k8y0v6d3m2n1pq";
const accountId = newId(clock);
const proofsWith = (...keys: string[]) => createProofs({ db, clock, secrets: createSecrets(keys) });

async function solved(challenge: Challenge): Promise<string> {
  const solution = await solveChallenge({ challenge, deriveKey });
  return Buffer.from(JSON.stringify({ challenge, solution })).toString("base64");
}

it("a solution is good once, for its form, also after the secret key was rotated", async () => {
  const proof = await solved(await proofsWith(KEY).challenge(FORM));
  const rotated = proofsWith(`${KEY} and a new one`, KEY);
  assert.equal(await rotated.accept(accountId, "frm_other", proof), false);
  const taken = await Promise.all([1, 2, 3].map(() => rotated.accept(accountId, FORM, proof)));
  assert.deepEqual(taken.toSorted(), [false, false, true]);
});

it("what is changed, unsolved or of another secret key is no proof", async () => {
  const proofs = proofsWith(KEY);
  const challenge = await proofs.challenge(FORM);
  const cheap = { ...challenge, parameters: { ...challenge.parameters, cost: 1 } };
  const guess = { challenge, solution: { counter: 1, derivedKey: `00${"11".repeat(31)}` } };
  for (const text of [
    "",
    "no base64 {",
    Buffer.from("null").toString("base64"),
    Buffer.from(JSON.stringify(guess)).toString("base64"),
    await solved(cheap),
    await solved(await proofsWith(`${KEY} of somebody else`).challenge(FORM)),
    "A".repeat(100_000),
  ])
    assert.equal(await proofs.accept(accountId, FORM, text), false, text.slice(0, 40));
});

it("an old challenge is worth nothing", async () => {
  const proofs = proofsWith(KEY);
  const proof = await solved(await proofs.challenge(FORM));
  clock.advance(31 * 60_000);
  assert.equal(await proofs.accept(accountId, FORM, proof), false);
});
