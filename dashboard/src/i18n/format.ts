/** Numbers, times and lists as people of the language write them. */
import { LANGUAGE } from "./i18n.ts";

const number = new Intl.NumberFormat(LANGUAGE);
const clock = new Intl.DateTimeFormat(LANGUAGE, { hour: "2-digit", minute: "2-digit" });
const second = new Intl.DateTimeFormat(LANGUAGE, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const weekday = new Intl.DateTimeFormat(LANGUAGE, { weekday: "short", hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat(LANGUAGE, { day: "numeric", month: "short", year: "numeric" });
const exact = new Intl.DateTimeFormat(LANGUAGE, { dateStyle: "full", timeStyle: "long" });

const longDay = new Intl.DateTimeFormat(LANGUAGE, { weekday: "long", day: "numeric", month: "long" });
const shortDay = new Intl.DateTimeFormat(LANGUAGE, { day: "numeric", month: "short", timeZone: "UTC" });
const fullDate = new Intl.DateTimeFormat(LANGUAGE, {
  day: "numeric",
  month: "short",
  year: "numeric",
  timeZone: "UTC",
});
const when = new Intl.DateTimeFormat(LANGUAGE, {
  weekday: "short",
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
});
const share = new Intl.NumberFormat(LANGUAGE, {
  style: "percent",
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});
const month = new Intl.DateTimeFormat(LANGUAGE, { month: "long" });
const monthOfYear = new Intl.DateTimeFormat(LANGUAGE, { month: "long", year: "numeric" });
const percent = new Intl.NumberFormat(LANGUAGE, { style: "percent", maximumFractionDigits: 2 });

const list = new Intl.ListFormat(LANGUAGE);

const DAY_MS = 86_400_000;

export const formatNumber = (value: number) => number.format(value);
export const formatDay = (time: string) => day.format(new Date(time));
export const formatExact = (time: string) => exact.format(new Date(time));
/** Sunday, 15 November. */
export const formatLongDay = (at: Date) => longDay.format(at);
/** A date without a time, such as 2026-11-15, as 15 Nov. */
export const formatDate = (date: string) => shortDay.format(new Date(date));
/** The same with its year, 15 Nov 2026, which is that day wherever it is read. */
export const formatFullDate = (date: string) => fullDate.format(new Date(date));
/** Fri 20 Nov, 09:00: for what is yet to come. */
export const formatWhen = (time: string) => when.format(new Date(time));
/** Subject, list and segment. */
export const formatList = (words: readonly string[]) => list.format(words);
/** July, or July 2025 where that isn't this year's. */
export const formatMonth = (time: string, now = new Date()) =>
  (new Date(time).getFullYear() === now.getFullYear() ? month : monthOfYear).format(new Date(time));
export const formatRate = (rate: number) => percent.format(rate);
/** 31.2%, with as many digits in each row of a table. */
export const formatShare = (rate: number) => share.format(rate);
/** 46.1%, and 0.12% where it is small; what isn't all is never written as 100%. */
export const formatFineShare = (rate: number) =>
  (rate < 0.01 || (rate > 0.999 && rate <= 1) ? percent : share).format(rate);
export const formatClock = (time: string) => clock.format(new Date(time));
export const formatSecond = (time: Date) => second.format(time);

/** Today 14:02, this week Fri 09:00, else 13 Nov 2026. */
export function formatTime(time: string, now = new Date()): string {
  const at = new Date(time);
  if (at.toDateString() === now.toDateString()) return clock.format(at);
  const ageMs = now.getTime() - at.getTime();
  return ageMs >= 0 && ageMs < 6 * DAY_MS ? weekday.format(at) : day.format(at);
}

const milliseconds = new Intl.NumberFormat(LANGUAGE, { style: "unit", unit: "millisecond" });
const seconds = new Intl.NumberFormat(LANGUAGE, {
  style: "unit",
  unit: "second",
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});

/** 48 ms, 15.0 secs. */
export const formatDuration = (ms: number) =>
  ms < 1_000 ? milliseconds.format(ms) : seconds.format(ms / 1_000);

const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;

/** 812 byte, 4.3 kB, 71 MB. */
export function formatBytes(bytes: number): string {
  const step = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), UNITS.length - 1);
  const value = bytes / 1_000 ** step;
  return new Intl.NumberFormat(LANGUAGE, {
    style: "unit",
    unit: UNITS[step] ?? "byte",
    maximumFractionDigits: value < 10 && step > 0 ? 1 : 0,
  }).format(value);
}
