import type { ComponentChildren } from 'preact';

/** `end`: figures stand at the end of their cell. */
export type Column<Row> = Readonly<{ name: string; show: (row: Row) => ComponentChildren; end?: boolean }>;

export type TableProps<Row> = Readonly<{
  /** Accessible name of the table; shown above it with `heading`. */
  caption: string;
  heading?: boolean;
  /** The first one names the row. */
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** Where a row leads to. */
  linkOf?: (row: Row) => string;
  /** What is said in place of a table without rows. */
  empty?: string;
}>;

/** Wider than the page, it scrolls by itself, by keyboard too. */
export function Table<Row>({ caption, heading = false, columns, rows, keyOf, linkOf, empty = 'Nothing here.' }: TableProps<Row>) {
  if (rows.length === 0) return <p class="empty">{empty}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section class="scroll" aria-label={`${caption}, scrolls`} tabIndex={0}>
      <table>
        <caption class={heading ? '' : 'only-read'}>{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ name, end }) => (
              <th key={name} scope="col" class={end ? 'end' : ''}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} class={linkOf ? 'leads' : ''}>
              {columns.map(({ name, show, end }, index) =>
                index === 0 ? (
                  <th key={name} scope="row">
                    {linkOf ? <a href={linkOf(row)}>{show(row)}</a> : show(row)}
                  </th>
                ) : (
                  <td key={name} class={end ? 'end' : ''}>
                    {show(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
