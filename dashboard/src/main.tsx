import "./styles/tokens.css";
import "./styles/components.css";
import "./styles/dashboard.css";
import "./i18n/i18n.ts";
import { CSPProvider } from "@base-ui/react/csp-provider";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createQueryClient } from "./api/queries.ts";
import { makeRouter } from "./router.tsx";
import { applyPreferences } from "./shell/preferences.ts";

applyPreferences();
const queries = createQueryClient();
const router = makeRouter(queries);
const place = document.getElementById("app");
if (place) {
  createRoot(place).render(
    <StrictMode>
      <CSPProvider disableStyleElements>
        <QueryClientProvider client={queries}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </CSPProvider>
    </StrictMode>,
  );
}

/** What is asked for when the session or the line has ended must be here by then. */
const AHEAD_AFTER_MS = 3_000;
setTimeout(() => {
  for (const load of [
    () => import("./shell/identity/sign-in-again.tsx"),
    () => import("./shell/palette/palette.tsx"),
  ])
    load().catch(() => undefined);
}, AHEAD_AFTER_MS);
