import { useTranslation } from "react-i18next";
import type { Transport, TransportCreate } from "../../../api/openapi.ts";
import { Checkbox, PasswordField, SelectField, TextField } from "../../../kit/forms/field.tsx";
import type { Values } from "../../../kit/forms/form.tsx";

const TLS_MODES: readonly Transport["tls"][] = ["required", "implicit", "opportunistic", "never"];
const STREAMS: readonly Transport["streams"][number][] = ["campaign", "transactional", "automation"];

/** A password is sent only where one was typed: what is left empty stays as it is. */
export function bodyOf(values: Values, before?: Transport): TransportCreate {
  const username = values.textOrNull("username");
  const password = values.exactText("password");
  const port = numberIn(values.text("port"));
  const connections = numberIn(values.text("max_connections"));
  const mayBeCleared = before?.has_password === true && username === null;
  return {
    name: values.text("name"),
    host: values.text("host"),
    ...(port !== undefined && { port }),
    tls: values.text("tls") as Transport["tls"],
    verify_certificate: values.isChecked("verify_certificate"),
    username,
    ...(password !== "" ? { password } : mayBeCleared && { password: null }),
    ehlo_name: values.textOrNull("ehlo_name"),
    ...(connections !== undefined && { max_connections: connections }),
    rate_per_second: numberIn(values.text("rate_per_second")) ?? null,
    max_per_day: numberIn(values.text("max_per_day")) ?? null,
    streams: values.all("streams") as Transport["streams"],
  };
}

/** What is no number is sent as it was typed, and the answer says what is wrong with it. */
export function numberIn(text: string): number | undefined {
  if (text === "") return undefined;
  return Number.isFinite(Number(text)) ? Number(text) : (text as unknown as number);
}

export function ServerFields({ server }: { server?: Transport }) {
  const { t } = useTranslation();
  const typed = { autoComplete: "off", spellCheck: false } as const;
  return (
    <>
      <TextField
        name="name"
        label={t("servers.name")}
        maxLength={200}
        defaultValue={server?.name ?? ""}
        autoComplete="off"
      />
      <div className="server-address">
        <TextField
          name="host"
          label={t("servers.host")}
          maxLength={253}
          defaultValue={server?.host ?? ""}
          {...typed}
        />
        <TextField
          name="port"
          label={t("servers.port")}
          inputMode="numeric"
          defaultValue={server?.port ?? 587}
          {...typed}
        />
        <SelectField
          name="tls"
          label={t("servers.tls")}
          defaultValue={server?.tls ?? "required"}
          options={TLS_MODES.map((mode) => ({ value: mode, label: t(`servers.tlsModes.${mode}`) }))}
        />
      </div>
      <Checkbox
        name="verify_certificate"
        label={t("servers.verify")}
        hint={t("servers.verifyHint")}
        defaultChecked={server?.verify_certificate ?? true}
      />
      <div className="pair">
        <TextField
          name="username"
          label={t("servers.username")}
          maxLength={320}
          optional
          defaultValue={server?.username ?? ""}
          {...typed}
        />
        <PasswordField
          // What was saved is never shown again, so the field is empty after each save.
          key={server?.updated_at}
          name="password"
          label={t("servers.password")}
          {...(server?.has_password ? { hint: t("servers.passwordKept") } : { optional: true })}
          size="md"
          maxLength={1_000}
          autoComplete="new-password"
        />
        <TextField
          name="rate_per_second"
          label={t("servers.rate")}
          hint={t("servers.rateHint")}
          inputMode="decimal"
          optional
          defaultValue={server?.rate_per_second ?? ""}
          {...typed}
        />
        <TextField
          name="max_per_day"
          label={t("servers.perDay")}
          hint={t("servers.perDayHint")}
          inputMode="numeric"
          optional
          defaultValue={server?.max_per_day ?? ""}
          {...typed}
        />
        <TextField
          name="max_connections"
          label={t("servers.connections")}
          inputMode="numeric"
          defaultValue={server?.max_connections ?? 10}
          {...typed}
        />
      </div>
      <TextField
        name="ehlo_name"
        label={t("servers.ehlo")}
        hint={t("servers.ehloHint")}
        maxLength={253}
        optional
        defaultValue={server?.ehlo_name ?? ""}
        {...typed}
      />
      <fieldset className="stack tight">
        <legend className="flabel">{t("servers.leaves")}</legend>
        {STREAMS.map((stream) => (
          <Checkbox
            key={stream}
            name="streams"
            value={stream}
            label={t(`servers.streams.${stream}`)}
            defaultChecked={server?.streams.includes(stream)}
          />
        ))}
        <p className="xs dim">{t("servers.streamsHint")}</p>
      </fieldset>
    </>
  );
}
