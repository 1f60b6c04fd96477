import type { Ctx } from "../platform/context.ts";
import { pageByAge } from "../platform/http/paging/page-by-age.ts";
import type { Answer } from "../platform/http/route.ts";
import { type Route, readRoute, writeRoute } from "../platform/http/route.ts";
import { PublicId, Strict } from "../platform/http/schemas.ts";
import { requireId, toPublicId } from "../platform/ids.ts";
import { missing } from "../platform/problems.ts";
import { allFields, readListId } from "../subscribers/subscribers.ts";
import { createForm, deleteForm, formEtag, updateForm } from "./edit.ts";
import { tooManyForms } from "./problems.ts";
import { Form, FormCreate, FormPage, FormPatch, FormQuery } from "./schema.ts";
import { shapeForm } from "./shape.ts";
import { countForms, type FormRow, findForm, listForms } from "./store.ts";

const tag = "Forms";
const read = "forms:read";
const write = "forms:write";
const Params = Strict({ id: PublicId("frm") });

const formId = (text: string) => requireId("frm", text, "form");

export function formRoutes(tools: { readonly publicUrl: () => string }): readonly Route[] {
  async function answerWith(ctx: Ctx, row: FormRow, status: number): Promise<Answer<Form>> {
    const fields = await allFields(ctx.sql, ctx.accountId);
    return { status, body: shapeForm(row, fields, tools.publicUrl()), etag: formEtag(row) };
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
        const row = await findForm(ctx.sql, ctx.accountId, formId(params.id));
        if (!row) throw missing("form");
        return answerWith(ctx, row, 200);
      },
    }),
    writeRoute({
      method: "PATCH",
      path: "/v1/forms/:id",
      scope: write,
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
  ];
}
