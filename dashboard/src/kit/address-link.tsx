import { useRouter } from "@tanstack/react-router";
import type { ComponentProps } from "react";

/** A link to an address of ours that is only known at run time. It opens without loading everything anew. */
export function AddressLink({ href, ...rest }: { href: string } & ComponentProps<"a">) {
  const router = useRouter();
  return (
    <a
      {...rest}
      href={href}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
        event.preventDefault();
        router.history.push(href);
      }}
    />
  );
}
