const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;
const ID = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{24,})$/i;
const SHORTEST_ID = 8;
const NOTHING = '-';

/** UTC: the time for today, otherwise the day and the minute. */
const shortTime = (instant: string, today: string): string =>
  instant.startsWith(today) ? `${instant.slice(11, 19)}Z` : `${instant.slice(0, 10)} ${instant.slice(11, 16)}Z`;

/** Shortens ids to the length at which those of a column differ. */
const shortIds = (column: readonly string[]): readonly string[] => {
  const ids = [...new Set(column)];
  let length = SHORTEST_ID;
  while (new Set(ids.map((id) => id.slice(0, length))).size < ids.length) length += 1;
  return column.map((id) => (id.length > length + 1 ? `${id.slice(0, length)}…` : id));
};

const shortColumn = (column: readonly string[], now: number): readonly string[] => {
  const values = column.filter((cell) => cell !== NOTHING);
  if (values.length === 0) return column;
  if (values.every((cell) => INSTANT.test(cell))) {
    const today = new Date(now).toISOString().slice(0, 11);
    return column.map((cell) => (cell === NOTHING ? cell : shortTime(cell, today)));
  }
  return values.every((cell) => ID.test(cell)) ? shortIds(column) : column;
};

/** Shortens times and ids in the cells of a table. @param now milliseconds since 1970-01-01 UTC */
export const shortened = (lines: readonly (readonly string[])[], now: number): readonly (readonly string[])[] => {
  const columns = (lines[0] ?? []).map((_, column) =>
    shortColumn(
      lines.map((line) => line[column] ?? ''),
      now,
    ),
  );
  return lines.map((_, number) => columns.map((column) => column[number] ?? ''));
};
