/** The routes of one's own second factors and recovery codes. */
import { type Route, readRoute, writeRoute } from "../../platform/http/route.ts";
import { PublicId, Strict } from "../../platform/http/schemas.ts";
import { requireId } from "../../platform/ids.ts";
import { AppError } from "../../platform/problems.ts";
import { countCodes, hasFactor, listFactors, replaceCodes } from "../factors/factors.ts";
import { lockPerson } from "../people/people.ts";
import { factorActive, noFactor, noSession, originMismatch, tooManyFactors } from "../problems.ts";
import { findPeopleOf, presentSession } from "../sessions/sessions.ts";
import { shapeAdded, shapeFactor } from "./factor-shape.ts";
import { activateOwnApp, beginOwnApp, removeOwnFactor, renameOwnFactor } from "./own-factors.ts";
import {
  AddedFactor,
  Factor,
  FactorActivation,
  FactorCreate,
  FactorList,
  FactorPatch,
  NewFactor,
  NewRecoveryCodes,
  RecoveryCodes,
} from "./schema.ts";
import type { SecurityTools } from "./security.ts";

const params = Strict({ id: PublicId("fac") });
const ONLY_PEOPLE = "For people who are signed in; an API key has no session.";
/** Every user has this scope: it is about themselves. */
const own = { scope: "account:read", isPersonal: true, tag: "Second factors" } as const;

export function factorRoutes({ secrets }: SecurityTools): readonly Route[] {
  return [
    readRoute({
      ...own,
      path: "/v1/factors",
      summary: "List one's own second factors",
      description: `Oldest first. ${ONLY_PEOPLE}`,
      success: { status: 200, schema: FactorList, description: "The factors that are in use." },
      problems: [noSession],
      async handler({ ctx, principal, client }) {
        const { person_id: personId } = await presentSession(ctx.sql, principal, client.cookies);
        const data = (await listFactors(ctx.sql, personId)).map(shapeFactor);
        return { status: 200, body: { object: "list" as const, data, has_more: false as const } };
      },
    }),
    writeRoute({
      ...own,
      method: "POST",
      path: "/v1/factors",
      audit: { none: "nothing is in use until it is activated, and that is recorded" },
      needsConfirmation: true,
      summary: "Begin to set up an authenticator app",
      description: `The secret is in this answer and never again. The app is in use once \`…/activate\` got a first code of it. ${ONLY_PEOPLE}`,
      body: FactorCreate,
      shownOnce: ["secret", "uri"],
      success: { status: 201, schema: NewFactor, description: "The app, pending, and its secret." },
      problems: [noSession, originMismatch, tooManyFactors],
      async handler({ ctx, principal, client, body }) {
        const { person_id: personId } = await presentSession(ctx.sql, principal, client.cookies);
        const name = body.name ?? "Authenticator app";
        const { factor, secret, uri } = await beginOwnApp(ctx, secrets, personId, name);
        return { status: 201, body: { ...shapeFactor(factor), secret, uri } };
      },
    }),
    writeRoute({
      ...own,
      method: "POST",
      path: "/v1/factors/:id/activate",
      audit: { action: "factor.added", of: "people" },
      needsConfirmation: true,
      summary: "Activate an authenticator app",
      description: `From now on a sign-in wants a factor. With the first one the person's other sessions end. ${ONLY_PEOPLE}`,
      params,
      body: FactorActivation,
      shownOnce: ["recovery_codes"],
      success: { status: 200, schema: AddedFactor, description: "The app, in use." },
      problems: [noSession, originMismatch, factorActive, tooManyFactors],
      async handler({ ctx, principal, client, params, body }) {
        const session = await presentSession(ctx.sql, principal, client.cookies);
        const id = requireId("fac", params.id, "factor");
        const added = await activateOwnApp(ctx, secrets, session, id, body.code);
        const people = await findPeopleOf(ctx.sql, session.person_id);
        return { status: 200, body: shapeAdded(added), people };
      },
    }),
    writeRoute({
      ...own,
      method: "PATCH",
      path: "/v1/factors/:id",
      audit: { action: "factor.renamed", of: "people" },
      summary: "Rename a second factor",
      description: ONLY_PEOPLE,
      params,
      body: FactorPatch,
      success: { status: 200, schema: Factor, description: "The factor as it now is." },
      problems: [noSession, originMismatch],
      async handler({ ctx, principal, client, params, body }) {
        const { person_id: personId } = await presentSession(ctx.sql, principal, client.cookies);
        const id = requireId("fac", params.id, "factor");
        const renamed = await renameOwnFactor(ctx, personId, id, body.name);
        return { status: 200, body: shapeFactor(renamed), people: await findPeopleOf(ctx.sql, personId) };
      },
    }),
    writeRoute({
      ...own,
      method: "DELETE",
      path: "/v1/factors/:id",
      audit: { action: "factor.removed", of: "people" },
      needsConfirmation: true,
      summary: "Remove a second factor",
      description: `With the last one the recovery codes end, and the password alone is enough again. ${ONLY_PEOPLE}`,
      params,
      success: { status: 204, schema: null, description: "Removed." },
      problems: [noSession, originMismatch],
      async handler({ ctx, principal, client, params }) {
        const { person_id: personId } = await presentSession(ctx.sql, principal, client.cookies);
        await removeOwnFactor(ctx, personId, requireId("fac", params.id, "factor"));
        return { status: 204, people: await findPeopleOf(ctx.sql, personId) };
      },
    }),
    readRoute({
      ...own,
      path: "/v1/recovery_codes",
      summary: "See how many recovery codes are left",
      description: ONLY_PEOPLE,
      success: { status: 200, schema: RecoveryCodes, description: "Their number; never the codes." },
      problems: [noSession],
      async handler({ ctx, principal, client }) {
        const { person_id: personId } = await presentSession(ctx.sql, principal, client.cookies);
        const { left, made_at: madeAt } = await countCodes(ctx.sql, personId);
        return { status: 200, body: { ...CODES, left, made_at: madeAt?.toISOString() ?? null } };
      },
    }),
    writeRoute({
      ...own,
      method: "POST",
      path: "/v1/recovery_codes",
      audit: { action: "factor.codes_made", of: "people" },
      needsConfirmation: true,
      summary: "Make new recovery codes",
      description: `The codes from before end. ${ONLY_PEOPLE}`,
      shownOnce: ["codes"],
      success: { status: 201, schema: NewRecoveryCodes, description: "Ten codes, shown once." },
      problems: [noSession, originMismatch, noFactor],
      async handler({ ctx, principal, client }) {
        const { person_id: personId } = await presentSession(ctx.sql, principal, client.cookies);
        await lockPerson(ctx.sql, personId);
        if (!(await hasFactor(ctx.sql, personId))) {
          throw new AppError(noFactor, "set up an authenticator app or a passkey first");
        }
        const now = ctx.clock.now();
        const codes = [...(await replaceCodes(ctx.sql, personId, now))];
        return {
          status: 201,
          body: { ...CODES, left: codes.length, made_at: now.toISOString(), codes },
          people: await findPeopleOf(ctx.sql, personId),
        };
      },
    }),
  ];
}

const CODES = { object: "recovery_codes" } as const;
