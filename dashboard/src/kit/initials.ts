/** One or two letters for a name or an address. */
export function initialsOf(name: string): string {
  const words = name.split(/[\s@._-]+/u).filter(Boolean);
  const [first = "", second = ""] = words;
  return [first, name.includes("@") ? "" : second]
    .map((word) => [...word][0] ?? "")
    .join("")
    .toLocaleUpperCase();
}
