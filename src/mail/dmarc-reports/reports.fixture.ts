/** Writes reports for tests, valid ones and those that nobody honest sends. */
import { crc32, deflateRawSync } from "node:zlib";

type ReportOptions = {
  readonly org?: string;
  readonly reportId?: string;
  readonly domain?: string;
  readonly begin?: number | string;
  readonly end?: number | string;
  readonly records?: readonly string[];
};

export const NOON = new Date("2026-11-16T12:00:00Z");
const YESTERDAY = Date.parse("2026-11-15T00:00:00Z") / 1_000;

export function reportOf({
  org = "receiver.example",
  reportId = "r-1",
  domain = "acme.example",
  begin = YESTERDAY,
  end = YESTERDAY + 86_399,
  records = [recordOf()],
}: ReportOptions = {}): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<feedback>
  <version>1.0</version>
  <report_metadata>
    <org_name>${org}</org_name>
    <email>dmarc@receiver.example</email>
    <report_id>${reportId}</report_id>
    <date_range><begin>${begin}</begin><end>${end}</end></date_range>
  </report_metadata>
  <policy_published>
    <domain>${domain}</domain><adkim>r</adkim><aspf>s</aspf><p>quarantine</p><sp>none</sp><pct>100</pct>
  </policy_published>
  ${records.join("\n")}
</feedback>`;
}

type RecordOptions = {
  readonly ip?: string;
  readonly count?: number | string;
  readonly disposition?: string;
  readonly dkim?: "pass" | "fail";
  readonly spf?: "pass" | "fail";
  readonly headerFrom?: string;
  readonly signatures?: readonly (readonly [domain: string, selector: string])[];
};

export function recordOf({
  ip = "192.0.2.1",
  count = 5,
  disposition = "none",
  dkim = "pass",
  spf = "fail",
  headerFrom = "acme.example",
  signatures = [["acme.example", "s1"]],
}: RecordOptions = {}): string {
  const signed = signatures.map(
    ([domain, selector]) =>
      `<dkim><domain>${domain}</domain><selector>${selector}</selector><result>${dkim}</result></dkim>`,
  );
  return `<record>
    <row><source_ip>${ip}</source_ip><count>${count}</count>
      <policy_evaluated><disposition>${disposition}</disposition><dkim>${dkim}</dkim><spf>${spf}</spf></policy_evaluated></row>
    <identifiers><header_from>${headerFrom}</header_from></identifiers>
    <auth_results>${signed.join("")}<spf><domain>${headerFrom}</domain><result>${spf}</result></spf></auth_results>
  </record>`;
}

type Entry = {
  readonly name: string;
  readonly content: Buffer;
  /** What the headers claim in place of the truth. */
  readonly claimedSize?: number;
  readonly claimedPacked?: number;
};

/** Writes a zip by hand, since no honest program writes sizes that are wrong. */
export function zipOf(...entries: readonly Entry[]): Buffer {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const { name, content, claimedSize, claimedPacked } of entries) {
    const packed = deflateRawSync(content);
    const fixed = Buffer.alloc(26);
    fixed.writeUInt16LE(20, 0);
    fixed.writeUInt16LE(8, 4);
    fixed.writeUInt32LE(crc32(content), 10);
    fixed.writeUInt32LE(claimedPacked ?? packed.length, 14);
    fixed.writeUInt32LE(claimedSize ?? content.length, 18);
    fixed.writeUInt16LE(name.length, 22);
    const head = Buffer.concat([Buffer.from("PK\x03\x04"), fixed, Buffer.from(name)]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    central.push(
      Buffer.concat([
        Buffer.from("PK\x01\x02\x14\0"),
        fixed.subarray(0, 24),
        Buffer.alloc(2),
        place.subarray(2),
      ]),
      Buffer.from(name),
    );
    local.push(head, packed);
    offset += head.length + packed.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06");
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...local, directory, end]);
}

/** A mail as reporters send it, with the file as a part in base64. */
export function mailWith(file: Buffer, type = "application/gzip", from = "noreply@receiver.example"): Buffer {
  const lines = [
    `From: Reports <${from}>`,
    "To: reports@acme.example",
    "Subject: Report domain: acme.example Submitter: receiver.example Report-ID: <r-1>",
    "MIME-Version: 1.0",
    'Content-Type: multipart/mixed; boundary="half"',
    "",
    "--half",
    "Content-Type: text/plain",
    "",
    "This is an aggregate report.",
    "--half",
    `Content-Type: ${type}; name="report.xml.gz"`,
    "Content-Transfer-Encoding: base64",
    'Content-Disposition: attachment; filename="report.xml.gz"',
    "",
    ...(file.toString("base64").match(/.{1,76}/g) ?? []),
    "--half--",
    "",
  ];
  return Buffer.from(lines.join("\r\n"));
}
