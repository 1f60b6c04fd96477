import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Failure, SkeletonLines } from "./states.tsx";

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
  if (error) return <Failure title={unreadable} error={error} retry={() => void refetch()} />;
  return <SkeletonLines lines={10} />;
}
