import type { ReactNode } from "react";

/** A fact about somebody, with its name before it. */
export function Row({ label, children }: { label: string; children: ReactNode }) {
  return (
    <>
      <dt>{label}</dt>
      <dd dir="auto">{children}</dd>
    </>
  );
}
