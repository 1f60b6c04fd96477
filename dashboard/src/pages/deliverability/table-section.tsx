import type { ReactNode } from "react";

type Head = { readonly label: string; readonly isNumber?: boolean };

type SectionProps = {
  title: string;
  /** Stands at the end of the title's line. */
  aside?: ReactNode;
  /** A sentence above the table. */
  lead?: string;
  heads: readonly Head[];
  /** A row has more than one line. */
  isTall?: boolean;
  /** The rows. */
  children: ReactNode;
};

/** A table under a title of its own. */
export function TableSection({ title, aside, lead, heads, isTall = false, children }: SectionProps) {
  return (
    <section className="sect">
      <div className="sect-h">
        <h2>{title}</h2>
        {aside && <span className="end">{aside}</span>}
      </div>
      {lead && <p className="sm mid">{lead}</p>}
      <div className="tw">
        <table className={isTall ? "table-edge stacked tall" : "table-edge stacked"}>
          <thead>
            <tr>
              {heads.map(({ label, isNumber }) => (
                <th key={label} className={isNumber ? "num" : undefined}>
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>{children}</tbody>
        </table>
      </div>
    </section>
  );
}
