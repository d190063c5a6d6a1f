import type { Categories } from '#infra/stores/event-store/category-filter.js';
import type { Databases } from '#infra/stores/event-store/embedded/storage/databases.js';

/** Categories in the log that pass the filter, each once. */
export const categoriesInLog = (db: Databases, filter: Categories): readonly string[] => {
  const found = new Set(filter.exact);
  for (const prefix of filter.prefixes) {
    for (const category of db.counted.getKeys({ start: prefix })) {
      if (!category.startsWith(prefix)) break;
      found.add(category);
    }
  }
  return [...found];
};

/**
 * Positions of the blocks with events after `after` up to `head` in any of the categories, in log order. Finish or `break` the loop within
 * one turn of the event loop: an open iterator pins old pages of the file.
 */
export function* positionsOf(db: Databases, categories: readonly string[], after: number, head: number): Generator<number> {
  const cursors = categories.map((category) => {
    const entries = db.categories.getRange({ start: [category, after + 1], end: [category, head + 1] });
    return { entries: entries[Symbol.iterator](), position: Number.POSITIVE_INFINITY };
  });
  const advance = (cursor: (typeof cursors)[number]): void => {
    const next = cursor.entries.next();
    cursor.position = next.done ? Number.POSITIVE_INFINITY : next.value.key[1] + 1 - next.value.value;
  };
  try {
    for (const cursor of cursors) advance(cursor);
    for (;;) {
      let nearest = cursors[0];
      for (const cursor of cursors) if (nearest && cursor.position < nearest.position) nearest = cursor;
      if (!nearest || nearest.position === Number.POSITIVE_INFINITY) return;
      yield nearest.position;
      advance(nearest);
    }
  } finally {
    for (const cursor of cursors) cursor.entries.return?.();
  }
}
