import "../../i18n/later/identity.ts";
import { useTranslation } from "react-i18next";
import { PasswordField, TextField } from "../../kit/forms/field.tsx";
import type { Values } from "../../kit/forms/form.tsx";

/** The ways by which somebody types a proof that it is them. */
export type Way = "password" | "code" | "recovery_code";

type Props = { way: Way; size?: "md" | "lg" };

/** The field for one way. Its name is that of the body that is sent. */
export function ProofField({ way, size = "md" }: Props) {
  const { t } = useTranslation();
  if (way === "password")
    return (
      <PasswordField
        key={way}
        name={way}
        label={t("signIn.password")}
        size={size}
        autoComplete="current-password"
        autoFocus
      />
    );
  const isCode = way === "code";
  return (
    <TextField
      key={way}
      name={way}
      label={isCode ? t("identity.code") : t("identity.recoveryCode")}
      hint={isCode ? t("identity.codeHint") : t("identity.recoveryHint")}
      size={size}
      className={size === "lg" ? "input input-lg mono" : "input mono"}
      autoComplete={isCode ? "one-time-code" : "off"}
      inputMode={isCode ? "numeric" : "text"}
      autoCapitalize="off"
      spellCheck={false}
      maxLength={50}
      autoFocus
    />
  );
}

/** Apps show a code in two halves, and people type the blank between them. */
export function proofOf(way: Way, values: Values): { [key in Way]?: string } {
  if (way === "password") return { password: values.exactText(way) };
  return { [way]: way === "code" ? values.text(way).replaceAll(/\s/g, "") : values.text(way) };
}

const LABELS = {
  password: "identity.usePassword",
  code: "identity.useCode",
  recovery_code: "identity.useRecovery",
} as const;

/** The other ways, for whoever hasn't got this one at hand. */
export function OtherWays({
  ways,
  way,
  onChoose,
}: {
  ways: readonly Way[];
  way: Way;
  onChoose: (way: Way) => void;
}) {
  const { t } = useTranslation();
  return (
    <div className="row wrap">
      {ways
        .filter((one) => one !== way)
        .map((one) => (
          <button key={one} type="button" className="text-button" onClick={() => onChoose(one)}>
            {t(LABELS[one])}
          </button>
        ))}
    </div>
  );
}
