/** The page that the provider leads back to: it hands on what the provider said, and goes on to where somebody was. */
import "../../i18n/later/identity.ts";
import { useQueryClient } from "@tanstack/react-query";
import { Link, useRouter } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import { reportSignedIn } from "../../api/connection.ts";
import { type ApiError, asApiError } from "../../api/problem.ts";
import { adoptSession } from "../../api/queries.ts";
import { ProblemNote } from "../../kit/forms/problem-note.tsx";
import { SkeletonLines } from "../../kit/states.tsx";
import { takePlace } from "../../shell/identity/kept-place.ts";
import { SsoButton } from "../../shell/identity/sso-button.tsx";
import { EntryFrame } from "./entry-frame.tsx";

const PARAMETERS = ["code", "iss", "error"] as const;

/** A code is good once, so it is taken out of the address at once: nobody finds it in the history, and a reload begins anew. */
function takeAnswer() {
  const given = new URLSearchParams(window.location.search);
  window.history.replaceState(window.history.state, "", window.location.pathname);
  const answer = PARAMETERS.flatMap((name) => {
    const value = given.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return { state: given.get("state") ?? "none", ...Object.fromEntries(answer) };
}

export function SsoCallback() {
  const { t } = useTranslation();
  const router = useRouter();
  const queries = useQueryClient();
  const [failure, setFailure] = useState<ApiError>();
  const [place] = useState(takePlace);
  const isBegun = useRef(false);
  useEffect(() => {
    if (isBegun.current) return;
    isBegun.current = true;
    const goOn = async () => {
      const session = await call("POST /v1/session/sso/callback", { body: takeAnswer() });
      queries.clear();
      adoptSession(queries, session);
      reportSignedIn();
      router.history.replace(place);
    };
    goOn().catch((error) => setFailure(asApiError(error)));
  }, [queries, router, place]);
  if (!failure)
    return (
      <EntryFrame title={t("sso.goingOn")}>
        <SkeletonLines lines={3} />
      </EntryFrame>
    );
  return (
    <EntryFrame title={t("sso.failedTitle")}>
      <ProblemNote error={failure} />
      <SsoButton from={place} kind="primary" />
      <p className="sm">
        <Link to="/sign-in" className="link">
          {t("sso.back")}
        </Link>
      </p>
    </EntryFrame>
  );
}
