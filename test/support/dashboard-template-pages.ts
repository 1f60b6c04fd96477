/** Goes through the pages of templates: none, several, one that is written, its variables, versions, and what is done with it. */
import type { Page } from "playwright-core";

type Ask = (method: string, path: string, body?: unknown) => Promise<{ readonly id: string }>;

const VARIABLES = [
  { name: "order_number", type: "string", required: true, sample: "1042" },
  { name: "total", type: "number", required: true, sample: 22.6 },
  { name: "shipped_on", type: "date", default: "2026-11-14" },
  { name: "items", type: "list", sample: [{ name: "Apple juice", price: "€ 17.40" }] },
];
const HTML = `<h1>Thank you</h1>
<p>Order {{ order_number }} of {{ total }} left on {{ shipped_on }}.</p>
<ul>
{% for item in items %}
  <li>{{ item.name }}: {{ item.price }}</li>
{% endfor %}
</ul>
<p>Yours, Fernhill Books</p>`;

export async function visitTemplates(
  page: Page,
  baseUrl: string,
  ask: Ask,
  look: (name: string) => Promise<void>,
): Promise<void> {
  const press = (name: string | RegExp) => page.getByRole("button", { name }).first().click();
  const rest = () => page.waitForLoadState("networkidle");
  await page.goto(`${baseUrl}/templates?q=nothing`);
  await page.getByRole("heading", { name: "No template is called that" }).waitFor();
  await look("templates-none");
  const name = `Order shipped ${Date.now()}`;
  const { id } = await ask("POST", "/v1/templates", {
    name,
    subject: "Order {{ order_number }} is on its way",
    preview_text: "{{ total }}, paid. Thank you!",
    html: HTML,
    variables: VARIABLES,
  });
  await ask("POST", `/v1/templates/${id}/publish`);
  await ask("PATCH", `/v1/templates/${id}`, {
    html: `${HTML.replace("left on", "was posted on")}\n<p>{{ greeting }}</p>`,
    variables: [...VARIABLES.slice(0, 3), { ...VARIABLES[3], required: true }],
  });
  await ask("POST", "/v1/templates", { name: `${name} (new)`, starter: "receipt" });
  await page.goto(`${baseUrl}/templates`);
  await page.getByRole("link", { name: "Order shipped" }).first().waitFor();
  await look("templates");
  await press("New template");
  await page.getByRole("button", { name: "Receipt", exact: true }).waitFor();
  await rest();
  await look("templates-new");
  await page.goto(`${baseUrl}/templates/${id}`);
  await page.getByText("Nothing is known by the name greeting.").waitFor();
  await page.locator(".cm-chip").first().waitFor();
  await rest();
  await look("template");
  await page.goto(`${baseUrl}/templates/${id}?part=variables&preview=desktop`);
  await page.getByLabel("Sample of items").waitFor();
  await press("JSON");
  await page.getByLabel("Values as JSON").fill('{"order_number": 1042}');
  await page.getByText(/“order_number”: must be text/).waitFor();
  await rest();
  await look("template-variables");
  await page.goto(`${baseUrl}/templates/${id}?versions=true`);
  await page.getByRole("dialog").getByRole("region", { name: "HTML" }).waitFor();
  await rest();
  await look("template-versions");
  await page.goto(`${baseUrl}/templates/${id}`);
  await press(/^Publish$/);
  await page.getByRole("dialog").getByRole("region", { name: "HTML" }).waitFor();
  await press("Publish version 2");
  await page.getByText("It can't be published yet").waitFor();
  await look("template-publish");
  await page.keyboard.press("Escape");
  await press("Use it");
  await page.getByRole("dialog").getByRole("region", { name: "Example" }).waitFor();
  await rest();
  await look("template-use");
}
