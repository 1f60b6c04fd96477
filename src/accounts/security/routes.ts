import type { Route } from "../../platform/http/route.ts";
import { createSignInThrottle, type SignInTools } from "../sessions/sessions.ts";
import { confirmRoutes } from "./confirm-routes.ts";
import { factorRoutes } from "./factor-routes.ts";
import { passkeyRoutes } from "./passkey-routes.ts";
import type { SecurityTools } from "./security.ts";

export function securityRoutes(
  { secrets }: Pick<SecurityTools, "secrets">,
  signIn: SignInTools,
): readonly Route[] {
  const tools = { secrets, signIn, factorThrottle: createSignInThrottle(secrets, "factor") };
  return [...confirmRoutes(tools), ...factorRoutes(tools), ...passkeyRoutes(tools)];
}
