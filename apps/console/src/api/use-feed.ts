import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { NONE, type Shown, withNewer, withOlder } from './feed.js';

/** Calls for one page: one that looks through a stretch of the log may find nothing in it. */
const CALLS = 10;

/** `newer`: where new ones begin. */
type Older<Item> = Readonly<{ items: readonly Item[]; next: string | null; newer?: string | undefined }>;
type Newer<Item> = Readonly<{ items: readonly Item[]; newer: string }>;

type FeedOptions<Item> = Readonly<{
  keyOf: (item: Item) => string | number;
  placeOf?: (item: Item) => string | undefined;
  /** A page of them. `after`: `next` of another page; `null`: the newest. @throws ApiError */
  older: (after: string | null, signal: AbortSignal) => Promise<Older<Item>>;
  /** `null`: so many came that the list is better begun anew. @throws ApiError */
  newer: (since: string, signal: AbortSignal) => Promise<Newer<Item> | null>;
  /** The place at which new items begin, if no item that is shown names it. @throws ApiError */
  newest?: (signal: AbortSignal) => Promise<string>;
  /** New ones come by themselves after this time, while the page is visible. `undefined`: none do. */
  everyMs: number | undefined;
}>;

type State<Item> = Readonly<{ shown: Shown<Item>; loading: boolean; error?: unknown }>;

/** `again`: with the newest. */
type Feed<Item> = State<Item> & Readonly<{ more: () => void; again: () => void }>;

/** Asks for new items repeatedly while the page is visible, one request at a time. `failed` gets the error of a request. */
const useLooks = (look: ((signal: AbortSignal) => Promise<void>) | null, everyMs: number | undefined, failed: (error: unknown) => void) => {
  useEffect(() => {
    if (look === null || everyMs === undefined) return;
    const ended = new AbortController();
    let isLooking = false;
    const lookOnce = (): void => {
      if (document.hidden || isLooking) return;
      isLooking = true;
      look(ended.signal)
        .catch((error) => ended.signal.aborted || failed(error))
        .finally(() => {
          isLooking = false;
        });
    };
    lookOnce();
    const timer = setInterval(lookOnce, everyMs);
    return () => {
      clearInterval(timer);
      ended.abort();
    };
  }, [look, everyMs]);
};

/** A list of what was asked for, newest first, page by page. @param of tells one list from another; `null`: it is not known yet */
export const useFeed = <Item>(of: string | null, given: FeedOptions<Item>): Feed<Item> => {
  const [state, setState] = useState<State<Item>>({ shown: NONE, loading: true });
  const now = useRef({ state, options: given });
  now.current = { state, options: given };
  const call = useRef(new AbortController());
  /** The place at which new items begin. */
  const since = useRef<string | undefined>(undefined);
  const load = useCallback(
    async (after: string | null) => {
      if (of === null) return;
      call.current.abort();
      call.current = new AbortController();
      const { signal } = call.current;
      setState(({ shown }) => ({ shown: after === null ? NONE : shown, loading: true }));
      try {
        let place = after;
        for (let calls = 1, isLast = false; !isLast; calls += 1) {
          const page = await now.current.options.older(place, signal);
          if (signal.aborted) return;
          isLast = page.items.length > 0 || page.next === null || calls === CALLS;
          place = page.next;
          since.current ??= page.newer;
          const loading = !isLast;
          setState(({ shown }) => ({ shown: withOlder(shown, page, now.current.options), loading }));
        }
      } catch (error) {
        if (!signal.aborted) setState(({ shown }) => ({ shown, loading: false, error }));
      }
    },
    [of],
  );
  const anew = useCallback(
    (begin?: string) => {
      since.current = begin;
      void load(null);
    },
    [load],
  );
  useEffect(() => {
    anew();
    return () => call.current.abort();
  }, [anew]);
  const look = useCallback(
    async (signal: AbortSignal): Promise<void> => {
      const { newer, newest } = now.current.options;
      const [from, before] = [since.current, call.current];
      if (now.current.state.loading) return;
      const found = from === undefined ? undefined : await newer(from, signal);
      const begin = from === undefined ? await newest?.(signal) : undefined;
      if (signal.aborted || before !== call.current) return;
      if (found === null || begin !== undefined) anew(begin);
      if (!found) return;
      since.current = found.newer;
      setState((then) =>
        then.error === undefined && found.items.length === 0
          ? then
          : { shown: withNewer(then.shown, found.items, now.current.options), loading: then.loading },
      );
    },
    [anew],
  );
  useLooks(of === null ? null : look, given.everyMs, (error) => setState((before) => ({ ...before, error })));
  const { shown, loading } = state;
  return { ...state, more: () => !loading && shown.next !== null && void load(shown.next), again: () => anew() };
};
