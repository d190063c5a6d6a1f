import type { NotifiedLevel } from './notification-settings.js';
import type { ChangeCause } from './told-statuses.js';

/** The data of a message about a changed status, as JSON in base64: what subscribers of the topic get (docs/asyncapi.json). */
export type StatusNotice = Readonly<{
  /** Name of the tenant. */
  tenant: string;
  /** Name of the report. */
  report: string;
  level: NotifiedLevel;
  group: string;
  /** Of an endpoint; absent for a group. */
  service?: string;
  /** Of an endpoint; absent for a group. */
  hostname?: string;
  status: string;
  /** `YYYY-MM-DDTHH:MM:SSZ`; the beginning of the day before at the earliest. */
  since: string;
  /** The status that was told last. */
  previous: string;
  cause: ChangeCause;
}>;

/** The attributes of such a message. */
export type StatusNoticeAttributes = Readonly<{ type: 'status-change'; level: NotifiedLevel }>;
