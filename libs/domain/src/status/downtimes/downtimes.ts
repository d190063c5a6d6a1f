import { dayList } from '#domain/status/day-lists/day-lists.js';
import { RECORD_DEPTH } from '#domain/status/limits.js';

/** A downtime of a service endpoint; members as on the wire (status extended contract 4), empty ones of the last three left out. */
export type Downtime = Readonly<{
  hostname: string;
  service: string;
  /** Meant as `YYYY-MM-DDTHH:MM:SSZ`; kept as it was sent. */
  start_time: string;
  end_time: string;
  description?: string;
  classification?: string;
  severity?: string;
}>;

/** They stand in an object with their day. */
export const downtimes = dayList<Downtime>({
  kind: 'downtimes',
  events: { listed: 'DowntimesListed', deleted: 'DowntimesDeleted' },
  depth: RECORD_DEPTH + 2,
});
