/** The columns of the table, and the choice of them. */
import type { ReactNode } from "react";
import type { Field, List, Subscriber } from "../../api/openapi.ts";
import { Time } from "../../kit/time.tsx";
import { ShownValue } from "../../kit/value.tsx";
import type { Sort } from "./search.ts";
import { StatusMark } from "./status.tsx";

export type Column = {
  readonly id: string;
  readonly label: string;
  /** The class says where a cell goes on a narrow screen. */
  readonly className: string;
  readonly cell: (row: Subscriber) => ReactNode;
  /** Where the API sorts by it: the orders that a click on its head goes through. */
  readonly sorts?: readonly [Sort, Sort?];
};

type Words = (key: "status" | "tags" | "list" | "source" | "updated" | "joined") => string;

const SHOWN_TAGS = 2;
const DEFAULT_COLUMNS: readonly string[] = ["status", "tags", "list", "joined"];

export function allColumns(
  words: Words,
  lists: readonly List[],
  fields: readonly Field[],
): readonly Column[] {
  const listNames = new Map(lists.map(({ id, name }) => [id, name]));
  return [
    {
      id: "status",
      label: words("status"),
      className: "c-status",
      cell: ({ status }) => <StatusMark status={status} />,
    },
    { id: "tags", label: words("tags"), className: "c-tags", cell: ({ tags }) => <Tags tags={tags} /> },
    {
      id: "list",
      label: words("list"),
      className: "c-more mid",
      cell: ({ list_id }) => <span className="cell-text">{listNames.get(list_id) ?? ""}</span>,
    },
    ...fields.map((field) => ({
      id: `fields.${field.key}`,
      label: field.name,
      className: "c-more mid",
      cell: (row: Subscriber) => <ShownValue value={row.fields[field.key]} />,
    })),
    { id: "source", label: words("source"), className: "c-more dim", cell: ({ source }) => source },
    {
      id: "updated",
      label: words("updated"),
      className: "c-more num dim",
      sorts: ["-updated_at", "updated_at"],
      cell: ({ updated_at }) => <Time at={updated_at} />,
    },
    {
      id: "joined",
      label: words("joined"),
      className: "c-more num dim",
      sorts: ["-created_at", "created_at"],
      cell: ({ created_at }) => <Time at={created_at} day />,
    },
  ];
}

export function chosenColumns(all: readonly Column[], chosen: readonly string[] | null): readonly Column[] {
  const ids = chosen ?? DEFAULT_COLUMNS;
  return all.filter(({ id }) => ids.includes(id));
}

function Tags({ tags }: { tags: readonly string[] }) {
  const rest = tags.length - SHOWN_TAGS;
  return (
    <div className="row tags">
      {tags.slice(0, SHOWN_TAGS).map((tag) => (
        <span key={tag} className="badge trunc">
          {tag}
        </span>
      ))}
      {rest > 0 && <span className="xs dim">+{rest}</span>}
    </div>
  );
}
