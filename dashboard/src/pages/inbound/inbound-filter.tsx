import { useTranslation } from "react-i18next";

type FilterProps<T extends string> = {
  choices: readonly T[];
  labelOf: (choice: T) => string;
  /** Undefined shows everything. */
  value: T | undefined;
  onChoose: (choice: T | undefined) => void;
};

/** Narrows a list to rows of one kind. */
export function InboundFilter<T extends string>({ choices, labelOf, value, onChoose }: FilterProps<T>) {
  const { t } = useTranslation();
  return (
    <div className="table-tools">
      <label className="row sm">
        <span className="dim">{t("inbound.filter")}</span>
        <select
          className="input input-sm"
          value={value ?? ""}
          onChange={({ target }) => onChoose(choices.find((one) => one === target.value))}
        >
          <option value="">{t("inbound.any")}</option>
          {choices.map((one) => (
            <option key={one} value={one}>
              {labelOf(one)}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}
