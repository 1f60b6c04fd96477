import type { LucideIcon } from "lucide-react";
import type { ComponentProps, ReactNode } from "react";
import { type Scope, useMay } from "../api/may.ts";
import { Icon } from "./icon.tsx";

export type ButtonLook = {
  /** `go` is for what starts to move, `danger` for what ends for good. */
  kind?: "plain" | "primary" | "go" | "danger" | "quiet";
  size?: "sm" | "md" | "lg";
  icon?: LucideIcon;
  /** The key that does the same. */
  shortcut?: string;
  block?: boolean;
};

function classOf({ kind = "plain", size = "md", block }: ButtonLook, isIconOnly: boolean): string {
  const names = ["btn"];
  if (kind !== "plain") names.push(`btn-${kind}`);
  if (size !== "md") names.push(`btn-${size}`);
  if (isIconOnly) names.push("btn-icon");
  if (block) names.push("btn-block");
  return names.join(" ");
}

function Inside({
  icon,
  shortcut,
  children,
}: Pick<ButtonLook, "icon" | "shortcut"> & { children?: ReactNode }) {
  return (
    <>
      {icon && <Icon of={icon} />}
      {children}
      {shortcut && (
        <span className="kbd" aria-hidden="true">
          {shortcut}
        </span>
      )}
    </>
  );
}

/** While `busy` it can't be pressed again, and keeps its words. Whoever lacks the scope that it `needs` doesn't see it. */
export function Button({ needs, ...rest }: ButtonProps & { needs?: Scope | undefined }) {
  return needs === undefined ? <PlainButton {...rest} /> : <GuardedButton needs={needs} {...rest} />;
}

function GuardedButton({ needs, ...rest }: ButtonProps & { needs: Scope }) {
  const may = useMay();
  return may(needs) ? <PlainButton {...rest} /> : null;
}

type ButtonProps = ButtonLook & { busy?: boolean } & ComponentProps<"button">;

function PlainButton({ kind, size, icon, shortcut, block, busy, children, ...rest }: ButtonProps) {
  const look = { ...(kind && { kind }), ...(size && { size }), ...(block && { block }) };
  return (
    <button
      type="button"
      {...rest}
      className={classOf(look, children === undefined)}
      disabled={busy || rest.disabled}
      aria-busy={busy || undefined}
    >
      <Inside {...(icon && { icon })} {...(shortcut && { shortcut })}>
        {children}
      </Inside>
    </button>
  );
}
