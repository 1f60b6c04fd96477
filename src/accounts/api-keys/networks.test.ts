import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { areCovered, isWithin, type Network, readNetwork } from "./networks.ts";

function networkOf(text: string): Network {
  const read = readNetwork(text);
  assert.ok(read.ok, text);
  return read.network;
}

describe("a network", () => {
  for (const [text, kept] of [
    ["203.0.113.0/24", "203.0.113.0/24"],
    ["203.0.113.7", "203.0.113.7/32"],
    ["128.0.0.0/1", "128.0.0.0/1"],
    ["2001:DB8::/32", "2001:db8::/32"],
    ["::1", "::1/128"],
  ] as const) {
    it(`is read from ${text}`, () => {
      const read = readNetwork(text);
      assert.equal(read.ok && read.text, kept);
    });
  }

  for (const [text, code] of [
    ["0.0.0.0/0", "network_too_wide"],
    ["::/0", "network_too_wide"],
    ["10.0.0.0/0", "network_too_wide"],
    ["203.0.113.7/24", "host_bits_set"],
    ["2001:db8::1/64", "host_bits_set"],
    ["0.0.0.1/31", "host_bits_set"],
    ["203.0.113.0/33", "invalid_network"],
    ["2001:db8::/129", "invalid_network"],
    ["203.0.113.0/", "invalid_network"],
    ["203.0.113.0/-1", "invalid_network"],
    ["203.0.113.0/٢٤", "invalid_network"],
    ["203.0.113/24", "invalid_network"],
    ["203.0.113.00/24", "invalid_network"],
    ["256.0.0.0/8", "invalid_network"],
    ["::ffff:1.2.3.4.5", "invalid_network"],
    ["2001:db8::1.2.3.4", "invalid_network"],
    ["example.com", "invalid_network"],
    [" 203.0.113.0/24", "invalid_network"],
    ["", "invalid_network"],
  ] as const) {
    it(`is refused as ${code} in ${JSON.stringify(text)}`, () => {
      const read = readNetwork(text);
      assert.equal(!read.ok && read.code, code);
    });
  }

  it("holds its own addresses and no others", () => {
    const held = [networkOf("203.0.113.0/25"), networkOf("2001:db8:1::/48")];
    for (const ip of [
      "203.0.113.0",
      "203.0.113.127",
      "::ffff:203.0.113.5",
      "2001:db8:1:ffff::1",
      "2001:db8:1::%eth0",
    ]) {
      assert.ok(isWithin(held, ip), ip);
    }
    for (const ip of [
      "203.0.113.128",
      "203.0.112.255",
      "2001:db8:2::1",
      "::1",
      "",
      "x",
      "::ffff:203.0.113.200",
    ]) {
      assert.ok(!isWithin(held, ip), ip);
    }
  });

  it("covers narrower ones of its kind", () => {
    const held = [networkOf("10.0.0.0/8"), networkOf("fd00::/8")];
    assert.ok(areCovered(held, ["10.1.0.0/16", "10.0.0.0/8", "fd12::/16"].map(networkOf)));
    for (const wider of ["8.0.0.0/7", "11.0.0.0/8", "fc00::/7", "a00::/8"]) {
      assert.ok(!areCovered(held, [networkOf(wider)]), wider);
    }
  });
});
