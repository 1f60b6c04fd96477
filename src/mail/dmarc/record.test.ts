import assert from "node:assert/strict";
import { test } from "node:test";
import { addReportAddress, hasReportAddress, hostOfUri, parseDmarc } from "./record.ts";

test("reads every tag, in any case and with blanks", () => {
  const text =
    "v=DMARC1 ; p=Reject;sp = quarantine; np=none; adkim=s; aspf=S; rua=mailto:a@x.test!10m, mailto:b@y.test; ruf=mailto:c@z.test; fo=1:d; psd=n; t=y;";
  const { text: kept, ...record } = parseDmarc(text) ?? {};
  assert.equal(kept, text);
  assert.deepEqual(record, {
    policy: "reject",
    isApplied: true,
    subdomainPolicy: "quarantine",
    absentPolicy: "none",
    dkimAlignment: "strict",
    spfAlignment: "strict",
    rua: ["mailto:a@x.test!10m", "mailto:b@y.test"],
    ruf: ["mailto:c@z.test"],
    failureOptions: ["1", "d"],
    psd: "n",
    isTesting: true,
    faults: [],
  });
});

test("takes for a record only what begins with its version", () => {
  for (const text of [
    "",
    "v=DMARC2; p=none",
    "p=none; v=DMARC1",
    "v=dmarc1; p=none",
    "v=DMARC10",
    "v=DMARC1p=none",
  ])
    assert.equal(parseDmarc(text), undefined, text);
  for (const text of ["v=DMARC1", "v=DMARC1;", " v = DMARC1 ; p=none"]) assert.ok(parseDmarc(text), text);
});

test("passes over what it can't read, and says what that was", () => {
  const record = parseDmarc("v=DMARC1; p=maybe; sp=reject; pct=50; nonsense; rua=webmaster@x.test; p=reject");
  assert.equal(record?.policy, "none");
  assert.deepEqual(record?.rua, []);
  assert.deepEqual(record?.faults, ["nonsense", "p=reject", "p=maybe"]);
});

const policies: readonly [text: string, policies: string, isApplied: boolean][] = [
  ["p=reject; sp=quarantine; np=none", "reject quarantine none", true],
  ["p=reject", "reject - -", true],
  // A policy that is absent is one of none (§4.7); without anybody to report to, receivers may pass over it (§4.10.1).
  ["rua=mailto:a@x.test", "none - -", true],
  ["sp=reject; rua=mailto:a@x.test", "none reject -", true],
  ["adkim=s", "none - -", false],
  // One that can't be read makes all of them none, where there is somebody to report to.
  ["p=maybe; sp=reject; rua=mailto:a@x.test", "none - -", true],
  ["p=reject; sp=; rua=mailto:a@x.test", "none - -", true],
  ["p=reject; np=rejected; rua=mailto:a@x.test", "none - -", true],
  ["p=maybe", "none - -", false],
  ["p=reject; sp=maybe", "none - -", false],
  ["p=reject; np=maybe; rua=a@x.test", "none - -", false],
];
for (const [tags, expected, isApplied] of policies)
  test(`reads the policies of ${tags} as RFC 9989 §4.10.1 says`, () => {
    const record = parseDmarc(`v=DMARC1; ${tags}`);
    const { policy, subdomainPolicy = "-", absentPolicy = "-" } = record ?? {};
    assert.equal(`${policy} ${subdomainPolicy} ${absentPolicy}`, expected);
    assert.equal(record?.isApplied, isApplied);
  });

const merged: readonly [string, string][] = [
  ["v=DMARC1; p=reject", "v=DMARC1; p=reject; rua=mailto:r@in.test"],
  ["v=DMARC1; p=reject;", "v=DMARC1; p=reject; rua=mailto:r@in.test"],
  [
    "v=DMARC1;p=none;rua=mailto:a@x.test;pct=20",
    "v=DMARC1;p=none;rua=mailto:a@x.test,mailto:r@in.test;pct=20",
  ],
  [
    "v=DMARC1; rua = mailto:a@x.test!10m ; p=none",
    "v=DMARC1; rua = mailto:a@x.test!10m,mailto:r@in.test ; p=none",
  ],
  ["v=DMARC1; p=none; rua=", "v=DMARC1; p=none; rua=mailto:r@in.test"],
  ["v=DMARC1; p=none; rua=mailto:a@x.test,", "v=DMARC1; p=none; rua=mailto:a@x.test,mailto:r@in.test"],
  ["v=DMARC1; p=none; rua=mailto:R@in.test", "v=DMARC1; p=none; rua=mailto:R@in.test"],
  ["v=DMARC1; ruf=mailto:f@x.test; X-OWN=1", "v=DMARC1; ruf=mailto:f@x.test; X-OWN=1; rua=mailto:r@in.test"],
];
for (const [before, after] of merged)
  test(`adds an address to ${before}`, () => {
    const text = addReportAddress(before, "r@in.test");
    assert.equal(text, after);
    const record = parseDmarc(text);
    assert.ok(record && hasReportAddress(record, "r@in.test"));
    assert.equal(addReportAddress(text, "r@in.test"), text);
  });

test("finds the host of a mailbox, and none elsewhere", () => {
  assert.equal(hostOfUri("mailto:dmarc@Reports.Example!50m"), "reports.example");
  assert.equal(hostOfUri("https://example.org/reports"), undefined);
});
