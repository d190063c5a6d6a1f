import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

/** What was loaded last stays shown while it is loaded again, and beside an error. */
export type Loaded<T> = Readonly<{ data?: T | undefined; error?: unknown; loading: boolean; again(): void }>;

/** A load that is under way for longer is given up for the next one. */
const LONGEST_MS = 60_000;

type State<T> = Readonly<{ data?: T; error?: unknown; loading: boolean }>;

/**
 * Loads when the view is shown, when `deps` change, and on `again()`. A load that is overtaken is aborted through `signal`.
 * @param everyMs also after this time, while the page is visible and nothing is being loaded
 */
export const useData = <T>(load: (signal: AbortSignal) => Promise<T>, deps: readonly unknown[], everyMs?: number): Loaded<T> => {
  const [state, setState] = useState<State<T>>({ loading: true });
  const [turn, setTurn] = useState(0);
  const last = useRef<readonly unknown[]>(deps);
  /** Of the load that is under way. */
  const begunAt = useRef<number | null>(null);
  useEffect(() => {
    const ended = new AbortController();
    const isSame = last.current.every((value, index) => value === deps[index]);
    last.current = deps;
    setState((before) => (isSame ? { ...before, loading: true } : { loading: true }));
    begunAt.current = performance.now();
    const settle = (next: (before: State<T>) => State<T>): void => {
      if (ended.signal.aborted) return;
      begunAt.current = null;
      setState(next);
    };
    load(ended.signal).then(
      (data) => settle(() => ({ data, loading: false })),
      (error) => settle((before) => ({ ...before, error, loading: false })),
    );
    return () => ended.abort();
  }, [...deps, turn]);
  const again = useCallback(() => setTurn((before) => before + 1), []);
  useEffect(() => {
    if (everyMs === undefined) return;
    const timer = setInterval(() => {
      const isUnderWay = begunAt.current !== null && performance.now() - begunAt.current < LONGEST_MS;
      if (!document.hidden && !isUnderWay) again();
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs, again]);
  return { ...state, again };
};
