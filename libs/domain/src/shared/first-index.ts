/** Binary search: the first index from `low` on that satisfies a monotonic condition; `high` if no index below it does. */
export const firstIndex = (low: number, high: number, holds: (index: number) => boolean): number => {
  let [from, to] = [low, high];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (holds(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
};
