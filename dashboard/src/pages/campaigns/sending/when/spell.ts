/** How a time that is planned is written: with its day, and by the clocks of a zone. */
import { LANGUAGE } from "../../../../i18n/i18n.ts";

/** The zone of whoever sits before this browser. */
export const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

const formats = new Map<string, Intl.DateTimeFormat>();

function format(zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${zone} ${JSON.stringify(options)}`;
  const made = formats.get(key) ?? new Intl.DateTimeFormat(LANGUAGE, { ...options, timeZone: zone });
  formats.set(key, made);
  return made;
}

const CLOCK = { hour: "2-digit", minute: "2-digit" } as const;

/** Friday, 20 November 2026 at 09:00. */
export const spellMoment = (at: Date, zone = OWN_ZONE) =>
  format(zone, { weekday: "long", day: "numeric", month: "long", year: "numeric", ...CLOCK }).format(at);
/** Fri 20 Nov, 09:00. */
export const spellShortly = (at: Date, zone = OWN_ZONE) =>
  format(zone, { weekday: "short", day: "numeric", month: "short", ...CLOCK }).format(at);
/** 09:00. */
export const spellClock = (at: Date, zone = OWN_ZONE) => format(zone, CLOCK).format(at);
/** Europe/London, without the underscores that the database of zones has. */
export const spellZone = (zone: string) => zone.replaceAll("_", " ");

const relative = new Intl.RelativeTimeFormat(LANGUAGE, { numeric: "always" });

const lasting = (unit: "second" | "minute" | "hour" | "day") =>
  new Intl.NumberFormat(LANGUAGE, { style: "unit", unit, unitDisplay: "long" });

/** 41 seconds, 12 minutes, 5 hours, 3 days: the largest unit alone, of which there are two at least. */
export function spellDuration(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1_000));
  if (seconds < 120) return lasting("second").format(seconds);
  if (seconds < 7_200) return lasting("minute").format(Math.round(seconds / 60));
  if (seconds < 172_800) return lasting("hour").format(Math.round(seconds / 3_600));
  return lasting("day").format(Math.round(seconds / 86_400));
}

/** In 3 days, in 5 hours, in 12 minutes, in 30 seconds: the largest unit alone. */
export function spellSpan(ms: number): string {
  if (ms < 60_000) return relative.format(Math.ceil(ms / 1_000), "second");
  const minutes = Math.round(ms / 60_000);
  if (minutes < 60) return relative.format(minutes, "minute");
  const hours = Math.round(minutes / 60);
  return hours < 36 ? relative.format(hours, "hour") : relative.format(Math.round(hours / 24), "day");
}
