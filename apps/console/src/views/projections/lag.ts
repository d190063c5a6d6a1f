import { counted, duration } from '../../parts/figures.js';

/** `none`, or `3 events, 2 s` */
export const lagText = ({ events, seconds }: Readonly<{ events: number; seconds: number }>): string =>
  events === 0 ? 'none' : `${counted(events, 'event')}, ${duration(seconds)}`;
