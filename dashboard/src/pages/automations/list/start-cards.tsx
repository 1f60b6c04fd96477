/** The automations to begin with, as cards. */
import {
  CakeSlice,
  CalendarHeart,
  Hand,
  type LucideIcon,
  Package,
  ShoppingCart,
  Sunset,
  Timer,
  Undo2,
} from "lucide-react";
import { useTranslation } from "react-i18next";
import { Icon } from "../../../kit/icon.tsx";
import { START_KEYS, type StartKey } from "./starts.ts";

const ICONS: Readonly<Record<(typeof START_KEYS)[number], LucideIcon>> = {
  welcome: Hand,
  birthday: CakeSlice,
  anniversary: CalendarHeart,
  abandoned_cart: ShoppingCart,
  after_purchase: Package,
  reengagement: Sunset,
  win_back: Undo2,
  trial_ending: Timer,
};

export function StartCards({ onChoose }: { onChoose: (key: StartKey) => void }) {
  const { t } = useTranslation();
  return (
    <ul className="start-cards">
      {START_KEYS.map((key) => (
        <li key={key}>
          <button type="button" className="start-card" onClick={() => onChoose(key)}>
            <span className="step-icon">
              <Icon of={ICONS[key]} />
            </span>
            <span className="stack tight">
              <span className="med">{t(`starts.${key}.name`)}</span>
              <span className="sm mid">{t(`starts.${key}.about`)}</span>
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
