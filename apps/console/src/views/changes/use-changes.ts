import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { get } from '../../api/client.js';
import { callQueryOf, type Filters } from './filters.js';
import { type ChangesAnswer, NONE, type Shown, withNewer, withOlder } from './items.js';

const LIVE_MS = 3_000;
const [PAGE, LIVE_PAGE] = [50, 200];
/** Calls for one page: a filter by text may find nothing in a stretch of the log. */
const CALLS = 10;

type State = Readonly<{ shown: Shown; loading: boolean; error?: unknown }>;

type Changes = State & Readonly<{ more: () => void; again: () => void }>;

type Ask = (query: object) => Promise<ChangesAnswer>;

/** Older ones behind a place, after as many calls as it takes to find some. @throws ApiError */
const loadOlder = async (ask: Ask, begin: string | null, take: (page: ChangesAnswer) => void) => {
  let after = begin;
  for (let calls = 0; calls < CALLS; calls += 1) {
    const page = await ask({ limit: PAGE, after: after ?? undefined });
    take(page);
    if (page.items.length > 0 || page.next === null) return;
    after = page.next;
  }
};

/** New ones come by themselves, while the page is visible. `newer`: where they begin. */
const useLive = (
  on: boolean,
  newer: Readonly<{ current: string | undefined }>,
  asking: (signal: AbortSignal) => Ask,
  again: () => void,
  change: (next: (before: State) => State) => void,
): void => {
  useEffect(() => {
    if (!on) return;
    const ended = new AbortController();
    const { signal } = ended;
    const ask = asking(signal);
    const take = (page: ChangesAnswer): void => {
      if (signal.aborted) return;
      if (page.next !== null) again();
      else change(({ shown, loading }) => ({ shown: withNewer(shown, page), loading }));
    };
    let isAsking = false;
    const look = (): void => {
      if (document.hidden || isAsking || newer.current === undefined) return;
      isAsking = true;
      ask({ since: newer.current, limit: LIVE_PAGE })
        .then(take)
        .catch((error) => signal.aborted || change((before) => ({ ...before, error })))
        .finally(() => {
          isAsking = false;
        });
    };
    const timer = setInterval(look, LIVE_MS);
    return () => {
      clearInterval(timer);
      ended.abort();
    };
  }, [on, newer, asking, again, change]);
};

/** Changes, newest first, page by page; new ones come by themselves unless the past is shown. */
export const useChanges = (filters: Filters, asOf: string | undefined): Changes => {
  const [state, setState] = useState<State>({ shown: NONE, loading: true });
  const call = useRef(new AbortController());
  const newer = useRef<string | undefined>(undefined);
  newer.current = state.shown.newer;
  const text = JSON.stringify(filters);
  const asking = useCallback(
    (signal: AbortSignal) => (query: object) =>
      get<ChangesAnswer>('/audit/changes', { ...callQueryOf(JSON.parse(text)), ...query }, { signal, asOf }),
    [text, asOf],
  );
  /** `null`: anew, with the newest. */
  const load = useCallback(
    (next: string | null) => {
      call.current.abort();
      call.current = new AbortController();
      const { signal } = call.current;
      setState(({ shown }) => ({ shown: next === null ? NONE : shown, loading: true }));
      const take = (page: ChangesAnswer) =>
        signal.aborted || setState(({ shown, loading }) => ({ shown: withOlder(shown, page), loading }));
      loadOlder(asking(signal), next, take).then(
        () => signal.aborted || setState(({ shown }) => ({ shown, loading: false })),
        (error) => signal.aborted || setState(({ shown }) => ({ shown, loading: false, error })),
      );
    },
    [asking],
  );
  const again = useCallback(() => load(null), [load]);
  useEffect(() => {
    again();
    return () => call.current.abort();
  }, [again]);
  useLive(asOf === undefined, newer, asking, again, setState);
  const { shown, loading } = state;
  return { ...state, more: () => !loading && shown.next !== null && load(shown.next), again };
};
