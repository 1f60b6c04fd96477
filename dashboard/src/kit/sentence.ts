/** The API's details begin with a small letter and have no full stop, because they stand in other texts too. */
export function sentence(text: string): string {
  const end = /[.!?…]$/.test(text) || text === "" ? "" : ".";
  return text.charAt(0).toUpperCase() + text.slice(1) + end;
}
