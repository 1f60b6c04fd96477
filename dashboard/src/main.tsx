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

// After an upgrade the pages that this document would load are gone; the new document knows the new ones.
window.addEventListener("vite:preloadError", () => window.location.reload());

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
