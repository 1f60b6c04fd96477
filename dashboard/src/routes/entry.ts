/** The pages before somebody is signed in. */
import { createRoute } from "@tanstack/react-router";
import { lazyRouteComponent } from "../lazy-page.ts";
import { root } from "./frame.tsx";

/** Only an address of ours is gone back to after signing in. A browser drops tabs and line ends, so that it is asked. */
function ownAddress(from: unknown): string | undefined {
  if (typeof from !== "string" || !from.startsWith("/")) return undefined;
  const url = URL.parse(from, window.location.origin);
  return url?.origin === window.location.origin ? url.pathname + url.search + url.hash : undefined;
}

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: ({ from }: Record<string, unknown>): { from?: string | undefined } => ({
    from: ownAddress(from),
  }),
  component: lazyRouteComponent(() => import("../pages/entry/sign-in.tsx"), "SignIn"),
});

const setup = createRoute({
  getParentRoute: () => root,
  path: "/setup",
  component: lazyRouteComponent(() => import("../pages/entry/setup.tsx"), "Setup"),
});

const forgottenPassword = createRoute({
  getParentRoute: () => root,
  path: "/forgotten-password",
  component: lazyRouteComponent(() => import("../pages/entry/forgotten-password.tsx"), "ForgottenPassword"),
});

const confirmAddress = createRoute({
  getParentRoute: () => root,
  path: "/confirm-address",
  component: lazyRouteComponent(() => import("../pages/entry/confirm-address.tsx"), "ConfirmAddress"),
});

export const entryRoutes = [signIn, setup, forgottenPassword, confirmAddress] as const;
