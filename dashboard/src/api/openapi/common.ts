// Made by `npm run client-types` from the OpenAPI document. Don't edit it: `npm run check` compares.

export type Problem = { type: string; title: string; status: number; detail: string; code: string; request_id: string; errors?: readonly ({ pointer?: string; parameter?: string; code: string; detail: string; line?: number; column?: number })[] };
