import { bodyOfPieces, type Pieces } from '#api/shared/answers/pieces.js';
import type { Answer } from '#api/shared/http/answer.js';
import { j3 } from '#projections/messaging/layout.js';
import type { ListPart } from '#projections/messaging/newest-first.js';
import { json } from './answers.js';
import { tokenOf } from './pagination.js';

/** The items of a list with their separators, for a body of form `J3`. */
const itemsText = (name: string, items: readonly object[]): string => {
  const body = j3({ [name]: items });
  return body.slice(body.indexOf('[') + 1, body.lastIndexOf(']')).trimEnd();
};

/** The body `{"<name>": […], …}` of a list, laid out part by part. @param rest the members after the list, asked for at its end */
async function* bodyOf(name: string, parts: AsyncIterable<readonly object[]>, rest: () => object): Pieces {
  let begun = false;
  for await (const items of parts) {
    if (items.length === 0) continue;
    yield [`${begun ? ',' : `{\n   "${name}": [`}${itemsText(name, items)}`];
    begun = true;
  }
  const empty = j3({ [name]: [], ...rest() });
  yield [begun ? `\n   ]${empty.slice(empty.indexOf('[]') + 2)}` : empty];
}

/** A list without pages that is made part by part, while it is sent if it is long. */
export const wholeListAnswer = (name: string, parts: AsyncIterable<readonly object[]>): Answer =>
  json(bodyOfPieces(bodyOf(name, parts, () => ({}))));

/** Items that are laid out together. */
const ITEMS_AT_ONCE = 250;

/** Known items in parts, each mapped to its view when its turn comes. */
export async function* viewsOf<Item, View extends object>(
  items: readonly Item[],
  view: (some: readonly Item[]) => Promise<readonly View[]>,
): AsyncGenerator<readonly View[]> {
  for (let start = 0; start < items.length; start += ITEMS_AT_ONCE) yield await view(items.slice(start, start + ITEMS_AT_ONCE));
}

/** The same parts, with mapped items. */
async function* mapParts<Item, Shown>(
  parts: AsyncIterable<ListPart<Item>>,
  map: (items: readonly Item[]) => Promise<readonly Shown[]>,
): AsyncGenerator<ListPart<Shown>> {
  for await (const part of parts) yield { ...part, items: await map(part.items) };
}

/** A list with its page token and size. Several parts are made while they are sent. @param view maps items to their view */
export const listAnswer = async <Item>(
  name: string,
  found: AsyncIterable<ListPart<Item>>,
  view: (items: readonly Item[]) => Promise<readonly object[]>,
): Promise<Answer> => {
  const parts = mapParts(found, view);
  const first = await parts.next();
  const second = await parts.next();
  if (first.done) throw new Error('a list has no part');
  const { items, totalSize } = first.value;
  if (second.done) return json(j3({ [name]: items, nextPageToken: tokenOf(first.value), totalSize }));
  let last: Pick<ListPart<unknown>, 'next'> = second.value;
  const all = async function* (): AsyncGenerator<readonly object[]> {
    yield items;
    yield second.value.items;
    for await (const part of parts) {
      last = part;
      yield part.items;
    }
  };
  return json(bodyOfPieces(bodyOf(name, all(), () => ({ nextPageToken: tokenOf(last), totalSize }))));
};
