import type { Ctx } from "../platform/context.ts";
import { CHANGES_NOTHING } from "../platform/http/audit.ts";
import { pageByAge } from "../platform/http/paging/page-by-age.ts";
import type { Answer } from "../platform/http/route.ts";
import { type Route, readRoute, writeRoute } from "../platform/http/route.ts";
import { PublicId, Strict } from "../platform/http/schemas.ts";
import { requireId, toPublicId } from "../platform/ids.ts";
import { AppError, missing } from "../platform/problems.ts";
import type { Secrets } from "../platform/secrets.ts";
import { type PageWords, signUpPage } from "../public-pages/public-pages.ts";
import { allFields, readListId } from "../subscribers/subscribers.ts";
import { createForm, deleteForm, formEtag, previewForm, updateForm } from "./edit.ts";
import { openForm } from "./open-form.ts";
import { presentForm, snippetOf } from "./presenting.ts";
import { formClosed, tooManyForms } from "./problems.ts";
import {
  Form,
  FormCreate,
  FormPage,
  FormPatch,
  FormPreview,
  FormQuery,
  FormSnippet,
  SnippetQuery,
} from "./schema.ts";
import { shapeForm } from "./shape.ts";
import { countForms, type FormRow, findForm, listForms } from "./store.ts";

const tag = "Forms";
const read = "forms:read";
const write = "forms:write";
const Params = Strict({ id: PublicId("frm") });

const formId = (text: string) => requireId("frm", text, "form");

export type FormTools = {
  readonly publicUrl: () => string;
  readonly secrets: Secrets;
  readonly pageWords: PageWords;
};

export function formRoutes(tools: FormTools): readonly Route[] {
  async function answerWith(ctx: Ctx, row: FormRow, status: number): Promise<Answer<Form>> {
    const fields = await allFields(ctx.sql, ctx.accountId);
    return { status, body: shapeForm(row, fields, tools.publicUrl()), etag: formEtag(row) };
  }

  async function mustFind(ctx: Ctx, id: string): Promise<FormRow> {
    const row = await findForm(ctx.sql, ctx.accountId, formId(id));
    if (!row) throw missing("form");
    return row;
  }

  return [
    readRoute({
      path: "/v1/forms",
      scope: read,
      tag,
      summary: "List forms",
      description: "Newest first.",
      query: FormQuery,
      success: { status: 200, schema: FormPage, description: "A page of forms." },
      async handler(call) {
        const listId = await readListId(call.ctx, call.query.list_id);
        return pageByAge(call, {
          list: (db, accountId, page) => listForms(db, accountId, listId, page),
          count: (db, accountId) => countForms(db, accountId, listId),
          shape: allFields(call.ctx.sql, call.ctx.accountId).then(
            (fields) => (row: FormRow) => shapeForm(row, fields, tools.publicUrl()),
          ),
        });
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/forms",
      scope: write,
      audit: { action: "form.created", of: "answer" },
      tag,
      summary: "Make a form",
      description:
        "People sign up to a list by its page at `url`, or from your own site by a snippet. Only the name and the list are required.",
      body: FormCreate,
      success: { status: 201, schema: Form, description: "The form." },
      problems: [tooManyForms],
      async handler({ ctx, body, baseUrl }) {
        const row = await createForm(ctx, body);
        const headers = { location: `${baseUrl}/v1/forms/${toPublicId("frm", row.id)}` };
        return { ...(await answerWith(ctx, row, 201)), headers };
      },
    }),
    readRoute({
      path: "/v1/forms/:id",
      scope: read,
      tag,
      summary: "Get a form",
      params: Params,
      success: { status: 200, schema: Form, description: "The form." },
      async handler({ ctx, params }) {
        return answerWith(ctx, await mustFind(ctx, params.id), 200);
      },
    }),
    writeRoute({
      method: "PATCH",
      path: "/v1/forms/:id",
      scope: write,
      audit: { action: "form.updated", of: "path" },
      tag,
      summary: "Change a form",
      description:
        "What is left out stays as it is; null clears. Every change makes another version. Pages and scripts show it at once; a snippet " +
        "that was pasted into a site stays as it is, and so does what its readers agree to.",
      params: Params,
      body: FormPatch,
      success: { status: 200, schema: Form, description: "The form as it now is." },
      async handler({ ctx, params, body, ifMatch }) {
        return answerWith(ctx, await updateForm(ctx, formId(params.id), body, ifMatch), 200);
      },
    }),
    writeRoute({
      method: "DELETE",
      path: "/v1/forms/:id",
      scope: write,
      audit: { action: "form.deleted", of: "path" },
      tag,
      summary: "Delete a form",
      description:
        "Whoever signed up by it stays on the list. Pause it instead where it may be needed again.",
      params: Params,
      success: { status: 204, schema: null, description: "Gone." },
      async handler({ ctx, params }) {
        await deleteForm(ctx, formId(params.id));
        return { status: 204 };
      },
    }),
    readRoute({
      path: "/v1/forms/:id/snippet",
      scope: read,
      tag,
      summary: "Get the snippets of a form",
      description:
        "Markup for another site: a `<form>` that needs no script, a script that shows the form where it stands, and one that opens it " +
        "as a dialog. Scripts follow the form's changes; take a new `<form>` after each.",
      params: Params,
      query: SnippetQuery,
      success: { status: 200, schema: FormSnippet, description: "The snippets." },
      problems: [formClosed],
      async handler({ ctx, params, query }) {
        const found = await openForm(ctx.sql, await mustFind(ctx, params.id), "even if paused");
        if (found.kind !== "open") throw new AppError(formClosed, "the list of this form is gone");
        const { form } = found;
        const words = await tools.pageWords.forAccount(
          ctx.sql,
          form.account,
          form.row.locale ?? query.locale,
        );
        const presented = presentForm(form, words, tools.secrets, tools.publicUrl());
        return { status: 200, body: snippetOf(presented, form.row) };
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/forms/:id/preview",
      worksWhileHeld: true,
      scope: read,
      audit: CHANGES_NOTHING,
      tag,
      summary: "Preview a form",
      description: "Shows the page of the form, as it is or with changes. Nothing is stored.",
      params: Params,
      body: FormPatch,
      bodyOptional: true,
      success: { status: 200, schema: FormPreview, description: "The page." },
      problems: [formClosed],
      async handler({ ctx, params, body }) {
        const row = await previewForm(ctx, await mustFind(ctx, params.id), body ?? {});
        const found = await openForm(ctx.sql, row, "even if paused");
        if (found.kind !== "open") throw new AppError(formClosed, "the list of this form is gone");
        const { form } = found;
        const words = await tools.pageWords.forAccount(ctx.sql, form.account, row.locale ?? undefined);
        const presented = presentForm(form, words, tools.secrets, tools.publicUrl());
        const page = signUpPage({ ...presented, returned: null, scriptPath: null, redirectUrl: null });
        return { status: 200, body: { object: "form_preview" as const, html: page.body } };
      },
    }),
  ];
}
