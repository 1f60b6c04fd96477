import { type ReactNode, useId } from "react";

/** One part of the left pane, under its heading. */
export function Group({ title, end, children }: { title: string; end?: ReactNode; children: ReactNode }) {
  const id = useId();
  return (
    <section className="composer-group" aria-labelledby={id}>
      <div className="row between">
        <h2 className="composer-group-title" id={id}>
          {title}
        </h2>
        {end}
      </div>
      {children}
    </section>
  );
}
