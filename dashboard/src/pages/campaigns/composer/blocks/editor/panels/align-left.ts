import { createLucideIcon } from "lucide-react";

/** The library's own would be shared with the preview, and with it the editor would load all that the preview is bundled with. */
export const AlignLeft = createLucideIcon("AlignLeft", [
  ["path", { d: "M21 5H3", key: "top" }],
  ["path", { d: "M15 12H3", key: "middle" }],
  ["path", { d: "M17 19H3", key: "bottom" }],
]);
