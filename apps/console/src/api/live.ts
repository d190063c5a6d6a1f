import { useEffect, useState } from 'preact/hooks';
import { call } from './client.js';
import type { LiveOverview } from './types.js';

/** An event comes every second: after so long without one nobody is there. */
const SILENCE_MS = 5_000;
const RETRY_MS = 1_000;
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

/** The newest overview; `lost`: the connection is, and comes back by itself. */
export type Watched = Readonly<{ overview?: LiveOverview; lost: boolean }>;

/** Watches while the view is shown and the page is visible. */
export const useLive = (): Watched => {
  const [watched, setWatched] = useState<Watched>({ lost: false });
  useEffect(() => {
    let ended = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const watch = () => {
      ended.abort();
      clearTimeout(timer);
      if (document.hidden) return;
      ended = new AbortController();
      const { signal } = ended;
      const again = () => {
        if (signal.aborted) return;
        setWatched((before) => ({ ...before, lost: true }));
        timer = setTimeout(watch, RETRY_MS);
      };
      read(signal, (data) => setWatched({ overview: JSON.parse(data), lost: false })).then(again, again);
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
  }, []);
  return watched;
};
