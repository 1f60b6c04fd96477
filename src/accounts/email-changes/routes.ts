/** The routes by which people change their own address. */
import { type Route, readRoute, writeRoute } from "../../platform/http/route.ts";
import { toPublicId } from "../../platform/ids.ts";
import { AppError } from "../../platform/problems.ts";
import type { Secrets } from "../../platform/secrets.ts";
import { emailFaults } from "../people/people.ts";
import {
  addressTaken,
  linkUnknown,
  linkUsed,
  noSession,
  originMismatch,
  proofUnavailable,
  tooManyAttempts,
  wrongPerson,
} from "../problems.ts";
import { answerPresent, findPeopleOf, presentSession } from "../sessions/sessions.ts";
import { Session } from "../users/schema.ts";
import {
  askForChange,
  type EmailChangeRow,
  findPendingChange,
  redeemChange,
  takeBackChange,
} from "./email-changes.ts";
import { EmailChange, EmailChangeCreate, EmailChangeList, EmailChangeRedemption } from "./schema.ts";

export type EmailChangeOptions = {
  readonly secrets: Secrets;
  /** Whether the instance itself can mail a link: people of an account read what its own server takes, and what comes back to its sender. */
  readonly canProveAddress: boolean;
};

const ONLY_PEOPLE = "For people who are signed in; an API key has no session.";
/** Every user has this scope: it is about themselves. */
const own = { scope: "account:read", isPersonal: true, tag: "Session" } as const;

export function emailChangeRoutes({ secrets, canProveAddress }: EmailChangeOptions): readonly Route[] {
  return [
    readRoute({
      ...own,
      path: "/v1/email_changes",
      summary: "See which change of one's own address is pending",
      description: `There is one at most. ${ONLY_PEOPLE}`,
      success: { status: 200, schema: EmailChangeList, description: "The pending change, or none." },
      problems: [noSession],
      async handler({ ctx, principal, client }) {
        const { person_id: personId } = await presentSession(ctx.sql, principal, client.cookies);
        const found = await findPendingChange(ctx.sql, personId, ctx.clock.now());
        const data = found ? [shape(found)] : [];
        return { status: 200, body: { object: "list" as const, data, has_more: false as const } };
      },
    }),
    writeRoute({
      ...own,
      method: "POST",
      path: "/v1/email_changes",
      audit: { action: "user.email_change_requested", of: "people" },
      hidesTime: true,
      needsConfirmation: true,
      summary: "Ask for a change of one's own address",
      description:
        "Mails a link to the new address, good once and for 24 hours, and tells the old one. Nothing changes until the link is followed by " +
        "whoever is signed in as the same person. The answer is the same if the address is somebody else's: then that address is told so, and " +
        "gets no link. A change that was asked for before ends. At most 3 an hour are taken, and at most 3 mails an hour go to an address. " +
        `A new password ends it too. It needs \`SMTP_URL\` and \`SYSTEM_FROM\`. ${ONLY_PEOPLE}`,
      body: EmailChangeCreate,
      alsoFaults: emailFaults,
      success: { status: 202, schema: EmailChange, description: "The pending change." },
      problems: [noSession, originMismatch, tooManyAttempts, proofUnavailable],
      async handler({ ctx, principal, client, body }) {
        const session = await presentSession(ctx.sql, principal, client.cookies);
        if (!canProveAddress) throw unprovable();
        const change = await askForChange(secrets, ctx, session, body.email);
        return { status: 202, body: shape(change), people: await findPeopleOf(ctx.sql, session.person_id) };
      },
    }),
    writeRoute({
      ...own,
      method: "DELETE",
      path: "/v1/email_changes",
      audit: { action: "user.email_change_canceled", of: "people" },
      summary: "Take back a change of one's own address",
      description: `Its link ends. ${ONLY_PEOPLE}`,
      success: { status: 204, schema: null, description: "Taken back." },
      problems: [noSession, originMismatch],
      async handler({ ctx, principal, client }) {
        const { person_id: personId } = await presentSession(ctx.sql, principal, client.cookies);
        await takeBackChange(ctx, personId);
        return { status: 204, people: await findPeopleOf(ctx.sql, personId) };
      },
    }),
    writeRoute({
      ...own,
      method: "POST",
      path: "/v1/email_changes/redeem",
      audit: { action: "user.email_changed", of: "people" },
      summary: "Prove the new address by its link",
      description:
        "From now on the person signs in with it. All other sessions of the person end, and this one gets a new cookie. Links that set a " +
        `password and invitations that went to the old address end; the old address is told. ${ONLY_PEOPLE}`,
      body: EmailChangeRedemption,
      success: { status: 200, schema: Session, description: "The session, under its new cookie." },
      problems: [noSession, originMismatch, linkUnknown, linkUsed, wrongPerson, addressTaken],
      async handler({ ctx, principal, client, body }) {
        const session = await presentSession(ctx.sql, principal, client.cookies);
        const renewed = await redeemChange(secrets, ctx, session, body.token);
        return answerPresent(ctx, principal, renewed.session, renewed.cookie);
      },
    }),
  ];
}

function shape(row: EmailChangeRow): EmailChange {
  return {
    object: "email_change",
    id: toPublicId("emc", row.id),
    email: row.email,
    expires_at: row.expires_at.toISOString(),
    created_at: row.created_at.toISOString(),
    updated_at: row.created_at.toISOString(),
  };
}

function unprovable(): AppError {
  return new AppError(
    proofUnavailable,
    "this service can't mail a link by itself, so nobody can prove a new address; set SMTP_URL and SYSTEM_FROM",
  );
}
