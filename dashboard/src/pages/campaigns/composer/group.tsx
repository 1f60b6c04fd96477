import { type ReactNode, useId } from "react";

type Props = {
  title: string;
  /** The first label within says the same, so that the title is for screen readers alone. */
  isTitleHidden?: boolean;
  end?: ReactNode;
  children: ReactNode;
};

/** One part of the left pane, under its heading. */
export function Group({ title, isTitleHidden = false, end, children }: Props) {
  const id = useId();
  return (
    <section className="composer-group" aria-labelledby={id}>
      <div className={isTitleHidden ? "sr" : "row between"}>
        <h2 className="composer-group-title" id={id}>
          {title}
        </h2>
        {end}
      </div>
      {children}
    </section>
  );
}
