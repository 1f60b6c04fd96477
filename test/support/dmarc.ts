import assert from "node:assert/strict";
import { recordOf, reportOf } from "../../src/mail/dmarc-reports/reports.fixture.ts";
import { fromPublicId, toPublicId } from "../../src/platform/ids.ts";
import type { Reply, TestApp } from "./app.ts";
import { addDomain } from "./domains.ts";
import { until } from "./until.ts";

const DAY_S = 86_400;

/** Returns the first second of the day that was so many days ago, by UTC. */
export function startOfDay(daysAgo: number): number {
  return (Math.floor(Date.now() / 1_000 / DAY_S) - daysAgo) * DAY_S;
}

type Records = NonNullable<Parameters<typeof recordOf>[0]>;
type Report = Omit<NonNullable<Parameters<typeof reportOf>[0]>, "records"> & {
  readonly daysAgo?: number;
  readonly records?: readonly Records[];
};

/** Writes a report about a whole day, yesterday unless another is given. */
export function recentReport({ daysAgo = 1, records = [{}], ...more }: Report): string {
  const begin = startOfDay(daysAgo);
  const domain = more.domain ?? "acme.example";
  return reportOf({
    begin,
    end: begin + DAY_S - 1,
    ...more,
    records: records.map((one) => recordOf({ headerFrom: domain, ...one })),
  });
}

/** Makes a domain of an account's, and returns its public id. */
export async function ownDomain(app: TestApp, name: string, accountId = app.accountId): Promise<string> {
  return toPublicId("dom", await addDomain(app.db, fromPublicId("acc", accountId) ?? "", { name }));
}

type Uploaded = { readonly status: number; readonly text: string; readonly body: Reply["body"] };

export async function uploadReport(app: TestApp, file: string | Buffer, key = app.key): Promise<Uploaded> {
  const body = new FormData();
  body.append("file", new Blob([new Uint8Array(Buffer.from(file))]), "report.xml");
  const headers = { authorization: `Bearer ${key}` };
  const reply = await fetch(`${app.baseUrl}/v1/deliverability/reports`, { method: "POST", body, headers });
  const text = await reply.text();
  return { status: reply.status, text, body: JSON.parse(text) };
}

export async function numbersBy(app: TestApp, groupBy: string, more = ""): Promise<Reply["body"]> {
  const reply = await app.api("GET", `/v1/deliverability/dmarc?group_by=${groupBy}${more}`);
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

/** Returns what is first found, asking again until it is there. */
export async function found<T>(look: () => Promise<T | undefined>): Promise<T> {
  let value: T | undefined;
  await until(async () => {
    value = await look();
    return value !== undefined;
  });
  return value as T;
}
