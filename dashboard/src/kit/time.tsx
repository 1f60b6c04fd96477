import { formatDay, formatExact, formatTime } from "../i18n/format.ts";

/** A time in few words; the exact one is its title. */
export function Time({ at, day = false }: { at: string; day?: boolean }) {
  return (
    <time dateTime={at} title={formatExact(at)}>
      {day ? formatDay(at) : formatTime(at)}
    </time>
  );
}
