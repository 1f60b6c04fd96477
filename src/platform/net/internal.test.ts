import assert from "node:assert/strict";
import { test } from "node:test";
import { isHostName, isInternal, readInternalHosts } from "./internal.ts";

test("what lies inside is known, however it is written", () => {
  const inside = [
    ..."0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 100.127.255.255 127.0.0.1 127.255.255.254 169.254.169.254".split(
      " ",
    ),
    ..."172.16.0.1 172.31.255.255 192.0.0.1 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.19.255.255".split(
      " ",
    ),
    ..."198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255".split(" "),
    ...":: ::1 ::127.0.0.1 fe80::1 fe80::1%eth0 fec0::1 fc00::1 fd12:3456::1 ff02::1 100::1".split(" "),
    ...":ffff:10.0.0.1 :ffff:a00:1 :ffff:7f00:1 :ffff:169.254.169.254 :ffff:0.0.0.0"
      .split(" ")
      .map((one) => `:${one}`),
    ..."64:ff9b::127.0.0.1 64:ff9b::7f00:1 64:ff9b::10.1.2.3 64:ff9b:1::1 2001::1 2001:db8::1".split(" "),
    ..."2001:2::1 2002:7f00:1::1 3fff::1 5f00::1".split(" "),
    ..."localhost 127.1 2130706433 0x7f000001 [::1] 1.2.3.4:25".split(" "),
    "",
  ];
  for (const address of inside) assert.equal(isInternal(address), true, address);
});

test("what the world can reach lies outside", () => {
  const outside = [
    ..."1.1.1.1 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.0.0.1 128.0.0.1 169.253.0.1".split(" "),
    ..."172.15.0.1 172.32.0.1 192.0.1.1 192.167.0.1 198.17.0.1 198.20.0.1 223.255.255.255".split(" "),
    ..."2606:4700::1111 2a00:1450::1 2001:4860:4860::8888 2001:200::1 ::ffff:1.1.1.1 ::ffff:101:101".split(
      " ",
    ),
    ..."64:ff9b::1.1.1.1 64:ff9b::808:808".split(" "),
  ];
  for (const address of outside) assert.equal(isInternal(address), false, address);
});

test("names, addresses and ranges are let in, and nothing beside them", () => {
  const hosts = readInternalHosts(["Mail.Internal", "10.1.0.0/16", "192.168.1.9", "fd00::/8", "::1"]);
  const cases: [host: string, address: string, isAllowed: boolean][] = [
    ["mail.internal", "10.9.9.9", true],
    ["MAIL.internal.", "127.0.0.1", true],
    ["a.mail.internal", "127.0.0.1", false],
    ["elsewhere.example", "10.1.2.3", true],
    ["elsewhere.example", "10.2.2.3", false],
    ["elsewhere.example", "::ffff:10.1.2.3", true],
    ["192.168.1.9", "192.168.1.9", true],
    ["192.168.1.8", "192.168.1.8", false],
    ["x", "fd00::1", true],
    ["x", "fe80::1%eth0", false],
    ["::1", "::1", true],
  ];
  for (const [host, address, isAllowed] of cases) {
    assert.equal(hosts.allows(host, address), isAllowed, `${host} ${address}`);
  }
});

test("a list that can't be understood is refused", () => {
  for (const wrong of [
    "",
    " ",
    "10.0.0.0/33",
    "10.0.0.0/",
    "10.0.0.0/8/8",
    "mail.internal/8",
    "::1/129",
    "a b",
    "-x",
    "x..y",
  ]) {
    assert.throws(() => readInternalHosts([wrong]), /must be host names/, JSON.stringify(wrong));
  }
});

test("a host's name has labels of letters, digits and hyphens", () => {
  for (const name of [
    "localhost",
    "mail.example.com",
    "mail.example.com.",
    "xn--bcher-kva.example",
    "a_b.internal",
  ]) {
    assert.equal(isHostName(name), true, name);
  }
  for (const name of [
    "",
    ".",
    "a..b",
    "-a.example",
    "a-.example",
    "a b",
    "a/b",
    "é.example",
    `${"a".repeat(64)}.example`,
    "a.".repeat(127),
  ]) {
    assert.equal(isHostName(name), false, name);
  }
});
