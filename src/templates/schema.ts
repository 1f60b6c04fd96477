/** What templates look like from outside. */
import { type Static, Type } from "typebox";
import { UpdatedBy } from "../accounts/accounts.ts";
import { BlocksDocument, listStarters } from "../content/content.ts";
import { Check } from "../messages/messages.ts";
import {
  Name,
  Nullable,
  oneOf,
  Page,
  PageQuery,
  PublicId,
  Strict,
  Timestamp,
} from "../platform/http/schemas.ts";

const VARIABLE_TYPES = ["string", "number", "boolean", "date", "list", "object"] as const;
export type VariableType = (typeof VARIABLE_TYPES)[number];

const LONGEST_PART = 512 * 1_024;
const MOST_VARIABLES = 100;

const TemplateName = Name(200, "Receipt");
const Subject = Type.String({ maxLength: 998, examples: ["Your receipt for order {{ order_number }}"] });
const PreviewText = Nullable(Type.String({ maxLength: 998, examples: ["{{ total }}, paid. Thank you!"] }));
const part = (description: string) => Nullable(Type.String({ maxLength: LONGEST_PART, description }));
const Html = part("HTML with Liquid, at most 512 KB.");
const Mjml = part("MJML with Liquid in place of `html`, at most 512 KB.");
const Blocks = Nullable(BlocksDocument);
const Text = part("The text part; null makes it from the HTML.");

const AnyValue = (description: string) => Type.Unsafe<unknown>({ description });
const variable = {
  name: Type.String({
    pattern: "^[A-Za-z_][A-Za-z0-9_]{0,63}$",
    "x-error-detail": "must be letters, digits and underscores, beginning with no digit",
    examples: ["order_number"],
  }),
  type: oneOf(VARIABLE_TYPES, { description: "A `date` is 2026-11-14, or a time as RFC 3339 writes it." }),
};
const Required = Type.Boolean({ description: "Whether no mail may be made without a value for it." });
const Variable = Type.Object({
  ...variable,
  required: Required,
  sample: AnyValue("What it is when the draft is examined or looked at; null where there is none."),
  default: AnyValue("What it is where no value is given; null where it is then empty."),
});
const VariableInput = Strict({
  ...variable,
  required: Type.Optional(Required),
  sample: Type.Optional(AnyValue("A value of its type, to look at the draft with.")),
  default: Type.Optional(AnyValue("A value of its type, for where none is given.")),
});

const summary = {
  object: Type.Literal("template"),
  id: PublicId("tpl"),
  name: TemplateName,
  subject: Subject,
  preview_text: PreviewText,
  variables: Type.Array(Variable),
  draft_version: Type.Integer({ description: "The number that the draft gets when it is published." }),
  published_version: Nullable(
    Type.Integer({ description: "What mails and campaigns take; null until it is published." }),
  ),
  has_unpublished_changes: Type.Boolean({
    description: "Whether the draft says anything else than what is published.",
  }),
  published_at: Nullable(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp,
  updated_by: UpdatedBy,
};
const TemplateSummary = Type.Object(
  {
    ...summary,
    used_by: Type.Object(
      {
        campaigns: Type.Integer({ description: "The campaigns whose content was taken from it." }),
        unsent_campaigns: Type.Integer({
          description: "Those of them that are neither sent nor canceled: it can't be deleted until then.",
        }),
      },
      { description: "What was made from it, besides mails." },
    ),
  },
  { title: "TemplateSummary" },
);
export type TemplateSummary = Static<typeof TemplateSummary>;
export const TemplatePage = Page(TemplateSummary, "TemplatePage");
export const Template = Type.Object(
  { ...summary, html: Html, mjml: Mjml, blocks: Blocks, text: Text },
  { title: "Template" },
);
export type Template = Static<typeof Template>;

const content = {
  subject: Type.Optional(Subject),
  preview_text: Type.Optional(PreviewText),
  html: Type.Optional(Html),
  mjml: Type.Optional(Mjml),
  blocks: Type.Optional(Blocks),
  text: Type.Optional(Text),
  variables: Type.Optional(
    Type.Array(VariableInput, {
      maxItems: MOST_VARIABLES,
      description: "All of them: what is left out of the list is no variable any more.",
    }),
  ),
};
const example = {
  name: "Receipt",
  subject: "Your receipt for order {{ order_number }}",
  html: "<p>Thank you for order {{ order_number }}.</p>",
  variables: [{ name: "order_number", type: "string", required: true, sample: "1042" }],
};
export const TemplateCreate = Strict(
  {
    name: TemplateName,
    starter: Type.Optional(
      oneOf(
        listStarters().map(({ id }) => id),
        {
          description:
            "Begin with a copy of this starter, made of blocks; what is given beside it goes before it.",
        },
      ),
    ),
    ...content,
  },
  { title: "TemplateCreate", examples: [example] },
);
export type TemplateCreate = Static<typeof TemplateCreate>;
export const TemplatePatch = Strict(
  { name: Type.Optional(TemplateName), ...content },
  { title: "TemplatePatch", examples: [{ subject: "Your receipt" }] },
);
export type TemplatePatch = Static<typeof TemplatePatch>;
export const TemplateQuery = PageQuery({
  q: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: "In the name, in any case." })),
});

const versionHead = {
  object: Type.Literal("template_version"),
  template_id: PublicId("tpl"),
  number: Type.Integer(),
  subject: Subject,
  actor: Type.Object({
    kind: Type.Unsafe<"api_key" | "user" | "system">({ type: "string", enum: ["api_key", "user", "system"] }),
    id: Nullable(Type.String()),
    name: Nullable(Type.String({ description: "As it is now; null where there is none any more." })),
  }),
  created_at: Timestamp,
};
export const TemplateVersionPage = Page(
  Type.Object(versionHead, { title: "TemplateVersionSummary" }),
  "TemplateVersionPage",
);
export const TemplateVersion = Type.Object(
  {
    ...versionHead,
    preview_text: PreviewText,
    html: Html,
    mjml: Mjml,
    blocks: Blocks,
    text: Text,
    variables: Type.Array(Variable),
  },
  { title: "TemplateVersion" },
);
export type TemplateVersion = Static<typeof TemplateVersion>;
export type TemplateVersionSummary = Static<(typeof TemplateVersionPage)["properties"]["data"]["items"]>;
export const VersionParams = Strict({
  id: PublicId("tpl"),
  number: Type.String({ pattern: "^[1-9]\\d{0,8}$", examples: ["1"] }),
});

/** What a program gives for the variables of a template. */
export const VariableValues = Type.Unsafe<Record<string, unknown>>({
  type: "object",
  additionalProperties: true,
  description:
    "Values by the names of the template's variables, each of its variable's type; null is none. Together 256 KB as JSON.",
  examples: [{ order_number: "1042" }],
});
export const RenderInput = Strict(
  {
    variables: Type.Optional(VariableValues),
    version: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 999_999_999,
        description: "A published version; without it, the draft.",
      }),
    ),
    draft: Type.Optional(
      Strict(content, {
        description: "Changes to look at the draft with, as PATCH takes them. They aren't stored.",
      }),
    ),
    strict: Type.Optional(
      Type.Boolean({
        description:
          "Refuse a missing value that is required, as mail does. Otherwise it is the default, or empty, and `missing` names it.",
      }),
    ),
    checks: Type.Optional(
      Type.Boolean({
        description: "Look the mail over as well; `checks` of the answer says what was found.",
      }),
    ),
  },
  { title: "TemplateRender", examples: [{ variables: {}, strict: false }] },
);
const UndeclaredName = Type.Object({
  name: Type.String({ examples: ["order.total"] }),
  is_of_campaigns: Type.Boolean({
    description: "Whether campaigns know it, as `unsubscribe_url`. The others stop publishing.",
  }),
  part: Type.String({ description: "`subject`, `preheader`, `html`, `mjml`, `blocks` or `text`." }),
  line: Type.Integer(),
  column: Type.Integer(),
});
export const TemplateRendering = Type.Object(
  {
    object: Type.Literal("template_rendering"),
    template_id: PublicId("tpl"),
    version: Type.Integer(),
    subject: Type.String(),
    html: Nullable(Type.String()),
    text: Type.String(),
    missing: Type.Array(Type.String(), {
      description: "The variables without a value that are required, or have no default.",
    }),
    undeclared: Type.Array(UndeclaredName, {
      description: "The names that the content reads and that are no variables, each at its first place.",
    }),
    checks: Type.Array(Check, {
      description:
        "What was found in the mail, the worst first; empty unless it was asked for. An error stops publishing.",
    }),
  },
  { title: "TemplateRendering" },
);
