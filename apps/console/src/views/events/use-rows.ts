import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { get } from '../../api/client.js';
import type { AnswerOf } from '../../api/types.js';
import { callQueryOf } from './filters.js';
import { type EventItem, NO_ROWS, newestOf, type Rows, withNewer, withOlder } from './rows.js';

type Page = AnswerOf<'/audit/events'>;

/** Rows of a page. */
const PAGE = 100;
/** A filter without an index looks at 20,000 events a call: so many calls before one is asked whether to go on. */
const CALLS = 10;
const FOLLOW_MS = 2_000;

type State = Readonly<{ rows: Rows; loading: boolean; error?: unknown }>;

type Events = State &
  Readonly<{
    more(): void;
    /** Begins again with the newest. */
    again(): void;
  }>;

const pageOf = (query: URLSearchParams, order: 'asc' | 'desc', after: string | undefined, signal: AbortSignal): Promise<Page> =>
  get<Page>('/audit/events', { ...callQueryOf(query), order, limit: PAGE, after }, { signal });

/** Older events behind those rows, after as many calls as it takes to find some. `show`: rows after each call. @throws ApiError */
const loadOlder = async (text: string, begin: Rows, signal: AbortSignal, show: (state: State) => void): Promise<void> => {
  const query = new URLSearchParams(text);
  let rows = begin;
  for (let calls = 1; calls <= CALLS; calls += 1) {
    const { items, next } = await pageOf(query, 'desc', rows.next ?? undefined, signal);
    if (signal.aborted) return;
    rows = withOlder(rows, items, next);
    const isDone = items.length > 0 || next === null || calls === CALLS;
    show({ rows, loading: !isDone });
    if (isDone) return;
  }
};

/** Events that came since the newest row, newest first; without one the newest of all. @throws ApiError */
const loadNewer = async (text: string, newest: string | undefined, signal: AbortSignal): Promise<readonly EventItem[]> => {
  const { items } = await pageOf(new URLSearchParams(text), newest === undefined ? 'desc' : 'asc', newest, signal);
  return newest === undefined ? items : [...items].reverse();
};

/** The events that a query finds, newest first, page by page. `following`: new ones come by themselves, while the page is visible. */
export const useEventRows = (query: URLSearchParams, following: boolean): Events => {
  const [state, setState] = useState<State>({ rows: NO_ROWS, loading: true });
  const call = useRef(new AbortController());
  const newest = useRef<string | undefined>(undefined);
  const text = `${query}`;
  const start = useCallback(
    (rows: Rows) => {
      call.current.abort();
      call.current = new AbortController();
      const { signal } = call.current;
      setState({ rows, loading: true });
      loadOlder(text, rows, signal, setState).catch((error) => signal.aborted || setState({ rows, loading: false, error }));
    },
    [text],
  );
  useEffect(() => {
    start(NO_ROWS);
    return () => call.current.abort();
  }, [start]);
  newest.current = newestOf(state.rows);
  useEffect(() => {
    if (!following) return;
    const ended = new AbortController();
    let isAsking = false;
    const look = () => {
      if (document.hidden || isAsking) return;
      isAsking = true;
      loadNewer(text, newest.current, ended.signal)
        .then(
          (newer) => newer.length > 0 && setState(({ rows, loading }) => ({ rows: withNewer(rows, newer), loading })),
          (error) => ended.signal.aborted || setState((before) => ({ ...before, error })),
        )
        .finally(() => {
          isAsking = false;
        });
    };
    const timer = setInterval(look, FOLLOW_MS);
    return () => {
      clearInterval(timer);
      ended.abort();
    };
  }, [text, following]);
  return {
    ...state,
    more: () => !state.loading && state.rows.next !== null && start(state.rows),
    again: () => start(NO_ROWS),
  };
};
