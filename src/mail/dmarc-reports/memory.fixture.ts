/** Reads the file that it is given and says, as JSON, what came of it and by how much the process grew meanwhile. */
import { readFileSync } from "node:fs";
import { readDmarcReport } from "./dmarc-reports.ts";
import { NOON, reportOf } from "./reports.fixture.ts";

await readDmarcReport(Buffer.from(reportOf()), { now: NOON });
const file = readFileSync(process.argv[2] ?? "");
const before = process.resourceUsage().maxRSS;
const read = await readDmarcReport(file, { now: NOON });
const grownMb = (process.resourceUsage().maxRSS - before) / 1_024;
const said = read.ok ? { rows: read.reports[0]?.rows.length } : { reason: read.reason };
process.stdout.write(JSON.stringify({ ...said, grownMb }));
