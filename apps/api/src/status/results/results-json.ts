import type { Pieces } from '#api/shared/answers/pieces.js';
import { arrayTexts, line, objectTexts } from '#api/status/answers/json-texts.js';
import { numberText } from '#domain/status/results/figures/number-text.js';
import { wireText } from '#projections/status/layout.js';
import type { ResultItem } from './items.js';
import type { PeriodRow } from './series.js';

/** Members of an item before its results, in wire order. */
type Head = Readonly<Record<string, unknown>>;

/**
 * Layout of items: grouped by their first names, from the outermost inwards, each with the member that holds its contents. `label`: member
 * with the day or month of a row. `ownRows`: own rows of an outermost group.
 */
export type Layout = Readonly<{
  groups: readonly Readonly<{ type: string; below: string }>[];
  head: (item: ResultItem) => Head;
  label: 'timestamp' | 'date';
  /** Set if measures are numbers of two decimals; default texts. */
  numbers?: boolean;
  ownRows?: (name: string) => readonly PeriodRow[] | undefined;
}>;

/** Runs of consecutive items with the same name. */
export function* byName(items: readonly ResultItem[], level: number): Generator<readonly [name: string, items: readonly ResultItem[]]> {
  let start = 0;
  for (let at = 1; at <= items.length; at++) {
    const name = items[start]?.names[level] ?? '';
    if (at < items.length && items[at]?.names[level] === name) continue;
    yield [name, items.slice(start, at)];
    start = at;
  }
}

/** Measures in wire order; a level has two of them or all. */
const MEASURES = ['availability', 'reliability', 'unknown', 'uptime', 'downtime'] as const;

const rowOf = <Value>(
  { label, measures }: PeriodRow,
  labelName: string,
  shown: (value: number) => Value,
): Record<string, Value | string> => {
  const row: Record<string, Value | string> = label === undefined ? {} : { [labelName]: label };
  for (const measure of MEASURES) {
    const value = measures[measure];
    if (value !== undefined) row[measure] = shown(value);
  }
  return row;
};

/** A row in wire form, with numbers as texts (results contract 10). */
export const wireRow = (row: PeriodRow, labelName: string): Readonly<Record<string, string>> => rowOf(row, labelName, numberText);

/** A row with numbers of two decimals (status contract of 2026, 9). */
export const numbersOf = (row: PeriodRow, labelName: string): Readonly<Record<string, unknown>> =>
  rowOf(row, labelName, (value) => Math.round(value * 100) / 100);

/** JSON text of a row. Labels and numbers need no escaping, and there may be a quarter of a million of them. */
const rowText = (row: PeriodRow, { label, numbers }: Layout, depth: number): string => {
  if (numbers) return wireText(numbersOf(row, label), depth);
  const members = Object.entries(wireRow(row, label)).map(([name, text]) => `${line(depth + 1)}"${name}": "${text}"`);
  return `{${members.join(',')}${line(depth)}}`;
};

/** Rows per generated text. */
const ROWS_AT_ONCE = 200;

/** The array of the rows of an object at that depth. */
function* rowsTexts(rows: readonly PeriodRow[], layout: Layout, depth: number): Generator<string> {
  for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
    const texts = rows.slice(start, start + ROWS_AT_ONCE).map((row) => line(depth + 2) + rowText(row, layout, depth + 2));
    yield (start === 0 ? '[' : ',') + texts.join(',');
  }
  yield rows.length === 0 ? '[]' : `${line(depth + 1)}]`;
}

function* elements(items: readonly ResultItem[], layout: Layout, level: number): Generator<Iterable<string>> {
  const depth = 2 * (level + 1);
  const group = layout.groups[level];
  if (!group) {
    for (const item of items) {
      const rows = item.rows();
      const texts = objectTexts(layout.head(item), 'results', rowsTexts(rows, layout, depth), depth);
      yield rows.length > ROWS_AT_ONCE ? texts : [[...texts].join('')];
    }
    return;
  }
  for (const [name, inside] of byName(items, level)) yield groupTexts(name, inside, group, layout, level);
}

function* groupTexts(
  name: string,
  inside: readonly ResultItem[],
  { type, below }: Layout['groups'][number],
  layout: Layout,
  level: number,
): Generator<string> {
  const depth = 2 * (level + 1);
  const own = level === 0 ? layout.ownRows?.(name) : undefined;
  const texts = function* (): Generator<string> {
    if (own) {
      yield* rowsTexts(own, layout, depth);
      yield `,${line(depth + 1)}"${below}": `;
    }
    yield* arrayTexts(elements(inside, layout, level + 1), depth + 2);
  };
  yield* objectTexts({ name, type }, own ? 'results' : below, texts(), depth);
}

/** Members before and after the list of items, and the name of the list. Members without a value are omitted. */
type EnclosingHeads = Readonly<{ before?: Head; list?: string; after?: Head }>;

/** The body of results (results contract 12.2, 12.5). */
export async function* resultsJson(
  items: readonly ResultItem[],
  layout: Layout,
  { before = {}, list = 'results', after = {} }: EnclosingHeads = {},
): Pieces {
  for (const text of objectTexts(before, list, arrayTexts(elements(items, layout, 0), 2), 0, after)) yield [text];
}
