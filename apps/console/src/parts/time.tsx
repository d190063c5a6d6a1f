import { useEffect, useState } from 'preact/hooks';
import { serverNow } from '../api/server-time.js';
import { duration } from './figures.js';

const UNITS: readonly (readonly [seconds: number, unit: Intl.RelativeTimeFormatUnit])[] = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
];
const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** `2026-03-01 12:00:00 UTC`; of an instant with milliseconds these, too. */
export const exactTime = (at: string): string => `${at.replace('T', ' ').replace(/(\.000)?Z$/, '')} UTC`;

/** `3 minutes ago`. */
const relativeTime = (at: string): string => {
  const seconds = Math.round((Date.parse(at) - serverNow()) / 1_000);
  const [length, unit] = UNITS.find(([size]) => Math.abs(seconds) >= size) ?? [1, 'second'];
  return words.format(Math.trunc(seconds / length), unit);
};

type TimeProps = Readonly<{ at: string | null | undefined; relative?: boolean; elapsed?: boolean }>;

/** An instant, `…Z`. `relative`: as `3 minutes ago`, `elapsed`: as `3 min`, with the exact one as title. Nothing to show is a dash. */
export const Time = ({ at, relative = false, elapsed = false }: TimeProps) => {
  const [, setTurn] = useState(0);
  useEffect(() => {
    if (!relative && !elapsed) return;
    const timer = setInterval(() => setTurn((turn) => turn + 1), 10_000);
    return () => clearInterval(timer);
  }, [relative, elapsed]);
  if (!at) return <span class="quiet">–</span>;
  return (
    <time dateTime={at} title={exactTime(at)}>
      {elapsed ? duration(Math.max(0, serverNow() - Date.parse(at)) / 1_000) : relative ? relativeTime(at) : exactTime(at)}
    </time>
  );
};
