/** Says that mails of an automation go into the sandbox, where nobody gets them, and leads to where a server is named. */
import { Link } from "@tanstack/react-router";
import { Inbox } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useMay } from "../../../api/may.ts";
import { Icon } from "../../../kit/icon.tsx";

type Props = {
  /** `runs`: a version that is published does so. `would`: one that is published now would. `tried`: the one that is tried would. */
  of: "runs" | "would" | "tried";
  children?: React.ReactNode;
};

export function SandboxNote({ of, children }: Props) {
  const { t } = useTranslation();
  const may = useMay();
  return (
    <div className={of === "tried" ? "note info" : "note warn"}>
      <Icon of={Inbox} />
      <span className="grow">
        {t(`lifecycle.sandbox.${of}`)}{" "}
        {may("transports:read") && <Link to="/settings/transports">{t("lifecycle.sandbox.servers")}</Link>}
      </span>
      {children}
    </div>
  );
}
