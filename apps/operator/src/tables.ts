import stringWidth from 'string-width';
import { exactText } from '#domain/shared/json/exact-json.js';
import { printable } from '#infra/platform/logging/printable.js';
import { WrongUsage } from './command-failed.js';
import { shortened } from './short-cells.js';

const BETWEEN = '  ';
/** Minimum characters of a column on a narrow terminal; columns that then do not fit are omitted. */
const NARROWEST = 8;
/** Maximum UTF-16 units per terminal column: combining characters have no width. */
const MOST_UNITS = 8;
/** UTF-16 units up to which the width of a text is measured, because measuring takes time. */
const MOST_MEASURED = 1_000;

type Line = readonly string[];

const widthOf = (text: string): number => (text.length > MOST_MEASURED ? text.length : stringWidth(text));

const widthsOf = (lines: readonly Line[]): number[] => {
  const widths: number[] = [];
  for (const line of lines) for (const [column, cell] of line.entries()) widths[column] = Math.max(widths[column] ?? 0, widthOf(cell));
  return widths;
};

/** Aligns lines as columns; some characters are two columns wide. @param numbersFrom first right-aligned column. Default: none */
export const aligned = (lines: readonly Line[], numbersFrom = Number.POSITIVE_INFINITY): string => {
  const widths = widthsOf(lines);
  const padded = (cell: string, column: number): string => {
    const blanks = ' '.repeat((widths[column] ?? 0) - widthOf(cell));
    return column < numbersFrom ? `${cell}${blanks}` : `${blanks}${cell}`;
  };
  return lines.map((line) => line.map(padded).join(BETWEEN).trimEnd()).join('\n');
};

/** Display options of rows. */
export type TableView = Readonly<{
  /** Member names in order; nested ones with dots: `actor.id`. Default: the members of the first row. */
  columns?: readonly string[] | undefined;
  /** Replaces that default: those of these members that a row has. They can be requested even if no row has them. */
  preferred?: readonly string[] | undefined;
  /** Terminal width in characters: times and ids are shortened, and columns cut until a line fits. Default: nothing is shortened. */
  width?: number | undefined;
  /** Times of this day are shown without the day: milliseconds since 1970-01-01 UTC. Default: now. */
  now?: number;
}>;

type Row = Readonly<Record<string, unknown>>;

/** Rows as columns for people. @throws WrongUsage there is no such column */
export const columnsOf = (rows: readonly object[], { columns, preferred = [], width, now = Date.now() }: TableView = {}): string => {
  const [first] = rows;
  if (!first) return 'none';
  const wanted = preferred.filter((name) => rows.some((row) => memberAt(row, name) !== undefined));
  const names = columns ?? (wanted.length > 0 ? wanted : Object.keys(first));
  const memberOf = (name: string): string => name.split('.')[0] ?? name;
  const known = new Set([...preferred.map(memberOf), ...rows.flatMap((row) => Object.keys(row))]);
  const unknown = columns?.find((name) => !known.has(memberOf(name)));
  if (unknown !== undefined) throw new WrongUsage(`error: there is no column ${unknown}; there are ${Object.keys(first).join(', ')}`);
  const cells = rows.map((row) => names.map((name) => cellOf(memberAt(row, name))));
  if (width === undefined) return aligned([names, ...cells]);
  return fitted([names, ...shortened(cells, now)], width);
};

const memberAt = (row: object, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => {
    const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
    return isThere ? (value as Row)[name] : undefined;
  }, row);

/** Limits lines to the width of a terminal: the widest columns are cut first; the last ones are omitted if necessary. */
const fitted = (given: readonly Line[], width: number): string => {
  const lines = given.map((line) => line.map((cell) => cut(cell, width)));
  const widths = widthsOf(lines);
  const total = (): number => widths.reduce((sum, one) => sum + one + BETWEEN.length, -BETWEEN.length);
  while (total() > width) {
    const widest = Math.max(...widths);
    if (widest > NARROWEST) widths[widths.indexOf(widest)] = widest - 1;
    else if (widths.length > 1) widths.pop();
    else break;
  }
  return aligned(lines.map((line) => widths.map((room, column) => cut(line[column] ?? '', room))));
};

const graphemes = new Intl.Segmenter();

/** The text, or its beginning with an ellipsis, within this many terminal columns. */
const cut = (text: string, room: number): string => {
  const most = room * MOST_UNITS;
  if (text.length <= most && stringWidth(text) <= room) return text;
  let [kept, left] = ['', room];
  for (const { segment } of graphemes.segment(text.slice(0, most + 1))) {
    left -= stringWidth(segment);
    if (left <= 0 || kept.length + segment.length > most) break;
    kept += segment;
  }
  return `${kept}…`;
};

/** The text in one line. */
export const oneLine = (text: string): string => text.replaceAll('\n', '\\n').replaceAll('\t', '\\t');

/** The final text of a cell, so that its width can be measured. */
const cellOf = (value: unknown): string => {
  if (value === null || value === undefined) return '-';
  return printable(oneLine(typeof value === 'object' ? exactText(value) : String(value)));
};

/** A result of a command for people: an object as one line per member. */
export const textOf = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return String(value);
  return aligned(Object.entries(value).map(([name, member]) => [cellOf(name), cellOf(member)]));
};
