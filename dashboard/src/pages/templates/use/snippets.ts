/** How a program sends a mail that is made from a template. */
export type Example = {
  readonly origin: string;
  readonly templateId: string;
  readonly from: string;
  readonly variables: Readonly<Record<string, unknown>>;
};

const bodyOf = ({ from, templateId, variables }: Example) => ({
  from,
  to: ["ada@example.com"],
  template_id: templateId,
  ...(Object.keys(variables).length > 0 && { variables }),
});

/** Within single quotes a shell reads everything as it is but the quote itself. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

export function curlOf(example: Example): string {
  return [
    `curl ${example.origin}/v1/emails \\`,
    '  -H "Authorization: Bearer $POSTRIDER_KEY" \\',
    '  -H "Content-Type: application/json" \\',
    `  -d ${quoted(JSON.stringify(bodyOf(example), null, 2))}`,
  ].join("\n");
}

export function typescriptOf(example: Example): string {
  return `const response = await fetch("${example.origin}/v1/emails", {
  method: "POST",
  headers: {
    authorization: \`Bearer \${process.env["POSTRIDER_KEY"]}\`,
    "content-type": "application/json",
  },
  body: JSON.stringify(${indented(JSON.stringify(bodyOf(example), null, 2))}),
});
if (!response.ok) throw new Error(await response.text());
const { id, status } = await response.json();`;
}

const indented = (text: string) => text.replaceAll("\n", "\n  ");
