/**
 * Shows HTML that isn't saved, in a frame where nothing runs. Only an answer of the service can bring the policy for that, so
 * a form posts the HTML into the frame and gets it back. Two frames take turns, or each letter would show a white page.
 */
import { useCallback, useEffect, useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { changedAt, markPlace } from "./shown-place.ts";

type MailFrameProps = {
  html: string;
  /** How the frame looks: its width, and whether it is dark. */
  className: string;
  hasAllPictures: boolean;
};

type Shown = Pick<MailFrameProps, "html" | "hasAllPictures">;

type Side = 0 | 1;
const SIDES: readonly Side[] = [0, 1];

export function MailFrame({ html, className, hasAllPictures }: MailFrameProps) {
  const { t } = useTranslation();
  const name = useId();
  const [front, setFront] = useState<Side>(0);
  const form = useRef<HTMLFormElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const loading = useRef<Side>(undefined);
  const before = useRef({ html: "", place: -1 });
  const frontNow = useRef(front);
  frontNow.current = front;
  const waiting = useRef<Shown>(undefined);

  const post = useCallback(
    ({ html, hasAllPictures }: Shown) => {
      const { current: posted } = form;
      if (!posted || !field.current) return;
      const last = before.current;
      const place = last.html === "" || last.html === html ? last.place : changedAt(last.html, html);
      before.current = { html, place };
      const shown = place < 0 ? { html, fragment: "" } : markPlace(html, place);
      field.current.value = shown.html;
      const back: Side = frontNow.current === 0 ? 1 : 0;
      loading.current = back;
      posted.target = nameOf(name, back);
      const fragment = shown.fragment && `#${encodeURIComponent(shown.fragment)}`;
      posted.action = `/author-frame${hasAllPictures ? "?pictures=all" : ""}${fragment}`;
      posted.submit();
    },
    [name],
  );

  // A frame that is still loading would have to begin again, and show nothing while somebody types.
  useEffect(() => {
    if (loading.current === undefined) post({ html, hasAllPictures });
    else waiting.current = { html, hasAllPictures };
  }, [html, hasAllPictures, post]);

  const onLoad = (side: Side) => {
    if (loading.current !== side) return;
    loading.current = undefined;
    frontNow.current = side;
    setFront(side);
    const { current: next } = waiting;
    waiting.current = undefined;
    if (next) post(next);
  };
  return (
    <div className={`mail-frames ${className}`}>
      <form ref={form} method="post" encType="text/plain" hidden>
        {/* A field for text would lay out the whole mail for each key. */}
        <input ref={field} type="hidden" name="html" />
      </form>
      {SIDES.map((side) => (
        <iframe
          key={side}
          name={nameOf(name, side)}
          className={side === front ? "front" : ""}
          title={t("mailPreview.frame")}
          sandbox=""
          tabIndex={side === front ? 0 : -1}
          aria-hidden={side !== front}
          onLoad={() => onLoad(side)}
        />
      ))}
    </div>
  );
}

const nameOf = (name: string, side: Side) => `mail-${name}-${side}`;
