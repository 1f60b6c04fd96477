/** What the palette finds by its name. */
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Funnel, List, Send } from "lucide-react";
import { query } from "../../api/queries.ts";
import type { Action } from "../actions.ts";

export type Found<E = Action> = { readonly entries: readonly E[]; readonly isSearching: boolean };

const MOST = 5;
const SHORTEST = 2;
/** The API finds no lists by name, so the newest of them are looked through here; few accounts have more. */
const MOST_LISTS = 200;

export function matches(label: string, text: string): boolean {
  const words = text.toLocaleLowerCase().split(/\s+/);
  return words.every((word) => label.toLocaleLowerCase().includes(word));
}

/** Campaigns in whose name or subject the text is, the last changed first. */
export function useCampaignsNamed(text: string): Found<Action & { readonly note?: string }> {
  const navigate = useNavigate();
  const { data, isLoading } = useQuery({
    ...query("GET /v1/campaigns", { query: { q: text.slice(0, 200), limit: MOST, sort: "-updated_at" } }),
    enabled: text.length >= SHORTEST,
  });
  const entries = (data?.data ?? []).map(({ id, name, subject }) => ({
    id,
    label: name,
    ...(!matches(name, text) && { note: subject }),
    icon: Send,
    run: () => void navigate({ to: "/campaigns/$id", params: { id } }),
  }));
  return { entries, isSearching: isLoading };
}

/** Segments in whose name the text is. */
export function useSegmentsNamed(text: string): Found {
  const navigate = useNavigate();
  const { data, isLoading } = useQuery({
    ...query("GET /v1/segments", { query: { q: text.slice(0, 200), limit: MOST } }),
    enabled: text.length >= SHORTEST,
  });
  const entries = (data?.data ?? []).map(({ id, name }) => ({
    id,
    label: name,
    icon: Funnel,
    run: () => void navigate({ to: "/segments/$id", params: { id } }),
  }));
  return { entries, isSearching: isLoading };
}

/** Lists in whose name the text is. A list leads to its people. */
export function useListsNamed(text: string): Found {
  const navigate = useNavigate();
  const isAsked = text.length >= SHORTEST;
  const { data, isLoading } = useQuery({
    ...query("GET /v1/lists", { query: { limit: MOST_LISTS } }),
    enabled: isAsked,
  });
  const named = isAsked ? (data?.data ?? []).filter(({ name }) => matches(name, text)) : [];
  const entries = named.slice(0, MOST).map(({ id, name }) => ({
    id,
    label: name,
    icon: List,
    run: () => void navigate({ to: "/subscribers", search: { list: id } }),
  }));
  return { entries, isSearching: isLoading };
}
