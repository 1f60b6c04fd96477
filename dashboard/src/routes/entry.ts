/** The pages before somebody is signed in. */
import { createRoute } from "@tanstack/react-router";
import { lazyRouteComponent } from "../lazy-page.ts";
import { ownAddress } from "../shell/identity/kept-place.ts";
import { root } from "./frame.tsx";

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: ({ from }: Record<string, unknown>): { from?: string | undefined } => ({
    from: ownAddress(from),
  }),
  component: lazyRouteComponent(() => import("../pages/entry/sign-in.tsx"), "SignIn"),
});

const ssoCallback = createRoute({
  getParentRoute: () => root,
  path: "/sign-in/sso",
  component: lazyRouteComponent(() => import("../pages/entry/sso-callback.tsx"), "SsoCallback"),
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

const signUp = createRoute({
  getParentRoute: () => root,
  path: "/sign-up",
  component: lazyRouteComponent(() => import("../pages/entry/sign-up.tsx"), "SignUp"),
});

const confirmSignUp = createRoute({
  getParentRoute: () => root,
  path: "/sign-up/confirm",
  component: lazyRouteComponent(() => import("../pages/entry/confirm-sign-up.tsx"), "ConfirmSignUp"),
});

export const entryRoutes = [
  signIn,
  ssoCallback,
  setup,
  forgottenPassword,
  confirmAddress,
  signUp,
  confirmSignUp,
] as const;
