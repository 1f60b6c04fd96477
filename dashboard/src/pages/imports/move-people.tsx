import { Link } from "@tanstack/react-router";
import { Download, Upload } from "lucide-react";
import { Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../../kit/button.tsx";
import { Icon } from "../../kit/icon.tsx";
import { lazyPart } from "../../lazy-page.ts";
import { useRegisterActions } from "../../shell/actions.ts";
import type { Search } from "../subscribers/search.ts";

const NewExport = lazyPart(() => import("../exports/new-export.tsx"));

/** On the page of subscribers: the way in and the way out for many people at once. */
export function MovePeople({ search }: { search: Search }) {
  const { t } = useTranslation();
  const [isExporting, setExporting] = useState(false);
  const exportThem = () => setExporting(true);
  const exporting = { id: "export-subscribers", label: t("exports.new"), icon: Download, run: exportThem };
  useRegisterActions(search.held ? [] : [exporting]);
  return (
    <>
      <Link className="btn" to="/imports/new" search={search.list ? { list: search.list } : {}}>
        <Icon of={Upload} />
        {t("imports.action")}
      </Link>
      {/* An export is of a list or a segment, and no segment says who is held back. */}
      {!search.held && (
        <Button icon={Download} onClick={exportThem}>
          {t("exports.action")}
        </Button>
      )}
      <Suspense>{isExporting && <NewExport search={search} onClose={() => setExporting(false)} />}</Suspense>
    </>
  );
}
