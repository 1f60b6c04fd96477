import type { LucideIcon } from "lucide-react";

/** An icon beside words. It says nothing by itself, so screen readers don't hear of it. */
export function Icon({ of: Picture, size = "md" }: { of: LucideIcon; size?: "sm" | "md" | "lg" }) {
  return <Picture className={size === "md" ? "i" : `i i-${size}`} aria-hidden="true" />;
}
