import { useEffect, useState } from 'preact/hooks';
import { get } from './client.js';

/** Time between two looks at long work. */
export const POLL_MS = 500;

/** Whether long work has not ended. */
export const isUnderWay = ({ state }: Readonly<{ state: string }>): boolean => state === 'running' || state === 'switching';

/** Asks for long work until it has ended, while the page is visible. `path`: of the job; `null`: there is none. @returns it, while it is under way */
export const useJob = <Job extends Readonly<{ state: string }>>(path: string | null, ended: (job: Job) => void): Job | null => {
  const [job, setJob] = useState<Job | null>(null);
  useEffect(() => {
    setJob(null);
    if (path === null) return;
    const stopped = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      if (document.hidden) {
        timer = setTimeout(look, POLL_MS);
        return;
      }
      get<Job>(path, {}, { signal: stopped.signal }).then(
        (seen) => {
          if (stopped.signal.aborted) return;
          if (!isUnderWay(seen)) return ended(seen);
          setJob(seen);
          timer = setTimeout(look, POLL_MS);
        },
        () => {
          if (!stopped.signal.aborted) timer = setTimeout(look, 4 * POLL_MS); // the connection comes back, and the job goes on meanwhile
        },
      );
    };
    look();
    return () => {
      stopped.abort();
      clearTimeout(timer);
    };
  }, [path]);
  return job;
};
