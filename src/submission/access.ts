/**
 * Says who may submit mail: whoever shows an API key that may send, by the same check and under the same limits as a request. A
 * mail counts as a request of its key, and a login that fails as one of its network.
 */
import { hash } from "node:crypto";
import { type KeyCheck, requireFeature } from "../accounts/accounts.ts";
import type { Credentials } from "../mail/smtp-server/smtp-server.ts";
import type { Clock } from "../platform/clock.ts";
import type { Queryable } from "../platform/db/db.ts";
import { refuseMissingScope } from "../platform/http/access-control.ts";
import { networkOf } from "../platform/http/address.ts";
import { createRateLimit } from "../platform/http/limits/rate-limit.ts";
import { createStrangerLimit } from "../platform/http/limits/stranger-limit.ts";
import type { Principal } from "../platform/http/route.ts";
import { AppError, rateLimited, unauthorized } from "../platform/problems.ts";

/** What is remembered of a client: whom it sends for, and its key as a request would show it. */
export type Login = { readonly authorization: string; readonly principal: Principal };

export type Access = {
  logIn(credentials: Credentials, address: string): Promise<Login>;
  /** Counts a mail. The key is checked again for each, since it may have been revoked meanwhile. */
  admitMail(login: Login, address: string): Promise<void>;
};

type AccessOptions = {
  readonly keyCheck: Pick<KeyCheck, "check">;
  readonly db: Queryable;
  readonly clock: Clock;
  readonly rateLimitPerMinute: number;
};

const SCOPE = "emails:send";

export function createAccess({ keyCheck, db, clock, rateLimitPerMinute }: AccessOptions): Access {
  const rateLimit = createRateLimit(rateLimitPerMinute, clock);
  const identifyCaller = createStrangerLimit(rateLimit);

  function spend(counted: string): void {
    const { allowed, resetSeconds } = rateLimit.take(counted);
    if (allowed) return;
    const detail = `${rateLimitPerMinute} mails and logins a minute are used up; try again in ${resetSeconds} seconds`;
    throw new AppError(rateLimited, detail);
  }

  async function identify(authorization: string, address: string): Promise<Principal> {
    const found = await identifyCaller({
      network: networkOf(address),
      credential: hash("sha256", authorization, "base64"),
      isSharable: true,
      spend,
      authenticate: () => keyCheck.check(authorization, address),
    });
    if (found instanceof AppError) throw found;
    if (!found)
      throw new AppError(
        unauthorized,
        "the password must be an API key, as pr_ and what follows; the user name doesn't matter",
      );
    refuseMissingScope(found, SCOPE);
    if (found.writesRefused) throw new AppError(found.writesRefused.problem, found.writesRefused.detail);
    return found;
  }

  return {
    async logIn({ password }, address) {
      const authorization = `Bearer ${password}`;
      const principal = await identify(authorization, address);
      await requireFeature({ sql: db, accountId: principal.accountId }, "smtp_submission");
      return { authorization, principal };
    },
    async admitMail({ authorization }, address) {
      const principal = await identify(authorization, address);
      if (!principal.unlimited) spend(principal.actor.id ?? networkOf(address));
    },
  };
}
