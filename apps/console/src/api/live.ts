import { useEffect, useState } from 'preact/hooks';
import { ApiError, call } from './client.js';
import type { LiveOverview } from './types.js';

/** An event comes every second: after so long without one nobody is there. */
const SILENCE_MS = 5_000;
const RETRY_MS = 1_000;
/** After an answer that says no, such as that too many watch. */
export const SLOW_RETRY_MS = 10_000;
/** Of the network, as the browser sees it: an open stream may say nothing of them for long. */
const CHANGES = ['online', 'offline'] as const;

/** Calls `take` with the data of every event, until the stream ends. @throws ApiError, or when nothing comes any more */
const read = async (signal: AbortSignal, take: (data: string) => void): Promise<void> => {
  const silence = new AbortController();
  const either = AbortSignal.any([signal, silence.signal]);
  let timer = setTimeout(() => silence.abort(), SILENCE_MS);
  try {
    const { body } = await call('/console/live', { signal: either, headers: { accept: 'text/event-stream' } });
    if (!body) return;
    let text = '';
    const decoder = new TextDecoder();
    const reader = body.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE_MS);
      text += decoder.decode(part.value, { stream: true });
      const events = text.split('\n\n');
      text = events.pop() ?? '';
      for (const event of events) if (event.startsWith('data: ')) take(event.slice('data: '.length));
    }
  } finally {
    clearTimeout(timer);
  }
};

type Watched = Readonly<{ overview?: LiveOverview; lost: boolean; refusal?: ApiError | undefined }>;

/** The newest overview. `lost`: none comes any more, which is tried again by itself. `refusal`: because the server says so. `again`: tries now. */
type Live = Watched & Readonly<{ again: () => void }>;

/** The answer that said no; who has to sign in again is asked to by the page, and watches as soon as it is done. */
const refusalIn = (failure: unknown): ApiError | undefined =>
  failure instanceof ApiError && failure.status !== 0 && failure.status !== 401 ? failure : undefined;

/** Watches while the view is shown and the page is visible. */
export const useLive = (): Live => {
  const [watched, setWatched] = useState<Watched>({ lost: false });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let ended = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const watch = () => {
      ended.abort();
      clearTimeout(timer);
      if (document.hidden) return;
      ended = new AbortController();
      const { signal } = ended;
      const again = (failure?: unknown) => {
        if (signal.aborted) return;
        const refusal = refusalIn(failure);
        setWatched((before) => ({ ...before, lost: true, refusal }));
        timer = setTimeout(watch, refusal ? SLOW_RETRY_MS : RETRY_MS);
      };
      read(signal, (data) => setWatched({ overview: JSON.parse(data), lost: false })).then(() => again(), again);
    };
    watch();
    document.addEventListener('visibilitychange', watch);
    for (const change of CHANGES) addEventListener(change, watch);
    return () => {
      document.removeEventListener('visibilitychange', watch);
      for (const change of CHANGES) removeEventListener(change, watch);
      clearTimeout(timer);
      ended.abort();
    };
  }, [turn]);
  return { ...watched, again: () => setTurn(turn + 1) };
};
