import type { Slice } from './pages.js';

/** Items sorted without a pause. */
const RUN = 1_000;

/** Sorts in place. Equal items keep their order. Yields to the event loop in between. */
export const sortInSlices = async <T>(items: T[], compare: (left: T, right: T) => number, slice: Slice): Promise<void> => {
  for (let start = 0; start < items.length; start += RUN) {
    const run = items.slice(start, start + RUN).sort(compare);
    for (const [index, item] of run.entries()) items[start + index] = item;
    if (slice.isOver) await slice.next();
  }
  for (let width = RUN; width < items.length; width *= 2) {
    for (let start = 0; start + width < items.length; start += 2 * width) await merge(items, start, width, compare, slice);
  }
};

/** Merges two adjacent sorted ranges: `width` items from `start` on, and up to as many after them. */
const merge = async <T>(items: T[], start: number, width: number, compare: (left: T, right: T) => number, slice: Slice): Promise<void> => {
  const left = items.slice(start, start + width);
  const end = Math.min(start + 2 * width, items.length);
  let [taken, right] = [0, start + width];
  for (let place = start; taken < left.length; place++) {
    const [one, other] = [left[taken] as T, items[right] as T];
    if (right < end && compare(one, other) > 0) {
      items[place] = other;
      right++;
    } else {
      items[place] = one;
      taken++;
    }
    if (place % RUN === 0 && slice.isOver) await slice.next();
  }
};
