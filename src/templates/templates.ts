/**
 * Templates are mails to be filled in: a draft that people edit, and published versions that never change. A transactional mail is
 * made from the published version with the values of its variables; a campaign takes its content to begin with. This file is what
 * other folders may use.
 */
export { hasMarkup, markupFaults } from "./content.ts";
export type { UsedBy } from "./edit.ts";
export { createTemplateFiller, type FillTemplate, readPublished, type TemplateRef } from "./published.ts";
export { findTemplateIds, shareTemplate, templateShowing } from "./store.ts";
