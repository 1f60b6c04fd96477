/** The routes by which an account, and whoever looks after the instance, read statements. */
import { Readable } from "node:stream";
import { Type } from "typebox";
import { getAccount } from "../../accounts/accounts.ts";
import type { Ctx } from "../../platform/context.ts";
import { pageAnswer } from "../../platform/http/paging/cursor.ts";
import { type Call, type Route, readRoute } from "../../platform/http/route.ts";
import { requireId } from "../../platform/ids.ts";
import { missing } from "../../platform/problems.ts";
import { requireAccount } from "../account-store.ts";
import { statementDocument } from "./document/document.ts";
import { proofLines } from "./proof-csv.ts";
import {
  InstanceStatementParams,
  ProofQuery,
  Statement,
  StatementPage,
  StatementParams,
  StatementProof,
  StatementQuery,
} from "./schema.ts";
import {
  keyOf,
  listAllStatements,
  type Reading,
  readProof,
  readStatement,
  shapeSources,
  shapeStatement,
} from "./statements.ts";

const path = "/v1/usage/statements";
/** Statements show amounts, and their proof numbers of mails alone. */
const common = { scope: "billing:read", tag: "Billing", params: StatementParams } as const;
const proving = { scope: "usage:read", tag: "Usage", params: StatementParams } as const;
const idOf = ({ id }: { readonly id: string }) => requireId("sta", id, "statement");

export function statementRoutes({ issuer }: { readonly issuer: readonly string[] }): readonly Route[] {
  return [...readingRoutes, documentRoute(issuer)];
}

const readingRoutes: readonly Route[] = [
  readRoute({
    scope: "billing:read",
    tag: "Billing",
    path,
    summary: "List statements",
    description:
      "What each period costs, newest first. The one that lasts now is reckoned at the moment of asking, and so is one that has just ended.",
    query: StatementQuery,
    success: { status: 200, schema: StatementPage, description: "A page of statements." },
    handler: (call) => answerPage(call, call.ctx),
  }),
  readRoute({
    ...common,
    path: `${path}/:id`,
    summary: "Get a statement",
    success: { status: 200, schema: Statement, description: "The statement." },
    async handler({ ctx, params }) {
      return { status: 200, body: shapeStatement(await readStatement(ctx, idOf(params))) };
    },
  }),
  readRoute({
    ...proving,
    path: `${path}/:id/proof`,
    summary: "See of what a statement's mails were",
    description:
      "How many mails of each campaign, of each automation and of transactional mail servers accepted in the period, counted from the ledger. They add up " +
      "to the statement's mails; a campaign that was sent within the period has as many as its stats say. It is kept with the statement, also when the " +
      "ledger has dropped the mails and the campaign is deleted.",
    query: ProofQuery,
    success: { status: 200, schema: StatementProof, description: "A page of sources." },
    async handler(call) {
      const { ctx, query, after } = call;
      const proof = await readProof(ctx, idOf(call.params));
      const behind = after?.[0] ?? "";
      const rest = after ? proof.sources.filter((row) => keyOf(proof, row) > behind) : proof.sources;
      const page = rest.slice(0, query.limit + 1);
      const total = query.include_total ? proof.sources.length : undefined;
      const sources = await shapeSources(ctx, proof, page.slice(0, query.limit));
      const { body, headers } = pageAnswer(
        call,
        page,
        (row) => [keyOf(proof, row)],
        () => null,
        total,
      );
      if (!body) throw new Error("a page has a body");
      const { object: _, data: __, ...paging } = body;
      const { id } = call.params;
      const shown = { statement_id: id, mails: proof.statement.bill.mails, sources, ...paging };
      return {
        status: 200,
        body: { object: "statement_proof" as const, ...shown },
        ...(headers && { headers }),
      };
    },
  }),
  readRoute({
    ...proving,
    path: `${path}/:id/proof/export`,
    summary: "Download of what a statement's mails were",
    description: "The whole proof as a table.",
    success: { status: 200, schema: Type.String(), contentType: "text/csv", description: "The table." },
    async handler({ ctx, params }) {
      const proof = await readProof(ctx, idOf(params));
      const lines = proofLines(await shapeSources(ctx, proof, proof.sources));
      const headers = {
        "content-type": "text/csv; charset=utf-8",
        "content-disposition": `attachment; filename="${params.id}.csv"`,
      };
      return { status: 200, headers, stream: Readable.from(lines, { objectMode: false }) };
    },
  }),
  readRoute({
    path: "/v1/instance/accounts/:id/statements",
    ofInstance: true,
    scope: "operator",
    tag: "Plans",
    summary: "List an account's statements",
    description: "Newest first, as the account itself sees them.",
    params: InstanceStatementParams,
    query: StatementQuery,
    success: { status: 200, schema: StatementPage, description: "A page of statements." },
    async handler(call) {
      const accountId = requireId("acc", call.params.id, "account");
      await requireAccount(call.ctx.sql, accountId);
      return answerPage(call, { ...call.ctx, accountId });
    },
  }),
];

/** A page for people, which a browser prints. It has no script and fetches nothing. */
function documentRoute(issuer: readonly string[]): Route {
  return readRoute({
    ...common,
    path: `${path}/:id/document`,
    summary: "Get a statement to print",
    description:
      "As a page of HTML, in the account's language, with the name and address of who issues it (`BILLING_ISSUER`) and of the account.",
    success: { status: 200, schema: Type.String(), contentType: "text/html", description: "The page." },
    async handler({ ctx, params }) {
      const [row, account] = [
        await readStatement(ctx, idOf(params)),
        await getAccount(ctx.sql, ctx.accountId),
      ];
      if (!account) throw missing("account");
      const { headers, body } = statementDocument(shapeStatement(row), account, issuer);
      return { status: 200, headers, stream: Readable.from([Buffer.from(body)], { objectMode: false }) };
    },
  });
}

type PageQuery = {
  readonly state?: "open" | "closed";
  readonly limit: number;
  readonly include_total: boolean;
};
type PageCall = Pick<
  Call<unknown, PageQuery, unknown, Ctx>,
  "query" | "after" | "signCursor" | "urlWithCursor"
>;

async function answerPage(call: PageCall, reading: Reading) {
  const { query, after } = call;
  const { rows, total } = await listAllStatements(reading, {
    state: query.state,
    limit: query.limit + 1,
    after: after && { from: String(after[0]), id: String(after[1]) },
    counts: query.include_total,
  });
  const positionOf = (row: (typeof rows)[number]) => [row.period_from.toISOString(), row.id];
  return pageAnswer(call, rows, positionOf, shapeStatement, total);
}
