/** Answers who sends in an account's name, and how it fares, as the reports tell it. */
import { isIP } from "node:net";
import type { Ctx } from "../../platform/context.ts";
import { toPublicId } from "../../platform/ids.ts";
import { AppError, invalidQuery } from "../../platform/problems.ts";
import {
  type GroupRow,
  type Range,
  readDays,
  readGroups,
  readSources,
  readTotals,
  type SourceRow,
} from "./numbers-store.ts";
import type { DmarcGroup, DmarcNumbers, Grouping } from "./schema.ts";
import { serviceName } from "./services.ts";
import { readDomainIds } from "./store.ts";
import type { OwnAddresses } from "./watch-sources.ts";

type Asked = {
  readonly domainId: string | undefined;
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly grouping: Grouping;
  readonly sourceIp: string | undefined;
  readonly limit: number;
};

const DAY_MS = 24 * 3_600_000;
const DAYS_SHOWN = 30;

export async function readNumbers(ctx: Ctx, asked: Asked, ownAddresses: OwnAddresses): Promise<DmarcNumbers> {
  const { sql: db, accountId } = ctx;
  const { from, to } = daysOf(asked, ctx.clock.now());
  if (asked.sourceIp !== undefined && isIP(asked.sourceIp) === 0)
    throw faulty("source_ip", "invalid_ip", "must be an IPv4 or IPv6 address");
  const all = [...(await readDomainIds(db, accountId)).values()];
  const domainIds = asked.domainId === undefined ? all : [asked.domainId];
  const range: Range = { domainIds, from, to, sourceIp: asked.sourceIp };
  const [totals, groups] = await Promise.all([
    readTotals(db, accountId, range),
    readData(ctx, range, asked, ownAddresses),
  ]);
  return {
    object: "dmarc_numbers",
    group_by: asked.grouping,
    domain_id: asked.domainId === undefined ? null : toPublicId("dom", asked.domainId),
    from,
    to,
    totals,
    groups: groups.count,
    data: groups.data,
  };
}

function daysOf({ from, to }: Pick<Asked, "from" | "to">, now: Date): { from: string; to: string } {
  if (from !== undefined && !isDay(from)) throw faulty("from", "invalid_day", "must be a day");
  if (to !== undefined && !isDay(to)) throw faulty("to", "invalid_day", "must be a day");
  const last = to ?? now.toISOString().slice(0, 10);
  const first = from ?? new Date(Date.parse(last) - (DAYS_SHOWN - 1) * DAY_MS).toISOString().slice(0, 10);
  if (first > last) throw faulty("from", "invalid_range", "must not be after `to`");
  return { from: first, to: last };
}

/** A day such as 31 February has the form of one, and is none. */
function isDay(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

function faulty(parameter: string, code: string, detail: string): AppError {
  return new AppError(invalidQuery, `${parameter} ${detail}`, { faults: [{ parameter, code, detail }] });
}

async function readData(
  { sql: db, accountId }: Ctx,
  range: Range,
  { grouping, limit }: Asked,
  ownAddresses: OwnAddresses,
): Promise<{ count: number; data: DmarcGroup[] }> {
  if (grouping === "source") {
    const own = await ownAddresses(db, accountId);
    const rows = await readSources(db, accountId, { ...range, own }, limit);
    return { count: rows[0]?.groups ?? 0, data: rows.map(shapeSource) };
  }
  const rows =
    grouping === "day"
      ? await readDays(db, accountId, range, limit)
      : await readGroups(db, accountId, { ...range, grouping }, limit);
  return { count: rows[0]?.groups ?? 0, data: rows.map((row) => shapeGroup(row, nameOf(grouping, row.key))) };
}

function nameOf(grouping: Grouping, key: string): string {
  if (grouping !== "selector") return key;
  if (key === "") return "No signature of yours";
  return key === "?" ? "Selector not told" : key.replaceAll(",", ", ");
}

function shapeSource({ kind, host, addresses, source_ips, ...row }: SourceRow): DmarcGroup {
  const name =
    kind === "own_transport"
      ? "Your transport"
      : kind === "known_service"
        ? serviceName(row.key)
        : (host ?? row.key);
  return { ...shapeGroup(row, name), kind, host, addresses, source_ips };
}

function shapeGroup({ groups: _, ...row }: GroupRow, name: string): DmarcGroup {
  return { ...row, name, kind: null, host: null, addresses: null, source_ips: [] };
}
