import type { Pieces } from '#api/shared/answers/pieces.js';
import { arrayTexts, objectTexts } from '#api/status/answers/json-texts.js';
import { wireText } from '#projections/status/layout.js';
import type { TrendList } from './trends.js';

/** Members with the names of an item, from the outermost inwards. */
const NAMES = ['endpoint_group', 'service', 'endpoint', 'metric'];

const SUCCESS = { status: { message: 'Success', code: '200' } };

function* itemTexts({ items, status }: TrendList, measure: string, depth: number): Generator<readonly string[]> {
  for (const { names, sum } of items) {
    const named = Object.fromEntries(names.map((name, index) => [NAMES[index], name]));
    yield [wireText({ ...named, status, [measure]: sum }, depth)];
  }
}

function* listTexts(lists: readonly TrendList[], measure: string): Generator<Iterable<string>> {
  for (const list of lists) {
    const { date, status, tag } = list;
    yield objectTexts({ date, status, tag }, 'top', arrayTexts(itemTexts(list, measure, 4), 4), 2);
  }
}

/** The body of trends. `isFlat`: there is only one list, and `data` holds its items. `measure`: name of the member with the sum. */
export async function* trendsJson(lists: readonly TrendList[], measure: string, isFlat: boolean): Pieces {
  const [list] = lists;
  const flat = list ? itemTexts(list, measure, 2) : [];
  for (const text of objectTexts(SUCCESS, 'data', arrayTexts(isFlat ? flat : listTexts(lists, measure), 2), 0)) yield [text];
}
