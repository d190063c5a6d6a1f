import { dayList } from '#domain/status/day-lists/day-lists.js';
import { RECORD_DEPTH } from '#domain/status/limits.js';

/** A downtime of a service endpoint, with members as on the wire (status extended contract 4). The last three are absent if empty. */
export type Downtime = Readonly<{
  hostname: string;
  service: string;
  /** Expected as `YYYY-MM-DDTHH:MM:SSZ`; stored as sent. */
  start_time: string;
  end_time: string;
  description?: string;
  classification?: string;
  severity?: string;
}>;

/** In answers, downtimes are nested in an object with their day. */
export const downtimes = dayList<Downtime>({
  kind: 'downtimes',
  events: { listed: 'DowntimesListed', deleted: 'DowntimesDeleted' },
  depth: RECORD_DEPTH + 2,
});
