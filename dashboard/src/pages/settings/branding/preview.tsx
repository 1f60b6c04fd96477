/** The head of a public page in both themes, and what the service does to the colour so that it can be read. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Account, BrandingPreview } from "../../../api/openapi.ts";
import { query } from "../../../api/queries.ts";
import { formatNumber } from "../../../i18n/format.ts";
import { useSettled } from "../../../shell/use-settled.ts";
import { logoAddress } from "./logo-field.tsx";

type PreviewProps = { account: Account; colour: string | undefined; logo: string | null };

export function Preview({ account, colour, logo }: PreviewProps) {
  const { t } = useTranslation();
  const settled = useSettled(colour);
  const { data } = useQuery({
    ...query("GET /v1/branding_preview", { query: settled ? { colour: settled } : {} }),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <section className="stack" aria-label={t("branding.preview")}>
      <h3>{t("branding.preview")}</h3>
      <p className="sm mid" role="status">
        {data ? <Verdict found={data} /> : t("branding.checking")}
      </p>
      {data && (
        <div className="two">
          <Sheet theme="light" colours={data.light} account={account} logo={logo} />
          <Sheet theme="dark" colours={data.dark} account={account} logo={logo} />
        </div>
      )}
    </section>
  );
}

function Verdict({ found: { colour, light, dark } }: { found: BrandingPreview }) {
  const { t } = useTranslation();
  if (colour === null) return t("branding.own");
  const words = { colour: light.button, contrast: formatNumber(light.contrast) };
  const inLight = light.button === colour ? t("branding.kept", words) : t("branding.changed", words);
  const inDark = t("branding.inDark", { colour: dark.button, contrast: formatNumber(dark.contrast) });
  return `${inLight} ${inDark}`;
}

type SheetProps = {
  theme: "light" | "dark";
  colours: BrandingPreview["light"];
  account: Account;
  logo: string | null;
};

function Sheet({ theme, colours, account, logo }: SheetProps) {
  const { t } = useTranslation();
  const { sheet, text, button, button_text: color, button_edge: borderColor } = colours;
  return (
    <figure className="stack tight">
      <div className={`brand-sheet brand-${theme}`} style={{ background: sheet, color: text }}>
        <div className="brand-head">
          {logo ? (
            <img className="logo-shown" src={logoAddress(logo)} alt={account.name} />
          ) : (
            <span className="cell-text">{account.name}</span>
          )}
        </div>
        <span className="strong">{t("branding.question")}</span>
        <span className="brand-button" style={{ background: button, color, borderColor }}>
          {t("branding.button")}
        </span>
      </div>
      <figcaption className="xs dim">{t(`branding.${theme}`)}</figcaption>
    </figure>
  );
}
