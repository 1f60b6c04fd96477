/** Whoever has just paid waits for Stripe to tell the service, which takes some seconds, and sees the plan as soon as it is there. */
import { useQueryClient } from "@tanstack/react-query";
import { Hourglass } from "lucide-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Billing } from "../../../../api/openapi.ts";
import { Icon } from "../../../../kit/icon.tsx";
import { notify } from "../../../../kit/toasts.tsx";

const ASK_EVERY_MS = 2_000;
const ASK_FOR_MS = 60_000;
/** What follows from the plan: limits, features, and the line about what is used up. */
const FOLLOWS = ["billing", "usage", "account", "session"];

export type Confirmation = {
  /** How often billing is to be asked for. */
  readonly everyMs: number | false;
  /** Undefined where nobody has just paid. */
  readonly state: "waiting" | "late" | undefined;
};

/** `isBack` says that somebody comes from paying; `forget` takes that out of the address once it is confirmed. */
export function useConfirmation(isBack: boolean, isPaying: boolean, forget: () => void): Confirmation {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [isLate, setLate] = useState(false);
  const isWaiting = isBack && !isPaying;
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setTimeout(() => setLate(true), ASK_FOR_MS);
    return () => clearTimeout(timer);
  }, [isWaiting]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is told once, when it has become so.
  useEffect(() => {
    if (!isBack || !isPaying) return;
    notify(t("payment.confirmed"));
    for (const thing of FOLLOWS) void queries.invalidateQueries({ queryKey: [thing] });
    forget();
  }, [isBack, isPaying]);
  const state = isWaiting ? (isLate ? "late" : "waiting") : undefined;
  return { everyMs: state === "waiting" && ASK_EVERY_MS, state };
}

export const isPaid = ({ payment }: Pick<Billing, "payment">) =>
  payment?.status === "active" || payment?.status === "past_due";

export function ConfirmationNote({ state }: { state: NonNullable<Confirmation["state"]> }) {
  const { t } = useTranslation();
  return (
    <div className="note info" role="status">
      <Icon of={Hourglass} />
      <span>{t(state === "late" ? "payment.confirmingLate" : "payment.confirming")}</span>
    </div>
  );
}
