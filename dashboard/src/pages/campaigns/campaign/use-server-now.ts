/** The time by the service's clock: a browser's may be wrong by more than the seconds that are counted here. */
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { statsQuery } from "./use-campaign.ts";

/** Answers undefined until the service has told its time. */
export function useServerNow(id: string, everyMs: number | undefined): number | undefined {
  const { data, dataUpdatedAt } = useQuery(statsQuery(id));
  const [now, setNow] = useState(() => Date.now());
  const ahead = useRef<number | undefined>(undefined);
  // The answer was on its way for a while, so the least difference that was seen is the nearest to the truth.
  if (data) {
    const seen = Date.parse(data.as_of) - dataUpdatedAt;
    ahead.current = ahead.current === undefined ? seen : Math.max(ahead.current, seen);
  }
  useEffect(() => {
    if (everyMs === undefined) return;
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return ahead.current === undefined ? undefined : now + ahead.current;
}
