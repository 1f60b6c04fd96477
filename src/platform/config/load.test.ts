import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { StartupError } from "../startup-error.ts";
import { describeConfig, type Environment, loadConfig } from "./load.ts";
import { settings } from "./settings.ts";

const KEY = "a secret key of more than 32 characters";
const OLD_KEY = "an older secret key of 32 characters";
const DATABASE = "postgres://someone:hunter2@db.example:5432/mail";

describe("the configuration", () => {
  let folder = "";
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "postrider-config-"));
  });
  after(() => rmSync(folder, { recursive: true }));

  function load(environment: Environment, envFile = "") {
    const path = join(folder, ".env");
    writeFileSync(path, envFile);
    return loadConfig(environment, path);
  }

  /** Returns both lines that a person would see. */
  function refusal(environment: Environment, envFile = ""): string {
    try {
      load(environment, envFile);
    } catch (error) {
      assert.ok(error instanceof StartupError, String(error));
      return `${error.message}\n${error.remedy}`;
    }
    return assert.fail("it was accepted");
  }

  it("has a default for everything but what may be absent", () => {
    const { config } = load({});
    assert.equal(config.port, 4000);
    assert.equal(config.host, "127.0.0.1");
    assert.equal(config.databaseUrl, undefined);
    assert.equal(config.rateLimitPerMinute, 600);
  });

  it("works without a .env file", () => {
    assert.equal(loadConfig({ PORT: "81" }, join(folder, "nowhere", ".env")).config.port, 81);
  });

  it("takes the environment before .env, and .env before the default", () => {
    const { config, sources } = load({ PORT: "1001" }, "PORT=1002\nHOST=0.0.0.0\n");
    assert.deepEqual([config.port, config.host, config.logLevel], [1001, "0.0.0.0", "info"]);
    const asked = ["PORT", "HOST", "LOG_LEVEL"].map((name) => sources.get(name));
    assert.deepEqual(asked, ["environment", ".env", "default"]);
  });

  it("opens sign-up only where links can be mailed and passwords are taken", () => {
    const bare = refusal({ SIGN_UP: "open" });
    assert.match(bare, /SIGN_UP=open needs SMTP_URL/);
    assert.match(bare, /SIGN_UP=open needs SYSTEM_FROM/);
    const mailing = { SIGN_UP: "open", SMTP_URL: "smtp://relay.example:587", SYSTEM_FROM: "us@example.com" };
    assert.equal(load(mailing).config.signUp, "open");
    const sso = { OIDC_ISSUER: "https://login.example", OIDC_CLIENT_ID: "postrider" };
    assert.match(
      refusal({ ...mailing, ...sso, PASSWORD_SIGN_IN: "off" }),
      /SIGN_UP=open needs PASSWORD_SIGN_IN=on/,
    );
    assert.match(refusal({ SIGN_UP: "everybody" }), /SIGN_UP must be one of/);
    assert.deepEqual(
      [load({}).config.signUp, load({ SIGN_UP: "invite" }).config.signUp],
      ["closed", "invite"],
    );
  });

  it("takes an empty variable for an absent one", () => {
    const { config, sources } = load({ BASE_URL: "", PORT: "" }, "HOST=\n");
    assert.deepEqual([config.baseUrl, config.port, config.host], [undefined, 4000, "127.0.0.1"]);
    assert.equal(sources.get("PORT"), "default");
  });

  it("lets an empty variable of the environment switch off what .env sets", () => {
    const { config, sources } = load({ BASE_URL: "" }, "BASE_URL=https://mail.example\n");
    assert.equal(config.baseUrl, undefined);
    assert.equal(sources.get("BASE_URL"), "default");
  });

  it("names every fault at once", () => {
    const told = refusal(
      { PORT: "4000x", LOG_LEVEL: "loud", BASE_URL: "https://a.example/path", DATABASE_URL: "mysql://x" },
      "COLOUR=red\nTRUST_PROXY=-1\n",
    );
    for (const name of ["PORT", "LOG_LEVEL", "BASE_URL", "DATABASE_URL", "COLOUR", "TRUST_PROXY"]) {
      assert.match(told, new RegExp(`\\b${name} `), name);
    }
  });

  it("names a missing SECRET_KEY beside other faults", () => {
    const told = refusal({ DATABASE_URL: DATABASE, PORT: "4000x" });
    assert.match(told, /PORT must/);
    assert.match(told, /SECRET_KEY is required/);
  });

  it("wants SECRET_KEY with DATABASE_URL and only then", () => {
    assert.match(refusal({ DATABASE_URL: DATABASE }), /SECRET_KEY is required with DATABASE_URL/);
    assert.deepEqual(load({ DATABASE_URL: DATABASE, SECRET_KEY: KEY }).config.secretKey, [KEY]);
    assert.equal(load({}).config.secretKey, undefined);
  });

  it("takes two secret keys for a rotation", () => {
    for (const both of [`${KEY},${OLD_KEY}`, `${KEY}, ${OLD_KEY}`, ` ${KEY} ,\t${OLD_KEY}\n`]) {
      assert.deepEqual(load({ SECRET_KEY: both }).config.secretKey, [KEY, OLD_KEY]);
    }
  });

  it("names the key of a rotation that is empty or too short, and quotes none", () => {
    for (const [value, told] of [
      [`${KEY},`, /SECRET_KEY must not have empty keys: key 2 of 2 is empty/],
      [`,${KEY}`, /SECRET_KEY must not have empty keys: key 1 of 2 is empty/],
      [`${KEY}, ,${OLD_KEY}`, /SECRET_KEY must not have empty keys: key 2 of 3 is empty/],
      ["   ", /SECRET_KEY must not have empty keys: key 1 of 1 is empty/],
      [
        `${KEY}, shortsecret`,
        /SECRET_KEY must have at least 32 characters in each key, and key 2 of 2 has fewer/,
      ],
      [` ${"x".repeat(31)} `, /SECRET_KEY must have at least 32 characters;/],
    ] as const) {
      const refused = refusal({ SECRET_KEY: value });
      assert.match(refused, told);
      assert.ok(!refused.includes(KEY) && !refused.includes("shortsecret"), refused);
    }
  });

  it("takes SMTP_URL for an address by SMTP, and leaves the rest to whoever sends", () => {
    const url = "smtp://me:hunter2@mail.example.com?connections=5";
    assert.equal(load({ SMTP_URL: url }).config.smtpUrl, url);
    for (const wrong of [
      "mail.example.com",
      "http://hunter2.example",
      "smtp://",
      "smtp:hunter2",
      "smtp://ma il",
    ]) {
      const told = refusal({ SMTP_URL: wrong });
      assert.match(told, /SMTP_URL must look like smtp:/);
      assert.doesNotMatch(told, /hunter2/);
    }
  });

  it("takes a list of internal hosts, and refuses one that holds something else", () => {
    assert.deepEqual(load({ INTERNAL_HOSTS: "mail.internal, 10.0.0.0/8,,::1" }).config.internalHosts, [
      "mail.internal",
      "10.0.0.0/8",
      "::1",
    ]);
    assert.equal(load({}).config.internalHosts, undefined);
    assert.match(
      refusal({ INTERNAL_HOSTS: "10.0.0.0/99" }),
      /INTERNAL_HOSTS must be host names.*10\.0\.0\.0\/99/,
    );
  });

  it("takes a price by its digits, and the letters of a currency", () => {
    const priced = (text: string) => load({ RELAY_PRICE_PER_1000: text }).config.relayPricePer1000;
    assert.deepEqual(["0.1", "0.10", "12", "0.000001", "999999.999999", "0"].map(priced), [
      100_000n,
      100_000n,
      12_000_000n,
      1n,
      999_999_999_999n,
      0n,
    ]);
    assert.equal(load({}).config.relayPricePer1000, undefined);
    for (const wrong of ["-1", "0,10", "1e3", ".5", "5.", "0.0000001", "1000000", "free", "0x10", "NaN"])
      assert.match(
        refusal({ RELAY_PRICE_PER_1000: wrong }),
        /RELAY_PRICE_PER_1000 must be an amount such as 0\.10/,
        wrong,
      );
    assert.equal(load({ RELAY_PRICE_CURRENCY: "jpy" }).config.relayPriceCurrency, "JPY");
    assert.equal(load({}).config.relayPriceCurrency, "USD");
    for (const wrong of ["EURO", "€", "XYZ"])
      assert.match(
        refusal({ RELAY_PRICE_CURRENCY: wrong }),
        /must be the three letters of a currency/,
        wrong,
      );
  });

  it("takes resolvers by address and optional port, and refuses names", () => {
    assert.deepEqual(
      load({ DNS_SERVERS: "192.0.2.53, 192.0.2.54:5353,::1,[2001:db8::53]:53" }).config.dnsServers,
      ["192.0.2.53", "192.0.2.54:5353", "::1", "[2001:db8::53]:53"],
    );
    assert.equal(load({}).config.dnsServers, undefined);
    for (const wrong of [
      "dns.example.com",
      "192.0.2.53:0",
      "192.0.2.53:70000",
      "192.0.2.53,",
      "[192.0.2.53]:53",
    ])
      assert.match(
        refusal({ DNS_SERVERS: wrong }),
        /DNS_SERVERS must be addresses with optional ports/,
        wrong,
      );
  });

  const suggestions = [
    ["DATABASEURL", "DATABASE_URL"],
    ["base_url", "BASE_URL"],
    ["PORTS", "PORT"],
    ["RATE_LIMIT", "RATE_LIMIT_PER_MINUTE"],
    ["DATABSE_URL", "DATABASE_URL"],
    ["LOG_LEVLE", "LOG_LEVEL"],
  ] as const;
  for (const [typed, meant] of suggestions) {
    it(`suggests ${meant} where .env has ${typed}`, () => {
      assert.match(
        refusal({}, `${typed}=x\n`),
        new RegExp(`${typed} in .*\\.env .*did you mean ${meant}\\?`),
      );
    });
  }

  it("suggests nothing for what resembles no setting", () => {
    assert.doesNotMatch(refusal({}, "COLOUR=red\n"), /did you mean/);
  });

  it("ignores other programs' variables in the environment", () => {
    assert.equal(load({ COLOUR: "red", DATABASEURL: "x" }).config.port, 4000);
  });

  it("shows a wrong value but never a wrong secret", () => {
    const told = refusal({
      PORT: "99999",
      DATABASE_URL: "hunter2",
      SECRET_KEY: "shortsecret",
      METRICS_TOKEN: "shorttoken",
    });
    assert.match(told, /"99999"/);
    assert.doesNotMatch(told, /hunter2|shortsecret|shorttoken/);
  });

  it("says so when .env can't be read", () => {
    const path = join(folder, "a-folder");
    mkdirSync(path, { recursive: true });
    assert.throws(() => loadConfig({}, path), { name: "StartupError", message: /can't be read/ });
  });

  it("describes every setting with its value and its source", () => {
    const text = describeConfig(load({ PORT: "1001" }));
    for (const { name, meaning } of settings) {
      assert.ok(text.includes(`${name}=`) && text.includes(meaning), name);
    }
    assert.match(text, /^PORT=1001\n.*\n.*default: 4000; now from: environment$/m);
    assert.match(text, /^DATABASE_URL=\(embedded PostgreSQL in DATA_DIR\)$/m);
  });

  it("describes secrets without showing them", () => {
    const text = describeConfig(
      load({ DATABASE_URL: DATABASE, SECRET_KEY: `${KEY},${OLD_KEY}`, METRICS_TOKEN: "a-token-of-sixteen" }),
    );
    for (const secret of ["hunter2", KEY, OLD_KEY, "a-token-of-sixteen"])
      assert.ok(!text.includes(secret), secret);
    assert.match(text, /^SECRET_KEY=\*+$/m);
  });
});
