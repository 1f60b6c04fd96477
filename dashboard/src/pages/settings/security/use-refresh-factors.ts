import { useQueryClient } from "@tanstack/react-query";

/** Whatever changes a factor changes what is left of the codes, and what the session says of its person. */
export function useRefreshFactors() {
  const queries = useQueryClient();
  return () =>
    Promise.all(
      ["factors", "recovery_codes", "session"].map((thing) =>
        queries.invalidateQueries({ queryKey: [thing] }),
      ),
    );
}
