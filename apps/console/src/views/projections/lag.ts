import { counted, duration } from '../../parts/figures.js';

/** `none`, or `2 partitions` */
export const setAsideText = (partitions: number): string => (partitions === 0 ? 'none' : counted(partitions, 'partition'));

/** Events are counted up to this number. */
const MOST_COUNTED = 1_000;

/** `none`, `3 events, 2 s`, or `1,000 events or more, 2 min` */
export const lagText = ({ events, seconds }: Readonly<{ events: number; seconds: number }>): string => {
  if (events === 0) return 'none';
  return `${counted(events, 'event')}${events < MOST_COUNTED ? '' : ' or more'}, ${duration(seconds)}`;
};
