/** What forms look like from outside. */
import { type Static, Type } from "typebox";
import { UpdatedBy } from "../accounts/accounts.ts";
import {
  BodyId,
  Name,
  Nullable,
  oneOf,
  Page,
  PageQuery,
  PublicId,
  Strict,
  Timestamp,
} from "../platform/http/schemas.ts";
import { ListIdInQuery } from "../subscribers/subscribers.ts";

const MOST_FIELDS = 30;

const FormName = Name(200, "Letter from the shop floor");
const DoubleOptIn = Type.Boolean({
  description:
    "Whoever signs up is asked by mail whether it was really them. Where it is off, only those are asked who had left, whose " +
    "address is suppressed, or whose list asks everybody.",
});
const Locale = Nullable(
  Type.String({
    maxLength: 35,
    description: "The language of the form, as a BCP 47 tag; null is the visitor's.",
    examples: ["en"],
  }),
);
const RedirectUrl = Nullable(
  Type.String({
    maxLength: 2_000,
    description:
      "Where a browser is led after signing up, and after confirming; null shows a page of thanks.",
    examples: ["https://example.com/thanks"],
  }),
);
const TOPICS =
  "The topics that are switched on for whoever is new to the account. What people have chosen themselves stays.";
const Topics = Type.Array(PublicId("top"), { maxItems: 50, description: TOPICS });
const TopicsInput = Type.Array(BodyId("top"), { maxItems: 50, description: TOPICS });
const Tags = Type.Array(Type.String({ minLength: 1, maxLength: 64, examples: ["shop"] }), {
  maxItems: 20,
  description: "The tags that new subscribers get.",
});
const Checks = oneOf(["off", "report", "skip_bad"], {
  description:
    "What is done about addresses that mail may not reach. `report` (the default) asks whoever seems to have slipped whether they meant another " +
    "address; nothing is changed by itself, and who insists is taken. `skip_bad` also refuses addresses that can't be reached, as far as the DNS " +
    "says so within three seconds. `off` does neither. Nobody is refused who is only `risky` or `unknown`.",
});
const Status = oneOf(["active", "paused"], {
  description: "A paused form is shown as closed and takes nothing.",
});

const field = {
  name: Type.String({
    pattern: "^(?:email|first_name|last_name|fields\\.[a-z][a-z0-9_]{0,63})$",
    "x-error-detail": "must be email, first_name, last_name, or fields. and the key of a custom field",
    description: "`email`, `first_name`, `last_name`, or `fields.` and the key of a custom field.",
    examples: ["first_name"],
  }),
};
const Label = Nullable(
  Type.String({
    maxLength: 200,
    description: "What stands above it; null is the usual word, or the custom field's name.",
  }),
);
const Required = Type.Boolean({
  description: "Whether it must be filled in. The e-mail address always must.",
});
const Field = Type.Object({ ...field, label: Label, required: Required });
const FieldInput = Strict({ ...field, label: Type.Optional(Label), required: Type.Optional(Required) });
const FieldsInput = Type.Array(FieldInput, {
  maxItems: MOST_FIELDS,
  description: "What is asked for, in this order. The e-mail address stands first where it isn't listed.",
});

const text = (maxLength: number, description: string) => Nullable(Type.String({ maxLength, description }));
const texts = {
  title: text(200, "The heading."),
  intro: text(1_000, "What stands below the heading."),
  consent: text(
    1_000,
    "What the person agrees to, beside a box that has to be ticked. It is kept word for word with the consent.",
  ),
  tracking: text(
    1_000,
    "The same for recording whose opens and clicks are whose; the box is shown where `tracking` of the list or the account is `consented`.",
  ),
  button: text(100, "The button."),
  note: text(1_000, "The small print below the button. It is kept with the consent too."),
  privacy_url: text(2_000, "Where your privacy policy is; it is linked below the button."),
  done_title: text(200, "The heading of the page of thanks."),
  done_text: text(1_000, "What that page says. It is the same for everybody, known or not."),
};
type TextName = keyof typeof texts;
export const TEXT_NAMES = Object.keys(texts) as TextName[];
const Texts = Type.Object(texts);
const TextsPatch = Strict(
  Object.fromEntries(TEXT_NAMES.map((name) => [name, Type.Optional(texts[name])])) as {
    [FormName in TextName]: ReturnType<typeof Type.Optional<(typeof texts)[FormName]>>;
  },
  {
    description:
      "Your own words. What is left out stays as it is; null is the usual text, in the form's language.",
  },
);
/** Only texts that somebody wrote stand in it. */
export type FormTexts = Partial<Record<TextName, string>>;

export const Form = Type.Object(
  {
    object: Type.Literal("form"),
    id: PublicId("frm"),
    name: FormName,
    list_id: PublicId("lst"),
    topic_ids: Topics,
    fields: Type.Array(Field),
    double_opt_in: DoubleOptIn,
    locale: Locale,
    texts: Texts,
    redirect_url: RedirectUrl,
    tags: Tags,
    checks: Checks,
    status: Status,
    version: Type.Integer({
      description: "Grows with every change. The consent of whoever signs up names it.",
    }),
    url: Type.String({ description: "Its page." }),
    created_at: Timestamp,
    updated_at: Timestamp,
    updated_by: UpdatedBy,
  },
  { title: "Form" },
);
export type Form = Static<typeof Form>;
export const FormPage = Page(Form, "FormPage");
export const FormQuery = PageQuery({ list_id: Type.Optional(ListIdInQuery) });

const optional = {
  topic_ids: Type.Optional(TopicsInput),
  fields: Type.Optional(FieldsInput),
  double_opt_in: Type.Optional(DoubleOptIn),
  locale: Type.Optional(Locale),
  texts: Type.Optional(TextsPatch),
  redirect_url: Type.Optional(RedirectUrl),
  tags: Type.Optional(Tags),
  checks: Type.Optional(Checks),
  status: Type.Optional(Status),
};
export const FormCreate = Strict(
  {
    name: FormName,
    list_id: BodyId("lst", "The list that people sign up to. It stays the same."),
    ...optional,
  },
  {
    title: "FormCreate",
    examples: [
      {
        name: "Letter from the shop floor",
        list_id: "lst_01k9zq4t3xe8k8y0v6d3m2n1pq",
        fields: [{ name: "email" }, { name: "first_name", label: "First name", required: false }],
      },
    ],
  },
);
export type FormCreate = Static<typeof FormCreate>;
export const FormPatch = Strict(
  { name: Type.Optional(FormName), ...optional },
  { title: "FormPatch", examples: [{ status: "paused" }] },
);
export type FormPatch = Static<typeof FormPatch>;

export const SnippetQuery = Strict({
  locale: Type.Optional(
    Type.String({
      maxLength: 35,
      description: "The language, where the form has none of its own.",
      examples: ["de"],
    }),
  ),
});
export const FormSnippet = Type.Object(
  {
    object: Type.Literal("form_snippet"),
    form_id: PublicId("frm"),
    version: Type.Integer({
      description: "The version that the snippet is of. Take a new one after a change.",
    }),
    locale: Type.String({ description: "The language that it is written in." }),
    html: Type.String({ description: "A `<form>` for any site. It needs no script." }),
    script_inline: Type.String({ description: "A script that puts the form where it stands." }),
    script_popup: Type.String({
      description:
        "A script that opens the form as a dialog, by whatever has `data-postrider-open` and the form's id.",
    }),
  },
  { title: "FormSnippet" },
);
export type FormSnippet = Static<typeof FormSnippet>;

export const FormPreview = Type.Object(
  {
    object: Type.Literal("form_preview"),
    html: Type.String({
      description: "The page as it would be. It needs no script and fetches nothing but the logo.",
    }),
  },
  { title: "FormPreview" },
);
