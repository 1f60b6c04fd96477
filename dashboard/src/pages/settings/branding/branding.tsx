/** The colour and the logo of the pages that recipients see. */
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Account } from "../../../api/openapi.ts";
import { TextField } from "../../../kit/forms/field.tsx";
import { AccountForm } from "../account-form.tsx";
import { LogoField } from "./logo-field.tsx";
import { Preview } from "./preview.tsx";

/** What a browser's picker shows before anything was chosen. */
const FIRST_COLOUR = "#1f3a5f";
const COLOUR = /^#[0-9a-f]{6}$/i;

export function BrandingSettings() {
  const { t } = useTranslation();
  return (
    <AccountForm
      title={t("branding.title")}
      lead={t("branding.lead")}
      labels={{ "branding.colour": t("branding.colour"), "branding.logo_file_id": t("branding.logo") }}
      patchOf={(values) => ({
        branding: { colour: values.textOrNull("branding.colour"), logo_file_id: values.textOrNull("logo") },
      })}
    >
      {(account, touch) => <BrandingFields account={account} touch={touch} />}
    </AccountForm>
  );
}

function BrandingFields({ account, touch }: { account: Account; touch: () => void }) {
  const { t } = useTranslation();
  const [colour, setColour] = useState(account.branding.colour ?? "");
  const [logo, setLogo] = useState(account.branding.logo_file_id);
  const chosen = COLOUR.test(colour.trim()) ? colour.trim().toLowerCase() : undefined;
  return (
    <>
      <div className="row row-3 colour-row">
        <div className="grow">
          <TextField
            name="branding.colour"
            label={t("branding.colour")}
            hint={t("branding.colourHint")}
            optional
            autoComplete="off"
            spellCheck={false}
            maxLength={7}
            value={colour}
            onChange={(event) => setColour(event.target.value)}
          />
        </div>
        <input
          type="color"
          className="colour-pick"
          aria-label={t("branding.pick")}
          value={chosen ?? FIRST_COLOUR}
          onChange={(event) => setColour(event.target.value)}
        />
      </div>
      <LogoField
        id={logo}
        onChange={(id) => {
          setLogo(id);
          touch();
        }}
      />
      <Preview account={account} colour={chosen} logo={logo} />
    </>
  );
}
