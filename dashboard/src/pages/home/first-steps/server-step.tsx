import { Server } from "lucide-react";
import { useTranslation } from "react-i18next";
import { AddressLink } from "../../../kit/address-link.tsx";
import { Icon } from "../../../kit/icon.tsx";

export function ServerStep() {
  const { t } = useTranslation();
  return (
    <>
      <p className="sm mid">{t("first.serverText")}</p>
      <div className="row">
        <AddressLink className="btn" href="/settings/transports">
          <Icon of={Server} />
          {t("first.serverAdd")}
        </AddressLink>
      </div>
    </>
  );
}
