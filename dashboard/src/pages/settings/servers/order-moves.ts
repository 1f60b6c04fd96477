/** What an order of servers becomes when one is moved or added. The instance's own server is always the last. */

/** Stands for the instance's own server in an order. */
export const INSTANCE = "instance";

type Order = readonly string[];

export function mayMove(order: Order, at: number, step: 1 | -1): boolean {
  const [one, other] = [order[at], order[at + step]];
  return one !== undefined && other !== undefined && one !== INSTANCE && other !== INSTANCE;
}

export function moved(order: Order, at: number, step: 1 | -1): Order {
  const one = order[at];
  if (one === undefined || !mayMove(order, at, step)) return order;
  return order.toSpliced(at, 1).toSpliced(at + step, 0, one);
}

export function addTo(order: Order, id: string): Order {
  const end = order.at(-1) === INSTANCE ? order.length - 1 : order.length;
  return order.toSpliced(end, 0, id);
}

/** The order with this one first. */
export function putFirst(order: Order, id: string): Order {
  return [id, ...order.filter((one) => one !== id)];
}
