import { lazyRouteComponent as lazyComponent, type RouteComponent } from "@tanstack/react-router";
import { type ComponentType, type LazyExoticComponent, lazy } from "react";
import { ApiError } from "./api/problem.ts";

/**
 * A page that is loaded when it is opened. After an upgrade its file is gone, and without a line it can't be had. Then the
 * page says so in its place: the router itself would reload the window, and with it lose whatever is typed elsewhere, or
 * end at the browser's own page for a site that doesn't answer.
 */
export function lazyRouteComponent<Name extends string>(
  load: () => Promise<Record<Name, RouteComponent>>,
  name: Name,
): RouteComponent {
  return lazyComponent(() => orNotLoaded(load), name) as RouteComponent;
}

/** The same for a part of a page. */
// biome-ignore lint/suspicious/noExplicitAny: a component may have any props, and React's own function is typed by that.
export function lazyPart<T extends ComponentType<any>>(
  load: () => Promise<{ readonly default: T }>,
): LazyExoticComponent<T> {
  return lazy(() => orNotLoaded(load));
}

function orNotLoaded<T>(load: () => Promise<T>): Promise<T> {
  return load().catch(throwNotLoaded);
}

function throwNotLoaded(): never {
  throw new ApiError({ code: NOT_LOADED, detail: "" });
}

export const NOT_LOADED = "page_not_loaded";
