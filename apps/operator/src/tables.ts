/** Rows as columns for people. */
export const columnsOf = (rows: readonly Readonly<Record<string, unknown>>[]): string => {
  const [first] = rows;
  if (!first) return 'none';
  const columns = Object.keys(first);
  const lines = [columns, ...rows.map((row) => columns.map((column) => cellOf(row[column])))];
  const widths = columns.map((_, index) => lines.reduce((widest, line) => Math.max(widest, line[index]?.length ?? 0), 0));
  return lines
    .map((line) =>
      line
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};

const cellOf = (value: unknown): string => {
  if (value === null || value === undefined) return '-';
  return typeof value === 'object' ? JSON.stringify(value) : String(value).replaceAll('\n', '\\n'); // a row is one line
};

/** A result of a command for people: lists as columns, an object as a line for each member. */
export const textOf = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return String(value);
  if ('items' in value && Array.isArray(value.items)) return columnsOf(value.items as Record<string, unknown>[]);
  const members = Object.entries(value);
  const width = members.reduce((widest, [name]) => Math.max(widest, name.length), 0);
  return members.map(([name, member]) => `${name.padEnd(width)}  ${cellOf(member)}`).join('\n');
};
