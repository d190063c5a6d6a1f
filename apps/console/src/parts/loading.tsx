import type { ComponentChildren } from 'preact';
import type { Loaded } from '../api/use-data.js';
import { Button } from './button.js';
import { ErrorNote } from './error-note.js';
import { Table, type TableProps } from './table.js';

type LoadingProps<T> = Readonly<{ of: Loaded<T>; children: (data: T) => ComponentChildren }>;

/** What is loaded, as soon as it is there; the error above it. */
export function Loading<T>({ of: { data, error, loading, again }, children }: LoadingProps<T>) {
  return (
    <>
      {error !== undefined && <ErrorNote error={error} again={again} />}
      {data !== undefined ? children(data) : loading && <p class="quiet">Loading …</p>}
    </>
  );
}

type ListProps<T, Row> = Omit<TableProps<Row>, 'rows'> &
  Readonly<{
    of: Loaded<T>;
    rows: (data: T) => readonly Row[];
    /** Shows more of them, where there are. */
    more?: (data: T) => false | (() => void);
    /** Below them. */
    note?: (data: T) => ComponentChildren;
  }>;

/** A table of what is loaded. */
export function List<T, Row>({ of, rows, more, note, ...table }: ListProps<T, Row>) {
  return (
    <Loading of={of}>
      {(data) => {
        const onMore = more?.(data);
        return (
          <>
            <Table {...table} rows={rows(data)} />
            {onMore && <Button text="More" onClick={onMore} />}
            {note?.(data)}
          </>
        );
      }}
    </Loading>
  );
}
