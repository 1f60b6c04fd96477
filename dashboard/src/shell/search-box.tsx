import { Search } from "lucide-react";
import { useRef } from "react";
import { Icon } from "../kit/icon.tsx";
import { useRegisterActions } from "./actions.ts";

type SearchBoxProps = {
  /** What is searched for now, as the address of the page has it. */
  value: string | undefined;
  label: string;
  placeholder: string;
  maxLength: number;
  onSearch: (value?: string) => void;
};

/** The search of a table: the key `/` leads into it, Enter searches, and emptying it ends the search. */
export function SearchBox({ value, label, placeholder, maxLength, onSearch }: SearchBoxProps) {
  const input = useRef<HTMLInputElement>(null);
  useRegisterActions([{ id: "search", label, icon: Search, keys: "/", run: () => input.current?.focus() }]);
  return (
    <search className="input input-sm table-search">
      <Icon of={Search} size="sm" />
      <form
        className="grow"
        onSubmit={(event) => {
          event.preventDefault();
          onSearch(input.current?.value.trim() || undefined);
        }}
      >
        <input
          ref={input}
          type="search"
          maxLength={maxLength}
          aria-label={label}
          placeholder={placeholder}
          defaultValue={value}
          onChange={(event) => event.target.value === "" && value && onSearch(undefined)}
        />
      </form>
      <span className="kbd" aria-hidden="true">
        /
      </span>
    </search>
  );
}
