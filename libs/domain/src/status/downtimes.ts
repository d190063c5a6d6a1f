import { dayList } from './day-lists.js';

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

export const downtimes = dayList<Downtime>({ kind: 'downtimes', events: { listed: 'DowntimesListed', deleted: 'DowntimesDeleted' } });
