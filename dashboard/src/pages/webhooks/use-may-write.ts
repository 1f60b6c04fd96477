import { useMay } from "../../api/may.ts";

/** Whoever may not change endpoints looks at them without buttons for it. */
export function useMayWrite(): boolean {
  return useMay()("webhooks:write");
}
