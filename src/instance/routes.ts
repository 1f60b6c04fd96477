/** The routes of operators. To everybody else each of them is a path that isn't there. */
import { limitsEtag, linkUrl, noSession, shapeVisit, userExists } from "../accounts/accounts.ts";
import { Visit } from "../accounts/schema.ts";
import { nothingOwed } from "../billing/billing.ts";
import type { TxCtx } from "../platform/context.ts";
import { pageByAge } from "../platform/http/paging/page-by-age.ts";
import { type Route, readRoute, writeRoute } from "../platform/http/route.ts";
import { fromPublicId, requireId } from "../platform/ids.ts";
import { AppError } from "../platform/problems.ts";
import { countAccounts, listAccounts, readSummary } from "./account-store.ts";
import {
  changeAccount,
  lookIn,
  openAccount,
  putPaymentOff,
  readAccount,
  reinstateAccount,
  releaseFromStanding,
  shapeAccounts,
  suspendAccount,
} from "./instance.ts";
import { reviewRoutes } from "./reviews/routes.ts";
import {
  AccountParams,
  Grace,
  InstanceAccount,
  InstanceAccountCreate,
  InstanceAccountPage,
  InstanceAccountPatch,
  InstanceAccountQuery,
  InstanceSummary,
  LookIn,
  NewInstanceAccount,
  Release,
  Suspension,
} from "./schema.ts";

/** No key of an account has this scope: whoever is no operator is told that there is no such path. */
const common = { ofInstance: true, scope: "operator", tag: "Instance" } as const;
const changing = { ...common, needsConfirmation: true } as const;
const one = (description: string) => ({ status: 200, schema: InstanceAccount, description });

export function instanceRoutes({ version }: { readonly version: string }): readonly Route[] {
  return [
    ...reviewRoutes,
    readRoute({
      ...common,
      path: "/v1/instance/summary",
      summary: "Count what the instance has",
      success: { status: 200, schema: InstanceSummary, description: "The version, and how many there are." },
      async handler({ ctx }) {
        const { people, operators, ...accounts } = await readSummary(ctx.sql);
        const object = "instance_summary" as const;
        return { status: 200, body: { object, version, accounts, people, operators } };
      },
    }),
    readRoute({
      ...common,
      path: "/v1/instance/accounts",
      summary: "List accounts",
      description: "Newest first.",
      query: InstanceAccountQuery,
      success: { status: 200, schema: InstanceAccountPage, description: "A page of accounts." },
      async handler(call) {
        const { ctx, query } = call;
        const id = query.q === undefined ? undefined : fromPublicId("acc", query.q);
        const filter = { state: query.state, id, name: id === undefined ? query.q : undefined };
        const { body, ...answer } = await pageByAge(call, {
          list: (db, _none, page) => listAccounts(db, filter, page),
          count: (db) => countAccounts(db, filter),
          shape: (row) => row,
        });
        if (!body) throw new Error("a page has a body");
        const data = await shapeAccounts(ctx.sql, body.data, ctx.clock.now());
        return { ...answer, body: { ...body, data } };
      },
    }),
    writeRoute({
      ...changing,
      method: "POST",
      path: "/v1/instance/accounts",
      audit: { action: "account.created", of: "answer" },
      summary: "Open an account",
      description:
        "It begins with a list and an owner who is invited: the answer has the link by which they join, shown once. Nothing is mailed.",
      body: InstanceAccountCreate,
      shownOnce: ["owner_link"],
      success: { status: 201, schema: NewInstanceAccount, description: "The account, and its owner's link." },
      async handler({ ctx, body, baseUrl }) {
        const { accountId, token } = await openAccount(ctx, {
          name: body.name,
          ownerEmail: body.owner_email,
          ownerName: body.owner_name ?? "",
        });
        const account = await readAccount(ctx.sql, accountId, ctx.clock.now());
        return {
          status: 201,
          body: { ...account, owner_link: linkUrl(baseUrl, token) },
          headers: { location: `${baseUrl}/v1/instance/accounts/${account.id}` },
          about: { accountId, targetId: null },
        };
      },
    }),
    readRoute({
      ...common,
      path: "/v1/instance/accounts/:id",
      summary: "Get an account",
      params: AccountParams,
      success: one("The account."),
      async handler({ ctx, params }) {
        const account = await readAccount(ctx.sql, accountOf(params), ctx.clock.now());
        return { status: 200, body: account, etag: limitsEtag(account) };
      },
    }),
    writeRoute({
      ...changing,
      method: "PATCH",
      path: "/v1/instance/accounts/:id",
      audit: { action: "account.limited", of: "path" },
      summary: "Change the name and the limits of an account",
      description:
        "What is left out stays as it is; null takes a limit away. Mails beyond the limit of a day wait for the next; a limit that is set during a day counts " +
        "from then on, and what senders have taken up already leaves. Subscribers beyond their limit stay, and none is added.",
      params: AccountParams,
      body: InstanceAccountPatch,
      success: one("The account as it now is."),
      async handler({ ctx, params, body, ifMatch }) {
        const accountId = accountOf(params);
        await changeAccount(ctx, accountId, body, ifMatch);
        const account = await readAccount(ctx.sql, accountId, ctx.clock.now());
        const about = { accountId, targetId: null };
        return { status: 200, body: account, etag: limitsEtag(account), about };
      },
    }),
    writeRoute({
      ...changing,
      method: "POST",
      path: "/v1/instance/accounts/:id/suspend",
      audit: { action: "account.suspended", of: "path" },
      summary: "Suspend an account",
      description:
        "It is read and exported as before; nothing in it is changed, and nothing is sent. Its people are shown the reason. What was under way " +
        "goes on once it is reinstated. One that is suspended already keeps its reason.",
      params: AccountParams,
      body: Suspension,
      success: one("The account as it now is."),
      async handler({ ctx, params, body }) {
        const accountId = accountOf(params);
        return answerOf(ctx, accountId, await suspendAccount(ctx, accountId, body.reason));
      },
    }),
    writeRoute({
      ...changing,
      method: "POST",
      path: "/v1/instance/accounts/:id/reinstate",
      audit: { action: "account.reinstated", of: "path" },
      summary: "Take a suspension back",
      description:
        "What else holds the account stays: its deletion is its owner's, and its standing the service's.",
      params: AccountParams,
      success: one("The account as it now is."),
      async handler({ ctx, params }) {
        const accountId = accountOf(params);
        return answerOf(ctx, accountId, await reinstateAccount(ctx, accountId));
      },
    }),
    writeRoute({
      ...changing,
      method: "POST",
      path: "/v1/instance/accounts/:id/release",
      audit: { action: "account.released", of: "path" },
      summary: "Let an account send again",
      description:
        "Takes away the hold of the kind `standing`, by which too many bounces or complaints stopped it. What it sent before doesn't count any more. " +
        "Where there is no such hold, nothing changes.",
      params: AccountParams,
      body: Release,
      success: one("The account as it now is."),
      async handler({ ctx, params, body }) {
        const accountId = accountOf(params);
        return answerOf(ctx, accountId, await releaseFromStanding(ctx, accountId, body.reason));
      },
    }),
    writeRoute({
      ...changing,
      method: "POST",
      path: "/v1/instance/accounts/:id/grace",
      audit: { action: "account.payment_put_off", of: "path" },
      summary: "Let an account send that hasn't paid yet",
      description:
        "Takes away the hold of the kind `payment_overdue`, and until then nothing follows from what the account owes and nobody is told of it. What it still owes " +
        "then stops what it would have stopped by that day. Null takes the grace back at once. Where it pays before, the grace ends with the debt.",
      params: AccountParams,
      body: Grace,
      success: one("The account as it now is."),
      problems: [nothingOwed],
      async handler({ ctx, params, body }) {
        const accountId = accountOf(params);
        const until = body.until === null ? null : new Date(body.until);
        const { reason } = body;
        return answerOf(ctx, accountId, await putPaymentOff(ctx, accountId, { until, reason }));
      },
    }),
    writeRoute({
      ...changing,
      method: "POST",
      path: "/v1/instance/accounts/:id/look_in",
      audit: { action: "account.looked_into", of: "path" },
      summary: "Look into an account as a viewer",
      description:
        "Whoever is signed in then sees the account as a viewer does, for an hour at most, by naming it in `Postrider-Account`. Its owners are shown " +
        "that, with the reason, and may end it. A key of the instance can't: it is nobody.",
      params: AccountParams,
      body: LookIn,
      success: { status: 201, schema: Visit, description: "The visit." },
      problems: [noSession, userExists],
      async handler({ ctx, params, body, principal }) {
        const accountId = accountOf(params);
        const personId = principal.operator?.personId;
        if (!personId) throw new AppError(noSession, "a key of the instance is nobody; sign in to look in");
        const { reason, minutes = 60 } = body;
        const visit = shapeVisit(await lookIn(ctx, personId, accountId, { reason, minutes }));
        return { status: 201, body: visit, about: { accountId, targetId: visit.id } };
      },
    }),
  ];
}

/** Shows the account as it now is. Where nothing was changed, the logs have nothing to say. */
async function answerOf(ctx: TxCtx, accountId: string, isChanged: boolean) {
  const account = await readAccount(ctx.sql, accountId, ctx.clock.now());
  const about = { accountId, targetId: null };
  return { status: 200, body: account, about, ...(!isChanged && { changedNothing: true as const }) };
}

function accountOf({ id }: { readonly id: string }): string {
  return requireId("acc", id, "account");
}
