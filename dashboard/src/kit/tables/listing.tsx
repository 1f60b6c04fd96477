import type { UseQueryResult } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { asApiError } from "../../api/problem.ts";
import { Failure, SkeletonLines } from "../states.tsx";

type Page<R> = { readonly data: readonly R[]; readonly next_cursor: string | null };

type ListingProps<R> = {
  result: UseQueryResult<Page<R>>;
  /** The title where it couldn't be read. */
  unreadable: string;
  empty: ReactNode;
  children: (rows: readonly R[], page: Page<R>) => ReactNode;
};

/** A page of rows in each of its states. What was read once stays, also while it can't be read again. */
export function Listing<R>({ result, unreadable, empty, children }: ListingProps<R>) {
  const { data, error, refetch } = result;
  if (data) return data.data.length === 0 ? empty : children(data.data, data);
  if (asApiError(error).code === "invalid_cursor") return <NoSuchPlace title={unreadable} error={error} />;
  if (error) return <Failure title={unreadable} error={error} retry={() => void refetch()} />;
  return <SkeletonLines lines={10} />;
}

/** An address with a place that there isn't stays so however often it is tried; the first page is always there. */
function NoSuchPlace({ title, error }: { title: string; error: unknown }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const toFirst = () =>
    void navigate({
      to: ".",
      search: (before: object) => ({ ...before, cursor: undefined }),
    } as Parameters<typeof navigate>[0]);
  return <Failure title={title} error={error} retry={toFirst} action={t("table.first")} />;
}
