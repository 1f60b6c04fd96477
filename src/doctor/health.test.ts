import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { systemClock } from "../platform/clock.ts";
import type { Finding } from "./check.ts";
import { createHealth } from "./health.ts";

const FINE: Finding = { name: "node", group: "machine", status: "ok", finding: "Node 26" };
const config = { secretKey: undefined, smtpUrl: undefined, databaseUrl: undefined, metricsToken: undefined };

describe("the health of the instance", () => {
  test("one run at a time answers all who ask meanwhile, and those just afterwards", async () => {
    let runs = 0;
    const started = Promise.withResolvers<readonly Finding[]>();
    const run = () => {
      runs++;
      return started.promise;
    };
    const read = createHealth({ run, clock: systemClock, config });
    const [one, other] = [read(), read()];
    started.resolve([FINE]);
    assert.deepEqual((await one).findings, [FINE]);
    assert.equal(await other, await one);
    assert.equal(await read(), await one);
    assert.equal(runs, 1);
  });

  test("who asks later is told anew", async () => {
    let runs = 0;
    const run = async () => {
      runs++;
      return [FINE];
    };
    const read = createHealth({ run, clock: systemClock, config, freshMs: 0 });
    await read();
    await read();
    assert.equal(runs, 2);
  });

  test("no secret of the settings is in it, however it got there", async () => {
    const finding = `535 no “p@ss word” or ${Buffer.from("p@ss word").toString("base64")}, hunter2, and the-secret-key`;
    const quoted = `smtp://me:p%40ss%20word@mail.example refused AUTH PLAIN ${Buffer.from("\0me\0p@ss word").toString("base64")}`;
    const read = createHealth({
      run: async () => [{ ...FINE, finding, remedy: quoted }],
      clock: systemClock,
      config: {
        secretKey: ["the-secret-key"],
        smtpUrl: "smtp://me:p%40ss%20word@mail.example:587",
        databaseUrl: "postgres://me:hunter2@db.example/postrider",
        metricsToken: undefined,
      },
    });
    const hidden = "535 no “[secret]” or [secret], [secret], and [secret]";
    const remedy = "smtp://me:[secret]@mail.example refused AUTH PLAIN [secret]";
    assert.deepEqual((await read()).findings, [{ ...FINE, finding: hidden, remedy }]);
  });
});
