/** Each tag is in quotation marks in Mailchimp's files, and may then have a comma in it; in JSON they stand in brackets besides. */
const QUOTED = /"((?:[^"\\]|""|\\.)*)"|[^,;|"]+/g;

/** Divides a cell of tags: by lines where there are several, else by commas, semicolons or bars. */
export function readTagCell(text: string): string[] {
  if (text.includes("\n")) return text.split("\n").map((tag) => tag.trim());
  const bare = /^\[.*\]$/.test(text) ? text.slice(1, -1) : text;
  if (!bare.startsWith('"')) return bare.split(/[,;|]/).map((tag) => tag.trim());
  return [...bare.matchAll(QUOTED)].map(([whole, quoted]) => (quoted ?? whole).replaceAll('""', '"').trim());
}
