import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../platform/clock.ts";
import { newId } from "../platform/ids.ts";
import { dmarcAddressOf, readAccountAddress, testAddressOf } from "./inbound-addresses.ts";

const [accountId, testId] = [newId(systemClock), newId(systemClock)];
const localPartOf = (address: string) => address.slice(0, address.lastIndexOf("@"));

test("an address is read back as it was made, in whatever case, and fits into a local part", () => {
  const reports = localPartOf(dmarcAddressOf(accountId, "in.example"));
  const trial = localPartOf(testAddressOf(accountId, testId, "in.example"));
  for (const change of [(text: string) => text, (text: string) => text.toUpperCase()]) {
    assert.deepEqual(readAccountAddress(change(reports)), { kind: "dmarc_report", accountId });
    assert.deepEqual(readAccountAddress(change(trial)), { kind: "mail_test", accountId, testId });
  }
  assert.ok(trial.length <= 64 && reports.length <= 64);
});

test("what only looks like such an address is none", () => {
  const characters = localPartOf(dmarcAddressOf(accountId, "in.example")).slice(6);
  const wrong = [
    "",
    "dmarc-",
    `dmarc-${characters}0`,
    `dmarc-${characters.slice(1)}`,
    `dmarc-8${characters.slice(1)}`,
    `dmarc-${characters.slice(0, 25)}u`,
    `dmarc-${characters.slice(0, 25)}\u0130`,
    `dmarc-${characters.slice(0, 25)}\u212a`,
    `test+${characters}`,
    `test+${characters}${characters.slice(0, 25)}i`,
    `test-${characters}${characters}`,
    ` test+${characters}${characters}`,
  ];
  for (const localPart of wrong) assert.equal(readAccountAddress(localPart), undefined, localPart);
});
