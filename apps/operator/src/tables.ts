import stringWidth from 'string-width';

const BETWEEN = '  ';

/** Lines as columns for a terminal, where some characters are two columns wide. @param numbersFrom the first column that is aligned to the right. Default: none is */
export const aligned = (lines: readonly (readonly string[])[], numbersFrom = Number.POSITIVE_INFINITY): string => {
  const widths: number[] = [];
  for (const line of lines) for (const [column, cell] of line.entries()) widths[column] = Math.max(widths[column] ?? 0, stringWidth(cell));
  const padded = (cell: string, column: number): string => {
    const blanks = ' '.repeat((widths[column] ?? 0) - stringWidth(cell));
    return column < numbersFrom ? `${cell}${blanks}` : `${blanks}${cell}`;
  };
  return lines.map((line) => line.map(padded).join(BETWEEN).trimEnd()).join('\n');
};

/** Rows as columns for people. */
export const columnsOf = (rows: readonly Readonly<Record<string, unknown>>[]): string => {
  const [first] = rows;
  if (!first) return 'none';
  const columns = Object.keys(first);
  return aligned([columns, ...rows.map((row) => columns.map((column) => cellOf(row[column])))]);
};

const cellOf = (value: unknown): string => {
  if (value === null || value === undefined) return '-';
  return typeof value === 'object' ? JSON.stringify(value) : String(value).replaceAll('\n', '\\n'); // a row is one line
};

/** A result of a command for people: lists as columns, an object as a line for each member. */
export const textOf = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return String(value);
  if ('items' in value && Array.isArray(value.items)) return columnsOf(value.items as Record<string, unknown>[]);
  return aligned(Object.entries(value).map(([name, member]) => [name, cellOf(member)]));
};
