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

/**
 * The body `{"<name>": […], "nextPageToken", "totalSize"}` of a list, laid out part by part.
 * @param rest the members after the list, given the token of the last part
 */
async function* bodyOf(name: string, parts: AsyncIterable<ListPart<object>>, rest: (nextPageToken: string) => object): Pieces {
  let next = '';
  let begun = false;
  for await (const part of parts) {
    const { items } = part;
    next = tokenOf(part);
    if (items.length === 0) continue;
    yield [`${begun ? ',' : `{\n   "${name}": [`}${itemsText(name, items)}`];
    begun = true;
  }
  const empty = j3({ [name]: [], ...rest(next) });
  yield [begun ? `\n   ]${empty.slice(empty.indexOf('[]') + 2)}` : empty];
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
  const all = async function* (): AsyncGenerator<ListPart<object>> {
    yield first.value;
    yield second.value;
    yield* parts;
  };
  return json(bodyOfPieces(bodyOf(name, all(), (token) => ({ nextPageToken: token, totalSize }))));
};
