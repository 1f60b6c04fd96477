import { useQueryClient } from "@tanstack/react-query";

/**
 * Whatever changes a factor changes what is left of the codes, what the session says of its person, and with the first or the last one
 * what an account shows that wants a factor.
 */
export function useRefreshFactors() {
  const queries = useQueryClient();
  return () => queries.invalidateQueries();
}
