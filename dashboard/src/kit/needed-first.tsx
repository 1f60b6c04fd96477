import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Button } from "./button.tsx";
import { Dialog } from "./overlays/dialog.tsx";

type NeededProps = {
  title: string;
  /** What is missing. */
  lead: string;
  /** Where it is made, and the words of the link to it. */
  to: "/lists" | "/campaigns";
  link: string;
  onClose: () => void;
};

/** Stands in place of a form that asks for something of which there is none yet. */
export function NeededFirst({ title, lead, to, link, onClose }: NeededProps) {
  const { t } = useTranslation();
  return (
    <Dialog
      title={title}
      lead={lead}
      onClose={onClose}
      footer={
        <>
          <Button kind="quiet" onClick={onClose}>
            {t("do.close")}
          </Button>
          <Link to={to} className="btn btn-primary">
            {link}
          </Link>
        </>
      }
    />
  );
}
