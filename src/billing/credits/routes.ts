import { pageByAge } from "../../platform/http/paging/page-by-age.ts";
import { type Route, readRoute, writeRoute } from "../../platform/http/route.ts";
import { PublicId, Strict } from "../../platform/http/schemas.ts";
import { requireId } from "../../platform/ids.ts";
import { requireAccount } from "../account-store.ts";
import { creditReversed, creditSpent } from "../problems.ts";
import { countCredits, listCredits } from "./credit-store.ts";
import { giveCredit, type ReadUsed, shapeCredit } from "./credits.ts";
import { Credit, CreditCreate, CreditPage, CreditQuery } from "./schema.ts";

const path = "/v1/instance/accounts/:id/credits";
const common = { path, ofInstance: true, scope: "operator", tag: "Plans" } as const;
const Params = Strict({ id: PublicId("acc") });
const accountOf = ({ id }: { readonly id: string }) => requireId("acc", id, "account");

export const creditRoutes = (readUsed: ReadUsed): readonly Route[] => [
  readRoute({
    ...common,
    summary: "List an account's credits",
    description: "Newest first.",
    params: Params,
    query: CreditQuery,
    success: { status: 200, schema: CreditPage, description: "A page of credits." },
    async handler(call) {
      const accountId = accountOf(call.params);
      await requireAccount(call.ctx.sql, accountId);
      return pageByAge(call, {
        list: (db, _none, page) => listCredits(db, accountId, page),
        count: (db) => countCredits(db, accountId),
        shape: shapeCredit,
      });
    },
  }),
  writeRoute({
    ...common,
    method: "POST",
    needsConfirmation: true,
    audit: { action: "credit.given", of: "answer" },
    summary: "Give an account a credit",
    description:
      "An `amount` in a `currency` is taken off bills; `mails` are sent beyond those that the plan includes, at no charge. Credits are never changed: one " +
      "that was a mistake is taken back by another that `reverses` it, once, as long as it isn't spent. Mails are spent once they are sent.",
    params: Params,
    body: CreditCreate,
    success: { status: 201, schema: Credit, description: "The credit." },
    problems: [creditReversed, creditSpent],
    async handler({ ctx, params, body, principal }) {
      const accountId = accountOf(params);
      const { operator } = principal;
      if (!operator) throw new Error("only operators reach the routes of the instance");
      const credit = shapeCredit(
        await giveCredit({ ...ctx, accountId }, { operatorId: operator.id, readUsed }, body),
      );
      return { status: 201, body: credit, about: { accountId, targetId: credit.id } };
    },
  }),
];
