import assert from "node:assert/strict";
import { test } from "node:test";
import { type Reach, reachOf } from "./reach.ts";

test("who can reach a host is told from its name", () => {
  const hosts: Record<Reach, string[]> = {
    loopback: [
      "localhost",
      "LOCALHOST.",
      "app.localhost",
      "127.0.0.1",
      "127.9.9.9",
      "::1",
      "[::1]",
      "[::ffff:7f00:1]",
    ],
    private: [
      "10.1.2.3",
      "172.31.0.1",
      "192.168.1.1",
      "100.64.0.1",
      "169.254.1.1",
      "0.0.0.0",
      "[::]",
      "[fd00::1]",
      "fe80::1",
      "[::ffff:a00:1]",
      "nas",
      "nas.local",
      "mail.internal",
      "localhost.localdomain",
      "mail.corp",
      "mail.test..",
      "a..b.com",
      ".com",
      "224.0.0.1",
      "255.255.255.255",
      "192.0.2.1",
      "[::127.0.0.1]",
      "[64:ff9b::7f00:1]",
      "[2001:db8::1]",
    ],
    world: ["mail.example.com", "172.32.0.1", "8.8.8.8", "[2606:4700::1111]", "local.example.com"],
  };
  for (const [reach, names] of Object.entries(hosts)) {
    for (const name of names) assert.equal(reachOf(name), reach, name);
  }
});
