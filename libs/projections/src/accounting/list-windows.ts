import type { AnyCollection } from '#projections/shared/collection.js';
import type { ReadView } from '#projections/shared/read-store.js';

/** A part of a list. `offset`: number of elements before it. `size`: its maximum number of elements. */
export type Window = Readonly<{ offset: number; size: number }>;

/** Elements of a list in a window, in the format of answers. `total`: length of the whole list. */
export type WindowOf<Element> = Readonly<{ content: readonly Element[]; total: number }>;

/** The stored documents of a collection within a window, in key order. Counts and reads in parallel. */
export const windowOn = async (
  view: ReadView,
  { name }: AnyCollection,
  range: Readonly<{ gte?: string; lt?: string }>,
  { offset, size }: Window,
): Promise<WindowOf<Buffer>> => {
  const [total, documents] = await Promise.all([
    view.count(name, range),
    size > 0 ? view.range(name, { ...range, offset, limit: size }) : [],
  ]);
  return { content: documents.map(({ value }) => value), total };
};
