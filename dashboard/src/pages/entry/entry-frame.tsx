import { type ReactNode, useEffect } from "react";
import { useTranslation } from "react-i18next";
import { Brand } from "../../shell/brand.tsx";

/** The frame of the pages before one is signed in: the form at the left, our promise at the right. */
export function EntryFrame({
  title,
  lead,
  children,
}: {
  title: string;
  lead?: ReactNode;
  children: ReactNode;
}) {
  const { t } = useTranslation();
  useEffect(() => {
    document.title = t("app.pageTitle", { title });
  }, [title, t]);
  return (
    <div className="entry">
      <main className="entry-form">
        <div className="entry-column">
          <div className="entry-brand">
            <Brand />
          </div>
          <div className="stack tight">
            <h1>{title}</h1>
            {lead && <p className="dim">{lead}</p>}
          </div>
          {children}
        </div>
      </main>
      <aside className="entry-art">
        <Route />
        <p>{t("entry.promise")}</p>
        <small>{t("entry.promiseMore")}</small>
      </aside>
    </div>
  );
}

const HILLS = [60, 120, 180, 240, 300, 420, 480, 540, 600];

/** The picture: a road over hills, with its stations. */
function Route() {
  return (
    <svg
      className="entry-route"
      viewBox="0 0 720 900"
      preserveAspectRatio="xMidYMid slice"
      aria-hidden="true"
    >
      {HILLS.map((top) => (
        <path
          key={top}
          className="hill"
          d={`M-20 ${top + 40}C120 ${top - 40} 220 ${top + 90} 360 ${top + 50}S560 ${top - 80} 760 ${top}`}
        />
      ))}
      <path
        className="road"
        d="M-20 362C20 345 60 335 100 336S200 337 250 347 350 368 400 358 500 302 556 288 640 272 680 274 740 284 760 290"
      />
      {[100, 250, 400].map((x, at) => (
        <circle key={x} className="passed" cx={x} cy={[336, 347, 358][at]} r="8" />
      ))}
      {[556, 680].map((x, at) => (
        <circle key={x} className="ahead" cx={x} cy={[288, 274][at]} r="7" />
      ))}
    </svg>
  );
}
