/** The plus behind a block, and what can be put there. */
import { Menu } from "@base-ui/react/menu";
import { LayoutPanelTop, Plus, Settings2 } from "lucide-react";
import { type ReactElement, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "../../../../../../kit/icon.tsx";
import { KINDS } from "../../document/kinds.ts";
import type { Controls } from "../controls.ts";
import { KIND_ICONS } from "./kind-icons.ts";
import type { SectionList } from "./use-sections.ts";

type Props = { controls: Controls; kind?: string; sections: SectionList; trigger?: ReactElement };

export function InsertMenu({ controls, kind, sections, trigger }: Props) {
  const { t } = useTranslation();
  const host = useRef<HTMLSpanElement>(null);
  /** It is done once the menu has gone, which would else take the focus from what was added. */
  const chosen = useRef<() => void>(undefined);
  const choose = (act: () => void) => () => {
    chosen.current = act;
  };
  const finish = (isOpen: boolean) => {
    const { current: act } = chosen;
    chosen.current = undefined;
    if (!isOpen) act?.();
  };
  const label = t("blocksEditor.toolbar.insertAfter", { kind: kind ?? "" });
  return (
    <Menu.Root modal={false} onOpenChangeComplete={finish}>
      <span ref={host} />
      <Menu.Trigger
        render={
          trigger ?? (
            <button type="button" className="block-plus" title={label} aria-label={label}>
              <Icon of={Plus} size="sm" />
            </button>
          )
        }
      />
      <Menu.Portal container={host}>
        <Menu.Positioner className="layer" side="bottom" align="center" sideOffset={4}>
          <Menu.Popup
            className="pop insert-menu"
            finalFocus={() => chosen.current === undefined}
            aria-label={t("blocksEditor.insert.title")}
          >
            {KINDS.map((one) => (
              <Menu.Item key={one} className="opt" onClick={choose(() => controls.insertKind(one))}>
                <Icon of={KIND_ICONS[one]} />
                <span>{t(`blocksEditor.kinds.${one}`)}</span>
              </Menu.Item>
            ))}
            {sections.list.length > 0 && (
              <Menu.Group>
                <Menu.GroupLabel className="label">{t("blocksEditor.insert.sections")}</Menu.GroupLabel>
                {sections.list.map(({ id, name, insert }) => (
                  <Menu.Item key={id} className="opt" onClick={choose(insert)}>
                    <Icon of={LayoutPanelTop} />
                    <span>{name}</span>
                  </Menu.Item>
                ))}
              </Menu.Group>
            )}
            {sections.list.length > 0 && (
              <Menu.Item className="opt" onClick={choose(() => controls.setOpen({ kind: "sections" }))}>
                <Icon of={Settings2} />
                <span>{t(sections.hasMore ? "blocksEditor.insert.all" : "blocksEditor.insert.manage")}</span>
              </Menu.Item>
            )}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
