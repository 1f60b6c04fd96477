import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { deflateSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { readDmarcReport } from "./dmarc-reports.ts";
import { mailWith, NOON, recordOf, reportOf, zipOf } from "./reports.fixture.ts";

const read = (file: Buffer | string) => readDmarcReport(Buffer.from(file), { now: NOON });

async function only(file: Buffer | string) {
  const found = await read(file);
  assert.ok(found.ok, found.ok ? "" : `${found.reason}: ${found.detail}`);
  assert.equal(found.reports.length, 1);
  const [report] = found.reports;
  assert.ok(report);
  return report;
}

async function refusal(file: Buffer | string): Promise<string> {
  const found = await read(file);
  return found.ok ? "it was read" : found.reason;
}

test("a report says who tells it, of which days, which policy, and who sent how much", async () => {
  const records = [
    recordOf({ ip: "2001:DB8:0::1", count: 7, disposition: "reject", dkim: "fail", signatures: [] }),
    recordOf({
      headerFrom: "News.Acme.example.",
      signatures: [
        ["acme.example", "S2"],
        ["mail.acme.example", "s1"],
        ["relay.example", "other"],
      ],
    }),
  ];
  assert.deepEqual(await only(reportOf({ records })), {
    org: "receiver.example",
    email: "dmarc@receiver.example",
    reportId: "r-1",
    begin: new Date("2026-11-15T00:00:00Z"),
    end: new Date("2026-11-15T23:59:59Z"),
    policyDomain: "acme.example",
    policy: { p: "quarantine", sp: "none", np: null, adkim: "r", aspf: "s", pct: 100, testing: null },
    rows: [
      {
        sourceIp: "2001:db8::1",
        headerFrom: "acme.example",
        disposition: "reject",
        isDkimAligned: false,
        isSpfAligned: false,
        selectors: "",
        messages: 7,
      },
      {
        sourceIp: "192.0.2.1",
        headerFrom: "news.acme.example",
        disposition: "none",
        isDkimAligned: true,
        isSpfAligned: false,
        selectors: "s1,s2",
        messages: 5,
      },
    ],
    records: 2,
    recordsLeftOut: 0,
  });
});

test("records that are alike become one row", async () => {
  const { rows, records } = await only(reportOf({ records: [recordOf(), recordOf({ count: 2 })] }));
  assert.deepEqual([rows.length, rows[0]?.messages, records], [1, 7, 2]);
});

describe("it is read however it is packed", () => {
  const xml = Buffer.from(reportOf());
  const utf16 = Buffer.from(`\ufeff${reportOf()}`, "utf16le");
  const cases: readonly (readonly [string, Buffer])[] = [
    ["XML", xml],
    ["XML behind a byte order mark and blanks", Buffer.concat([Buffer.from("\ufeff\n \t"), xml])],
    ["gzip", gzipSync(xml)],
    ["gzip with CRLF behind it", Buffer.concat([gzipSync(xml), Buffer.from("\r\n")])],
    ["gzip in two members", Buffer.concat([gzipSync(xml.subarray(0, 300)), gzipSync(xml.subarray(300))])],
    ["zlib", deflateSync(xml)],
    ["zip", zipOf({ name: "a.xml", content: xml })],
    [
      "zip with a folder before it",
      zipOf({ name: "a/", content: Buffer.alloc(0) }, { name: "a/b", content: xml }),
    ],
    ["zip that claims to be smaller", zipOf({ name: "a.xml", content: xml, claimedSize: 3 })],
    ["zip that claims to be larger", zipOf({ name: "a.xml", content: xml, claimedSize: 4_000_000_000 })],
    ["zip that claims more than there is", zipOf({ name: "a.xml", content: xml, claimedPacked: 4_000_000 })],
    ["UTF-16 with a mark", utf16],
    ["UTF-16 without a mark", utf16.subarray(2)],
    ["UTF-16, big-endian", Buffer.from(utf16).swap16()],
    ["a mail with gzip", mailWith(gzipSync(xml))],
    [
      "a mail with zip of a wrong type",
      mailWith(zipOf({ name: "a.xml", content: xml }), "application/octet-stream"),
    ],
    ["a mail with XML", mailWith(xml, "text/xml")],
    [
      "a mail inside a mail",
      Buffer.concat([Buffer.from("Content-Type: message/rfc822\r\n\r\n"), mailWith(gzipSync(xml))]),
    ],
    [
      "a mail that is the gzip alone",
      Buffer.from(
        `Content-Type: application/gzip\r\nContent-Transfer-Encoding: base64\r\n\r\n${gzipSync(xml).toString("base64")}`,
      ),
    ],
  ];
  for (const [what, file] of cases)
    test(what, async () => assert.equal((await only(file)).rows[0]?.messages, 5));

  test("a zip of several reports gives them all", async () => {
    const files = ["1", "2", "3"].map((reportId) => ({
      name: `${reportId}.xml`,
      content: Buffer.from(reportOf({ reportId })),
    }));
    const found = await read(zipOf(...files));
    assert.deepEqual(found.ok && found.reports.map(({ reportId }) => reportId), ["1", "2", "3"]);
  });
});

describe("it is read however it is written", () => {
  test("inside foreign elements, with a namespace and prefixes", async () => {
    const inner = reportOf().replace(/^<\?xml.*\n/, "");
    const prefixed = inner
      .replaceAll(/<(\/?)(\w)/g, "<$1d:$2")
      .replace("<d:feedback", '<d:feedback xmlns:d="urn:x"');
    const wrapped = `<?xml version="1.0"?><xs:schema xmlns:xs="urn:y"><xs:any a="b">${prefixed}</xs:any>`;
    assert.equal((await only(wrapped)).policyDomain, "acme.example");
  });

  test("windows-1252 as it is declared", async () => {
    const xml = reportOf({ org: "Z\xfcrich \x80" }).replace("UTF-8", "windows-1252");
    assert.equal((await only(Buffer.from(xml, "latin1"))).org, "Zürich €");
  });

  test("a declaration of UTF-16 in a file that isn't", async () => {
    assert.equal((await only(reportOf().replace("UTF-8", "UTF-16"))).org, "receiver.example");
  });

  test("the disposition `pass` and the policy of RFC 9990", async () => {
    const xml = reportOf({ records: [recordOf({ disposition: "pass" })] }).replace(
      "<pct>100</pct>",
      "<np>reject</np><testing>y</testing><discovery_method>treewalk</discovery_method>",
    );
    const { rows, policy } = await only(xml);
    assert.deepEqual(
      [rows[0]?.disposition, policy.np, policy.testing, policy.pct],
      ["none", "reject", true, null],
    );
  });

  test("a record without its From counts for the domain of the policy", async () => {
    const { rows } = await only(reportOf({ records: [recordOf({ headerFrom: "" })] }));
    assert.equal(rows[0]?.headerFrom, "acme.example");
  });

  test("a domain with letters beyond ASCII, as A-labels", async () => {
    assert.equal((await only(reportOf({ domain: "BÜCHER.example" }))).policyDomain, "xn--bcher-kva.example");
  });

  test("a name keeps no control characters and no more than 255 characters", async () => {
    const { org } = await only(reportOf({ org: `a&#1;\u202eb&amp;${"c".repeat(5_000)}` }));
    assert.equal(org, `a b&${"c".repeat(251)}`);
  });
});

describe("records that can't be are left out and counted", () => {
  const cases = {
    "a count of -1": { count: -1 },
    "a count of 0": { count: 0 },
    "a count of 1e30": { count: "1e30" },
    "a count with 30 digits": { count: "9".repeat(30) },
    "an address that is none": { ip: "256.1.1.1" },
    "an address with a zone": { ip: "fe80::1%eth0" },
    "a From that is no domain": { headerFrom: "a b" },
    "a From longer than 253 octets": { headerFrom: `${"a.".repeat(130)}example` },
  };
  for (const [what, options] of Object.entries(cases))
    test(what, async () => {
      const { rows, recordsLeftOut } = await only(reportOf({ records: [recordOf(), recordOf(options)] }));
      assert.deepEqual([rows.length, recordsLeftOut], [1, 1]);
    });
});

describe("what is no report is refused by name", () => {
  const xml = Buffer.from(reportOf());
  const zip = zipOf({ name: "a.xml", content: xml });
  const tlsReport = Buffer.from('{"organization-name": "a", "policies": []}');
  const cases: readonly (readonly [string, string, Buffer | string])[] = [
    ["nothing", "empty", ""],
    ["blanks", "empty", " \n"],
    ["an empty gzip", "empty", gzipSync("")],
    ["an empty zip", "empty", zipOf({ name: "a.xml", content: Buffer.alloc(0) })],
    ["other XML", "not_a_report", "<html><body>no</body></html>"],
    ["bytes", "not_a_report", Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3])],
    ["a mail without a report", "not_a_report", "From: a@b.example\r\n\r\nHello"],
    ["a report about TLS", "tls_report", tlsReport],
    [
      "a mail with a report about TLS",
      "tls_report",
      mailWith(gzipSync(tlsReport), "application/tlsrpt+gzip"),
    ],
    [
      "a report about one message",
      "failure_report",
      mailWith(Buffer.from("Feedback-Type: auth-failure"), "message/feedback-report"),
    ],
    ["a zip in a zip", "nested_archive", zipOf({ name: "b.zip", content: zip })],
    ["a gzip in a gzip", "nested_archive", gzipSync(gzipSync(xml))],
    ["a gzip that is cut off", "broken_report", gzipSync(xml).subarray(0, 200)],
    [
      "a gzip of nonsense",
      "broken_archive",
      Buffer.concat([gzipSync("").subarray(0, 10), Buffer.from("nonsense")]),
    ],
    ["a zip that is cut off", "broken_report", zip.subarray(0, 400)],
    [
      "a zip that claims less than there is",
      "broken_archive",
      zipOf({ name: "a.xml", content: xml, claimedPacked: 20 }),
    ],
    ["XML that is cut off", "broken_report", xml.subarray(0, -30)],
    [
      "elements 200,000 deep",
      "too_deep",
      `<feedback>${"<a>".repeat(200_000)}${"</a>".repeat(200_000)}</feedback>`,
    ],
    ["elements 200,000 deep that never close", "too_deep", "<feedback>".repeat(200_000)],
    ["dates in the future", "future_dates", reportOf({ end: NOON.getTime() / 1_000 + 4 * 86_400 })],
    ["dates that are none", "invalid_report", reportOf({ begin: "yesterday" })],
    ["dates beyond all calendars", "invalid_report", reportOf({ end: "9".repeat(30) })],
    ["an end before the beginning", "invalid_report", reportOf({ end: 1_000_000 })],
    ["a domain that is none", "invalid_report", reportOf({ domain: "acme" })],
    ["no number of the report", "invalid_report", reportOf({ reportId: " " })],
  ];
  for (const [what, reason, file] of cases) test(what, async () => assert.equal(await refusal(file), reason));

  test("an entity of the document's own is never expanded", async () => {
    const bomb = `<!DOCTYPE a [<!ENTITY x "${"y".repeat(100)}"><!ENTITY z "&x;&x;"><!ENTITY f SYSTEM "file:///etc/passwd">]>`;
    const inner = reportOf({ org: "&z;&f;" }).replace(/^<\?xml.*\n/, "");
    assert.equal((await only(`<?xml version="1.0"?>${bomb}${inner}`)).org, "&z;&f;");
  });

  test("more than 100 reports in one file", async () => {
    const inner = reportOf().replace(/^<\?xml.*\n/, "");
    const found = await read(`<all>${inner.repeat(150)}</all>`);
    assert.equal(found.ok && found.reports.length, 100);
  });
});

test("no bytes make it throw, however a report is damaged", () =>
  fc.assert(
    fc.asyncProperty(
      fc.constantFrom(
        Buffer.from(reportOf()),
        gzipSync(reportOf()),
        deflateSync(reportOf()),
        zipOf({ name: "a.xml", content: Buffer.from(reportOf()) }),
        mailWith(gzipSync(reportOf())),
      ),
      fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 8 }),
      fc.nat(),
      async (file, changes, cut) => {
        const damaged = Buffer.from(file);
        for (const [at, byte] of changes) damaged[at % damaged.length] = byte;
        await read(damaged.subarray(0, 1 + (cut % damaged.length)));
      },
    ),
    { numRuns: 300 },
  ));
