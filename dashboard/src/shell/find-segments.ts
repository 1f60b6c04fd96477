import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Funnel } from "lucide-react";
import { query } from "../api/queries.ts";
import type { Action } from "./actions.ts";

const MOST = 5;
const SHORTEST = 2;

/** Segments in whose name the text is. */
export function useSegmentsNamed(text: string): readonly Action[] {
  const navigate = useNavigate();
  const { data } = useQuery({
    ...query("GET /v1/segments", { query: { q: text.slice(0, 200), limit: MOST } }),
    enabled: text.length >= SHORTEST,
  });
  return (data?.data ?? []).map(({ id, name }) => ({
    id,
    label: name,
    icon: Funnel,
    run: () => void navigate({ to: "/segments/$id", params: { id } }),
  }));
}
