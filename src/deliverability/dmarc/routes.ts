import type { Ctx, TxCtx } from "../../platform/context.ts";
import { pageByAge } from "../../platform/http/paging/page-by-age.ts";
import { type Route, readRoute, uploadRoute } from "../../platform/http/route.ts";
import { fromPublicId } from "../../platform/ids.ts";
import { AppError, invalidQuery } from "../../platform/problems.ts";
import { keepReports } from "./keep-reports.ts";
import { readNumbers } from "./numbers.ts";
import { foreignDomain, invalidReport, reportsBusy, reportTooOld } from "./problems.ts";
import { createReceive, MOST_BYTES, type Received } from "./receive.ts";
import { DmarcNumbers, DmarcQuery, DmarcReportPage, DmarcReportQuery, DmarcUpload } from "./schema.ts";
import { shapeReport } from "./shape.ts";
import { countReports, listReports, type ReportRow, readDomainIds } from "./store.ts";
import type { OwnAddresses } from "./watch-sources.ts";

const tag = "Deliverability";
const read = "deliverability:read";

export function dmarcRoutes(tools: { readonly ownAddresses: OwnAddresses }): readonly Route[] {
  const receive = createReceive();
  return [
    readRoute({
      path: "/v1/deliverability/dmarc",
      scope: read,
      tag,
      summary: "Who sends in your name",
      description:
        "What DMARC reports say of mail from your domains, added up by source, reporter, day or selector. Sources are named: your own " +
        "transports by the addresses that mail tests found, services by their servers' names, and all others are unknown. Reports " +
        "come by mail, and anybody may write one: see the documents on DMARC reports.",
      query: DmarcQuery,
      success: { status: 200, schema: DmarcNumbers, description: "The numbers." },
      async handler({ ctx, query }) {
        const asked = {
          domainId: await readDomainId(ctx, query.domain_id),
          from: query.from,
          to: query.to,
          grouping: query.group_by,
          sourceIp: query.source_ip,
          limit: query.limit,
        };
        return { status: 200, body: await readNumbers(ctx, asked, tools.ownAddresses) };
      },
    }),
    readRoute({
      path: "/v1/deliverability/reports",
      scope: read,
      tag,
      summary: "List DMARC reports",
      description: "Newest first. Reports are kept for 13 months.",
      query: DmarcReportQuery,
      success: { status: 200, schema: DmarcReportPage, description: "A page of reports." },
      async handler(call) {
        const filter = { domainId: await readDomainId(call.ctx, call.query.domain_id) };
        return pageByAge(call, {
          list: (db, accountId, page) => listReports(db, accountId, filter, page),
          count: (db, accountId) => countReports(db, accountId, filter),
          shape: shapeReport,
        });
      },
    }),
    uploadRoute({
      path: "/v1/deliverability/reports",
      scope: "deliverability:write",
      audit: { action: "dmarc_report.uploaded", of: "account" },
      tag,
      summary: "Upload a DMARC report",
      description:
        "An aggregate report (RFC 9990 or RFC 7489) of up to 10 MB, as `multipart/form-data` with the one part `file`: XML, gzip, zip, " +
        "or the mail that brought it. What it is decides its content, not its name. A report that was there already counts once: the " +
        "answer is 200 where all of them were.",
      mostBytes: MOST_BYTES,
      success: { status: 201, schema: DmarcUpload, description: "What was read." },
      alsoAnswers: [200],
      problems: [invalidReport, foreignDomain, reportTooOld, reportsBusy],
      async receive({ ctx }, file) {
        const received = await receive(file, ctx.clock.now());
        return { received, sha256: received.sha256 };
      },
      discard: async () => undefined,
      async handler({ ctx }, received) {
        const kept = await keepUploaded(ctx, received);
        const body = {
          object: "dmarc_upload" as const,
          data: kept.map(({ row, isNew }) => ({ report: shapeReport(row), is_new: isNew })),
        };
        return { status: kept.some(({ isNew }) => isNew) ? 201 : 200, body };
      },
    }),
  ];
}

/** Keeps all reports of a file or none. */
async function keepUploaded(
  ctx: TxCtx,
  { reports }: Received,
): Promise<{ readonly row: ReportRow; readonly isNew: boolean }[]> {
  const made = await keepReports(ctx, reports, { channel: "upload", senderDomain: null });
  return made.map((one) => {
    if (one.kind === "foreign_domain") {
      const { domain } = one;
      throw new AppError(foreignDomain, `${domain} is no domain of this account's`, { members: { domain } });
    }
    if (one.kind === "too_old")
      throw new AppError(reportTooOld, "the report is about more than 13 months ago");
    return { row: one.row, isNew: one.kind === "kept" };
  });
}

/** An unknown id in a query is answered with 400. */
async function readDomainId({ sql, accountId }: Ctx, given: string | undefined): Promise<string | undefined> {
  if (given === undefined) return undefined;
  const id = fromPublicId("dom", given);
  if (id !== undefined && [...(await readDomainIds(sql, accountId)).values()].includes(id)) return id;
  throw new AppError(invalidQuery, "there is no such domain", {
    faults: [
      { parameter: "domain_id", code: "not_found", detail: "there is no such domain in this account" },
    ],
  });
}
