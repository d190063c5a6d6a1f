import { counted, duration } from '../../parts/figures.js';

/** `none`, or `2 partitions` */
export const setAsideText = (partitions: number): string => (partitions === 0 ? 'none' : counted(partitions, 'partition'));

/** `none`, or `3 events, 2 s` */
export const lagText = ({ events, seconds }: Readonly<{ events: number; seconds: number }>): string =>
  events === 0 ? 'none' : `${counted(events, 'event')}, ${duration(seconds)}`;
