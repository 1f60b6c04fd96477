/** What a machine wrote or reads. It is text, whatever it holds: nothing of it becomes markup or a link. */
import type { ReactNode } from "react";

type CodeProps = {
  label: string;
  /** Lines that are too long go on below. */
  folded?: boolean;
  children: ReactNode;
};

/** It may be long and wide, so it scrolls, and the keyboard reaches it. */
export function Code({ label, folded = false, children }: CodeProps) {
  return (
    <section
      className={folded ? "well code machine-text folded" : "well code machine-text"}
      dir="ltr"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
      tabIndex={0}
      aria-label={label}
    >
      {children}
    </section>
  );
}

/** The body over several lines; one that isn't JSON stays as it is. */
function spread(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

/** A string of JSON, with the colon behind it where it is the name of a member. */
const STRING = /("(?:[^"\\]|\\.)*")(\s*:)?/g;

/** JSON with its names and texts in colours of their own. */
export function JsonText({ body }: { body: string }) {
  const text = spread(body);
  const parts: ReactNode[] = [];
  let end = 0;
  for (const found of text.matchAll(STRING)) {
    const [, string = "", colon] = found;
    parts.push(text.slice(end, found.index));
    parts.push(
      <span key={found.index} className={colon === undefined ? "json-text" : "json-name"}>
        {string}
      </span>,
    );
    end = found.index + string.length;
  }
  return (
    <>
      {parts}
      {text.slice(end)}
    </>
  );
}
