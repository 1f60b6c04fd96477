import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** `npm run dashboard` serves the sources with reloading, and asks the service at this address for the API. */
const SERVICE = process.env["POSTRIDER_URL"] ?? "http://127.0.0.1:4000";

export default defineConfig({
  plugins: [react()],
  build: {
    target: "es2023",
    // A file inside another as a data: address would be asked for by no browser that keeps our policy for fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
    emptyOutDir: true,
    // The check of sizes reads which file belongs to which page.
    manifest: true,
  },
  server: {
    proxy: { "/v1": SERVICE, "/docs": SERVICE, "/readyz": SERVICE, "/downloads": SERVICE, "/files": SERVICE },
  },
});
