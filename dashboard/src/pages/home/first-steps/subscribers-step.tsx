import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Upload, UserPlus } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import { type ApiError, asApiError } from "../../../api/problem.ts";
import { AddressLink } from "../../../kit/address-link.tsx";
import { ProblemNote } from "../../../kit/forms/problem-note.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { notify } from "../../../kit/toasts.tsx";

export function SubscribersStep() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError>();
  const addSample = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await call("POST /v1/sample_data", {});
      notify(t("sample.added"));
      await queries.invalidateQueries();
    } catch (thrown) {
      setError(asApiError(thrown));
      setBusy(false);
    }
  };
  return (
    <>
      <div className="way">
        <AddressLink href="/imports/new">
          <Icon of={Upload} />
          <span className="med">{t("first.importFile")}</span>
          <span className="sm dim">{t("first.importFileText")}</span>
        </AddressLink>
        <Link to="/subscribers">
          <Icon of={UserPlus} />
          <span className="med">{t("first.addOne")}</span>
          <span className="sm dim">{t("first.addOneText")}</span>
        </Link>
      </div>
      <div className="row wrap sm">
        <span className="dim">{t("first.onlyLooking")}</span>
        <button type="button" className="text-button" disabled={busy} onClick={() => void addSample()}>
          {t("first.useSample")}
        </button>
        <span className="dim">{t("first.sampleGoes")}</span>
      </div>
      {error && <ProblemNote error={error} />}
    </>
  );
}
