/** Liquid: the template language, with bounds on what a template may cost and a fast way to render the common ones. */
export { worstCost } from "./bounds.ts";
export {
  authorEngine,
  createContext,
  describeError,
  htmlEngine,
  LinkTag,
  limitOf,
  liquidFault,
  PixelTag,
  parseLiquid,
  plainEngine,
  type RecipientUrls,
  type RenderLimits,
  renderNodes,
} from "./engine.ts";
export { compileNode, compileNodes, type Emit } from "./fast-render.ts";
export { type FilterPlace, findFilters, findLiquid, hideLiquid, type LiquidPiece } from "./tokens.ts";
export { findVariables } from "./variables.ts";
