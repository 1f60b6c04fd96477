/** These types say what is read out of an aggregate report, and why something isn't one. */

/** Messages of one report that are alike in everything that is kept of them. */
export type DmarcRow = {
  /** IPv4 or IPv6 in canonical form. */
  readonly sourceIp: string;
  /** The domain of the From header, in lower case and A-labels. */
  readonly headerFrom: string;
  readonly disposition: Disposition;
  readonly isDkimAligned: boolean;
  readonly isSpfAligned: boolean;
  /** The selectors of signatures by the From's own organisation, sorted, with commas: "" for none, "?" where it isn't told. */
  readonly selectors: string;
  readonly messages: number;
};
export type Disposition = "none" | "quarantine" | "reject";

/** What the domain had published, as far as it is told. */
type DmarcPolicy = {
  readonly p: string | null;
  readonly sp: string | null;
  readonly np: string | null;
  readonly adkim: string | null;
  readonly aspf: string | null;
  readonly pct: number | null;
  readonly testing: boolean | null;
};

export type DmarcReport = {
  /** The reporter as it names itself. */
  readonly org: string;
  readonly email: string | null;
  readonly reportId: string;
  readonly begin: Date;
  readonly end: Date;
  readonly policyDomain: string;
  readonly policy: DmarcPolicy;
  readonly rows: readonly DmarcRow[];
  /** How many records stand behind `rows`. */
  readonly records: number;
  /** Records with an impossible address, count or domain, or beyond the limit. */
  readonly recordsLeftOut: number;
};

/** Why there is no report in it. `detail` is a sentence for people, and names the limit where one was met. */
export type Refusal = {
  readonly reason:
    | "empty"
    | "not_a_report"
    | "tls_report"
    | "failure_report"
    | "too_large"
    | "too_deep"
    | "nested_archive"
    | "broken_archive"
    | "broken_report"
    | "invalid_report"
    | "future_dates";
  readonly detail: string;
};

/** What no input may exceed, whatever it claims about itself. */
export const LIMITS = {
  /** Of all XML in one file, unpacked. */
  xmlBytes: 32 * 1_024 * 1_024,
  depth: 64,
  /** Of all reports in one file, after records that are alike were added up. */
  rows: 50_000,
  reports: 100,
  /** The messages of one record. */
  count: 1_000_000_000,
  /** The characters of one field. */
  fieldUnits: 255,
} as const;

export const refusals = {
  empty: { reason: "empty", detail: "the file is empty" },
  notAReport: { reason: "not_a_report", detail: "there is no DMARC aggregate report in it" },
  tlsReport: { reason: "tls_report", detail: "it is a report about TLS (RFC 8460), not about DMARC" },
  failureReport: {
    reason: "failure_report",
    detail: "it is a report about one message (`ruf`); only aggregate reports (`rua`) are read",
  },
  tooLarge: {
    reason: "too_large",
    detail: `it unpacks to more than ${LIMITS.xmlBytes / 1_048_576} MB of XML`,
  },
  tooManyReports: { reason: "too_large", detail: `it holds more than ${LIMITS.reports} reports` },
  tooDeep: { reason: "too_deep", detail: `its elements are nested more than ${LIMITS.depth} deep` },
  nestedArchive: { reason: "nested_archive", detail: "there is an archive inside the archive" },
  brokenArchive: { reason: "broken_archive", detail: "it can't be unpacked to its end" },
  brokenReport: { reason: "broken_report", detail: "the XML ends before the report does" },
} as const satisfies Record<string, Refusal>;
