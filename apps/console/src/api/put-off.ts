import { useEffect, useState } from 'preact/hooks';

/** Reads that are made again by themselves, each with the words of the server, which can answer it later. */
const putOff = new Map<object, string>();
const CHANGED = 'logbook:put-off';

/** Notes what the server said of a read; without it: the read waits no longer. */
export const notePutOff = (read: object, said?: string): void => {
  if (said === undefined && !putOff.delete(read)) return;
  if (said !== undefined) putOff.set(read, said);
  dispatchEvent(new Event(CHANGED));
};

const newest = (): string | undefined => [...putOff.values()].at(-1);

/** The words of the server about the newest read that waits; `undefined`: none does. */
export const usePutOff = (): string | undefined => {
  const [said, setSaid] = useState(newest);
  useEffect(() => {
    const changed = () => setSaid(newest());
    addEventListener(CHANGED, changed);
    return () => removeEventListener(CHANGED, changed);
  }, []);
  return said;
};
