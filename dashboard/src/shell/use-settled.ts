import { useEffect, useState } from "react";

const SETTLED_MS = 180;

/** The value once it has stood still for a moment, so that not every letter is asked for. */
export function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
