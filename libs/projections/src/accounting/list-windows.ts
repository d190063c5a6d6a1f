import type { AnyCollection } from '#projections/shared/collection.js';
import type { ReadView } from '#projections/shared/read-store.js';

/** A part of a list: how many elements lie before it, and how many it has at most. */
export type Window = Readonly<{ offset: number; size: number }>;

/** The part of a list that a window shows, as its elements stand in an answer, and how many elements the whole list has. */
export type WindowOf<Element> = Readonly<{ content: readonly Element[]; total: number }>;

/** The stored documents of a collection inside a window, in the order of their keys. Counts and reads side by side. */
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
