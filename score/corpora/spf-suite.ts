/**
 * Reads the test suite of RFC 7208 (openspf.org). It is YAML, of which the suite uses little: documents of tests and zones,
 * with a value to a line wherever it matters here. Comments and descriptions, which may span lines, are skipped.
 */
export type SpfCase = {
  readonly id: string;
  readonly helo: string;
  readonly host: string;
  readonly mailfrom: string;
  /** Any of these is right. */
  readonly results: readonly string[];
  readonly explanation: string | undefined;
};
/** `TIMEOUT` stands in the list of a name in place of a record. */
export type ZoneEntry = { readonly type: string; readonly values: readonly string[] };
export type SpfScenario = {
  readonly description: string;
  readonly cases: readonly SpfCase[];
  /** By names in lower case. */
  readonly zone: ReadonlyMap<string, readonly ZoneEntry[]>;
};

export function readSpfSuite(text: string): SpfScenario[] {
  return text
    .split(/^---$/m)
    .map((document) => readScenario(document.split("\n").filter((line) => !/^\s*#/.test(line))))
    .filter(({ cases }) => cases.length > 0);
}

function readScenario(lines: readonly string[]): SpfScenario {
  let section = "";
  let name = "";
  let description = "";
  const tests = new Map<string, Map<string, readonly string[]>>();
  const zone = new Map<string, ZoneEntry[]>();
  for (const line of lines) {
    const [, top, value = ""] = /^(\w+):\s*(.*)$/.exec(line) ?? [];
    const [, key] = /^ {4}(\S.*?):\s*$/.exec(line) ?? [];
    const [, field, ofField = ""] = /^ {8}(\w+): (.*)$/.exec(line) ?? [];
    const [, type, ofType] = /^ {8}- (\w+)(?:: (.*))?$/.exec(line) ?? [];
    if (top !== undefined) section = top;
    if (top === "description") description = value;
    if (key !== undefined) name = readScalar(key);
    if (section === "tests" && field !== undefined)
      tests.set(name, (tests.get(name) ?? new Map()).set(field, readValue(ofField)));
    if (section === "zonedata" && type !== undefined) {
      const entries = zone.get(name.toLowerCase()) ?? [];
      entries.push({ type, values: ofType === undefined ? [] : readValue(ofType) });
      zone.set(name.toLowerCase(), entries);
    }
    if (section === "zonedata" && key !== undefined && !zone.has(name.toLowerCase()))
      zone.set(name.toLowerCase(), []);
  }
  const cases = [...tests].map(([id, fields]) => ({
    id,
    helo: fields.get("helo")?.[0] ?? "",
    host: fields.get("host")?.[0] ?? "",
    mailfrom: fields.get("mailfrom")?.[0] ?? "",
    results: fields.get("result") ?? [],
    explanation: fields.get("explanation")?.[0],
  }));
  return { description, cases, zone };
}

function readValue(text: string): string[] {
  const [, list] = /^\[(.*)\]$/.exec(text.trim()) ?? [];
  return list === undefined ? [readScalar(text)] : list.split(",").map(readScalar);
}

const ESCAPED: Readonly<Record<string, string>> = { "0": "\0", n: "\n", t: "\t" };

function readScalar(text: string): string {
  const plain = text.trim();
  if (/^'.*'$/.test(plain)) return plain.slice(1, -1).replaceAll("''", "'");
  if (!/^".*"$/.test(plain)) return plain;
  return plain
    .slice(1, -1)
    .replaceAll(/\\(?:x([\da-f]{2})|(.))/gi, (_, code: string | undefined, one: string) =>
      code === undefined ? (ESCAPED[one] ?? one) : String.fromCharCode(Number.parseInt(code, 16)),
    );
}
