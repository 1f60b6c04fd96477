import type { UseQueryResult } from "@tanstack/react-query";
import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import type { Scope } from "../../api/may.ts";
import { Button } from "../button.tsx";
import { PageHead } from "../page.tsx";
import { Empty } from "../states.tsx";
import { Listing } from "./listing.tsx";
import { Pager } from "./pager.tsx";

type ListPageProps<R> = {
  title: string;
  lead: string;
  /** What makes another of them: at the head of the page, and where there is none yet. */
  create?: {
    readonly label: string;
    readonly icon: LucideIcon;
    readonly needs?: Scope;
    readonly run: () => void;
  };
  /** What stands between the head and the rows, such as a filter. */
  tools?: ReactNode;
  result: UseQueryResult<{ readonly data: readonly R[]; readonly next_cursor: string | null }>;
  cursor: string | undefined;
  /** The title where they couldn't be read. */
  unreadable: string;
  none: string;
  noneText: string;
  children: (rows: readonly R[]) => ReactNode;
};

/** A page that is a list of things of one kind: its head, its rows in each of their states, and the way to the next ones. */
export function ListPage<R>({ title, lead, create, tools, result, cursor, ...rest }: ListPageProps<R>) {
  const button = create && (
    <Button kind="primary" icon={create.icon} needs={create.needs} onClick={create.run}>
      {create.label}
    </Button>
  );
  return (
    <>
      <PageHead title={title} sub={lead} actions={button} />
      {tools}
      <Listing
        result={result}
        unreadable={rest.unreadable}
        empty={
          <Empty title={rest.none} text={rest.noneText}>
            {button}
          </Empty>
        }
      >
        {(rows, page) => (
          <>
            {rest.children(rows)}
            <Pager cursor={cursor} nextCursor={page.next_cursor} />
          </>
        )}
      </Listing>
    </>
  );
}
