import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

/** What was loaded last stays shown while it is loaded again, and beside an error. */
export type Loaded<T> = Readonly<{ data?: T | undefined; error?: unknown; loading: boolean; again(): void }>;

type State<T> = Readonly<{ data?: T; error?: unknown; loading: boolean }>;

/**
 * Loads when the view is shown, when `deps` change, and on `again()`. A load that is overtaken is aborted through `signal`.
 * @param everyMs also after this time, while the page is visible
 */
export const useData = <T>(load: (signal: AbortSignal) => Promise<T>, deps: readonly unknown[], everyMs?: number): Loaded<T> => {
  const [state, setState] = useState<State<T>>({ loading: true });
  const [turn, setTurn] = useState(0);
  const last = useRef<readonly unknown[]>(deps);
  useEffect(() => {
    const ended = new AbortController();
    const isSame = last.current.every((value, index) => value === deps[index]);
    last.current = deps;
    setState((before) => (isSame ? { ...before, loading: true } : { loading: true }));
    load(ended.signal).then(
      (data) => ended.signal.aborted || setState({ data, loading: false }),
      (error) => ended.signal.aborted || setState((before) => ({ ...before, error, loading: false })),
    );
    return () => ended.abort();
  }, [...deps, turn]);
  const again = useCallback(() => setTurn((before) => before + 1), []);
  useEffect(() => {
    if (everyMs === undefined) return;
    const timer = setInterval(() => document.hidden || again(), everyMs);
    return () => clearInterval(timer);
  }, [everyMs, again]);
  return { ...state, again };
};
