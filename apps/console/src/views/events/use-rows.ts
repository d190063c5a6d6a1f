import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { get, type Query } from '../../api/client.js';
import { isInstant, isPosition } from '../../parts/instant.js';
import { callQueryOf } from './filters.js';
import { type Ask, CALLS, newerThan, newestPosition, PAGE, type Page } from './follow.js';
import { NO_ROWS, newestOf, type Rows, rowOf, withNewer, withOlder } from './rows.js';

const FOLLOW_MS = 2_000;

type State = Readonly<{ rows: Rows; loading: boolean; error?: unknown }>;

type Events = State &
  Readonly<{
    more(): void;
    /** Begins again with the newest. */
    again(): void;
  }>;

const asking =
  (signal: AbortSignal): Ask =>
  (query) =>
    get<Page>('/audit/events', query, { signal });

const filtersOf = (text: string): Query => callQueryOf(new URLSearchParams(text));

/** The same of a point of the past: with what was there up to it, itself included. */
const pastFiltersOf = (text: string, asOf: string | undefined): Query => {
  const filters = callQueryOf(new URLSearchParams(text));
  if (asOf === undefined || !isInstant(asOf)) return filters;
  const [to] = filters.to ?? [];
  const end = Date.parse(asOf) + 1;
  return to !== undefined && Date.parse(to) <= end ? filters : { ...filters, to: new Date(end).toISOString() };
};

/** Place before which the newest event is looked for. */
const newestPlace = (asOf: string | undefined): string | null => (asOf !== undefined && isPosition(asOf) ? `${BigInt(asOf) + 1n}` : null);

/** Older events behind a position, after as many calls as it takes to find some. `take`: is given each page. @throws ApiError */
const loadOlder = async (filters: Query, begin: string | null, signal: AbortSignal, take: (page: Page, isLast: boolean) => void) => {
  const ask = asking(signal);
  let after = begin;
  for (let calls = 1; calls <= CALLS; calls += 1) {
    const page = await ask({ ...filters, order: 'desc', limit: PAGE, after: after ?? undefined });
    if (signal.aborted) return;
    const isLast = page.items.length > 0 || page.next === null || calls === CALLS;
    take(page, isLast);
    if (isLast) return;
    after = page.next;
  }
};

type Following = Readonly<{
  text: string | null;
  /** Nothing is asked for otherwise. */
  on: boolean;
  /** What is shown now. */
  shown: Readonly<{ current: Rows }>;
  /** Begins again with the newest. */
  anew: () => void;
  change: (next: (before: State) => State) => void;
}>;

/** New events come by themselves, while the page is visible. */
const useFollowing = ({ text, on, shown, anew, change }: Following): void => {
  useEffect(() => {
    if (!on || text === null) return;
    const ended = new AbortController();
    const { signal } = ended;
    const ask = asking(signal);
    // Without a newest row to go on from, the list begins anew, with all up to then.
    let after = shown.current.before ? undefined : newestOf(shown.current);
    const begin = async (): Promise<void> => {
      const head = await newestPosition(ask);
      if (signal.aborted) return;
      after = head;
      anew();
    };
    const goOn = async (from: string): Promise<void> => {
      const newer = await newerThan(from, filtersOf(text), ask);
      if (signal.aborted) return;
      after = newer?.after;
      if (!newer) await begin();
      else if (newer.items.length > 0) change(({ rows, loading }) => ({ rows: withNewer(rows, newer.items), loading }));
      else change((before) => (before.error === undefined ? before : { rows: before.rows, loading: before.loading }));
    };
    const look = (): Promise<void> => (after === undefined ? begin() : goOn(after));
    let isAsking = false;
    const lookOnce = () => {
      if (document.hidden || isAsking) return;
      isAsking = true;
      look()
        .catch((error) => signal.aborted || change((before) => ({ ...before, error })))
        .finally(() => {
          isAsking = false;
        });
    };
    lookOnce();
    const timer = setInterval(lookOnce, FOLLOW_MS);
    return () => {
      clearInterval(timer);
      ended.abort();
    };
  }, [text, on, anew]);
};

/**
 * The events that a query finds up to a point of the past or now, newest first, page by page. `following`: new ones come by themselves. `null`: the query is
 * not known yet.
 */
export const useEventRows = (query: URLSearchParams | null, following: boolean, asOf: string | undefined): Events => {
  const [state, setState] = useState<State>({ rows: NO_ROWS, loading: true });
  const call = useRef(new AbortController());
  const shown = useRef(NO_ROWS);
  shown.current = state.rows;
  const text = query && `${query}`;
  /** `null`: with the newest. */
  const load = useCallback(
    (next: string | null) => {
      if (text === null) return;
      call.current.abort();
      call.current = new AbortController();
      const { signal } = call.current;
      setState(({ rows }) => ({ rows: next === null ? NO_ROWS : rows, loading: true }));
      loadOlder(pastFiltersOf(text, asOf), next ?? newestPlace(asOf), signal, (page, isLast) =>
        setState(({ rows }) => ({ rows: withOlder(rows, page.items.map(rowOf), page.next), loading: !isLast })),
      ).catch((error) => signal.aborted || setState(({ rows }) => ({ rows, loading: false, error })));
    },
    [text, asOf],
  );
  const anew = useCallback(() => load(null), [load]);
  useEffect(() => {
    shown.current = NO_ROWS; // those of another search
    anew();
    return () => call.current.abort();
  }, [anew]);
  useFollowing({ text, on: following, shown, anew, change: setState });
  return { ...state, more: () => !state.loading && state.rows.next !== null && load(state.rows.next), again: anew };
};
