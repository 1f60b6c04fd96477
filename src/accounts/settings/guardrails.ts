/** The guardrails of an account are the limits at which its campaigns are paused. An account may change them within bounds. */
import type { Fault } from "../../platform/problems.ts";

/** The rates are what Google and Yahoo ask of bulk senders; the least numbers keep a small campaign from being judged by chance. */
export const GUARDRAILS = {
  hard_bounce_pause_rate: { default: 0.05, minimum: 0.005, maximum: 0.2 },
  hard_bounce_after_mails: { default: 200, minimum: 20, maximum: 10_000 },
  complaint_warn_rate: { default: 0.001, minimum: 0.0001, maximum: 0.02 },
  complaint_pause_rate: { default: 0.003, minimum: 0.0005, maximum: 0.02 },
  complaint_after_mails: { default: 1_000, minimum: 20, maximum: 100_000 },
  complaint_after_complaints: { default: 5, minimum: 1, maximum: 1_000 },
} as const;
type Limit = keyof typeof GUARDRAILS;

export type Guardrails = Readonly<Record<Limit, number>> & {
  /** Holds that arose up to this time are released. */
  readonly released_at: string | null;
};

/** What the table has: only what isn't as by default. */
export type OwnGuardrails = Partial<Guardrails>;
export type GuardrailsPatch = { readonly [Name in keyof Guardrails]?: Guardrails[Name] | null | undefined };

export function guardrailsOf({ guardrails: own }: { readonly guardrails: OwnGuardrails }): Guardrails {
  const limits = Object.entries(GUARDRAILS).map(([name, limit]) => [
    name,
    own[name as Limit] ?? limit.default,
  ]);
  return { ...(Object.fromEntries(limits) as Record<Limit, number>), released_at: own.released_at ?? null };
}

/** Applies a merge patch: what is left out stays as it is, and null restores the default. */
export function changeGuardrails(
  own: OwnGuardrails,
  patch: GuardrailsPatch | null,
  now: Date,
): { readonly guardrails: OwnGuardrails; readonly faults: readonly Fault[] } {
  const given = patch === null ? [] : Object.entries({ ...own, ...patch });
  const kept = Object.fromEntries(given.filter(([, value]) => value != null)) as OwnGuardrails;
  const guardrails = kept.released_at
    ? { ...kept, released_at: new Date(kept.released_at).toISOString() }
    : kept;
  const faults: Fault[] = [];
  const { complaint_warn_rate, complaint_pause_rate, released_at } = guardrailsOf({ guardrails });
  if (complaint_warn_rate > complaint_pause_rate) {
    const detail = "must not be above complaint_pause_rate";
    faults.push({ pointer: "/guardrails/complaint_warn_rate", code: "out_of_range", detail });
  }
  if (released_at !== null && new Date(released_at) > now) {
    const detail = "must not lie ahead: what nobody has seen yet can't be released";
    faults.push({ pointer: "/guardrails/released_at", code: "out_of_range", detail });
  }
  return { guardrails, faults };
}
