import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkUnsubscribeLink, type UnsubscribeLink } from "./unsubscribe-checks.ts";

const well: UnsubscribeLink = {
  publicUrl: "https://mail.example.com",
  isServed: true,
  transportHost: "smtp.example.com",
  internalHosts: [],
  probed: undefined,
};
const failed = {
  url: well.publicUrl,
  probed_at: new Date(0),
  ok: false,
  reason: "another answered, with 403",
};

const UNREACHABLE =
  "http://localhost:4000 http://app.localhost http://127.0.0.1 http://127.9.9.9:80 http://[::1] http://0.0.0.0 http://[::] http://10.1.2.3 " +
  "http://172.16.0.1 http://192.168.1.1 http://169.254.1.1 http://100.64.0.1 http://[fd00::1] http://[fe80::1] http://[::ffff:127.0.0.1] " +
  "http://2130706433 https://nas https://nas.local https://mail.internal";

describe("the unsubscribe link of a mail", () => {
  const cases: [name: string, more: Partial<UnsubscribeLink>, expected: string[]][] = [
    ["is well", {}, []],
    [
      "is nobody's business in the sandbox",
      { transportHost: undefined, isServed: false, publicUrl: "http://localhost" },
      [],
    ],
    ["must be served", { isServed: false }, ["unsubscribe_not_served error"]],
    ["is better by https", { publicUrl: "http://mail.example.com" }, ["public_url_plain_http warning"]],
    [
      "may stay on this machine where its mail does",
      { publicUrl: "http://127.0.0.1:4000", transportHost: "127.0.0.1" },
      ["public_url_not_reachable warning"],
    ],
    [
      "may stay on this machine for a relay called localhost",
      { publicUrl: "http://127.0.0.1:4000", transportHost: "localhost" },
      ["public_url_not_reachable warning"],
    ],
    [
      "may stay inside for a host that INTERNAL_HOSTS names",
      {
        publicUrl: "https://mail.internal",
        transportHost: "mx.corp.example",
        internalHosts: ["MX.corp.example."],
      },
      ["public_url_not_reachable warning"],
    ],
    [
      "may stay inside for an address in a range of INTERNAL_HOSTS",
      { publicUrl: "https://10.0.0.9", transportHost: "10.0.0.8", internalHosts: ["10.0.0.0/24"] },
      ["public_url_not_reachable warning"],
    ],
    [
      "may not for an address outside of that range",
      { publicUrl: "https://10.0.0.9", transportHost: "10.0.1.8", internalHosts: ["10.0.0.0/24"] },
      ["public_url_not_reachable error"],
    ],
    ["is worth a warning when a POST didn't arrive", { probed: failed }, ["public_url_probe_failed warning"]],
    [
      "says nothing of a POST to another address",
      { probed: { ...failed, url: "https://old.example.com" } },
      [],
    ],
    ["says nothing of a POST that arrived", { probed: { ...failed, ok: true, reason: null } }, []],
  ];
  for (const [name, more, expected] of cases) {
    it(name, () => {
      const found = checkUnsubscribeLink({ ...well, ...more });
      assert.deepEqual(
        found.map(({ code, severity }) => `${code} ${severity}`),
        expected,
      );
    });
  }

  for (const publicUrl of UNREACHABLE.split(" ")) {
    it(`is none by ${publicUrl}`, () => {
      const errors = checkUnsubscribeLink({ ...well, publicUrl }).filter(
        ({ severity }) => severity === "error",
      );
      assert.deepEqual(
        errors.map(({ code }) => code),
        ["public_url_not_reachable"],
      );
    });
  }
});
