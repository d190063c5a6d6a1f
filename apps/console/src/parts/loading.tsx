import type { ComponentChildren } from 'preact';
import type { Loaded } from '../api/use-data.js';
import { ErrorNote } from './error-note.js';

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
