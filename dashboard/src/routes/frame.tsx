/** What pages stand in: the window, and within it what only those see who are signed in. */
import type { QueryClient } from "@tanstack/react-query";
import { createRootRouteWithContext, createRoute, Outlet, redirect } from "@tanstack/react-router";
import { chooseAccount } from "../api/account.ts";
import { reportSignedIn } from "../api/connection.ts";
import { holds, type Scope } from "../api/may.ts";
import { asApiError } from "../api/problem.ts";
import { sessionQuery } from "../api/queries.ts";
import { Toasts } from "../kit/toasts.tsx";
import { Broken } from "../pages/broken.tsx";
import { NotFound } from "../pages/not-found.tsx";
import { Shell } from "../shell/shell.tsx";

export const root = createRootRouteWithContext<{ queries: QueryClient }>()({
  component: () => (
    <>
      <Outlet />
      <Toasts />
    </>
  ),
  notFoundComponent: NotFound,
});

export const signedIn = createRoute({
  getParentRoute: () => root,
  id: "signed-in",
  async beforeLoad({ context, location }) {
    try {
      const session = await context.queries.ensureQueryData(sessionQuery);
      chooseAccount(session.account_id, session.memberships.length > 1);
    } catch (error) {
      if (asApiError(error).status !== 401) throw error;
      reportSignedIn();
      throw redirect({ to: "/sign-in", search: location.href === "/" ? {} : { from: location.href } });
    }
  },
  component: Shell,
  errorComponent: Broken,
});

/** Whoever lacks the scope that a page needs is led to what is theirs. */
export const needing =
  (scope: Scope) =>
  async ({ context }: { context: { queries: QueryClient } }) => {
    const session = await context.queries.ensureQueryData(sessionQuery);
    if (!holds(session, scope)) throw redirect({ to: "/settings/profile" });
  };

/** Whoever is no operator doesn't learn that there is such a page. */
export async function forOperators({ context }: { context: { queries: QueryClient } }): Promise<void> {
  const session = await context.queries.ensureQueryData(sessionQuery);
  if (!session.is_operator) throw redirect({ to: "/settings/profile" });
}

/** What a reader leaves out, the router keeps; so anything but a text is set to undefined. */
export const readCursor = ({ cursor }: Record<string, unknown>): { cursor?: string | undefined } => ({
  cursor: typeof cursor === "string" && cursor !== "" ? cursor : undefined,
});
