import type { ChangeCause } from './announced-statuses.js';
import type { NotifiedLevel } from './notification-settings.js';

/** A flag as a text. */
export type NoticeFlag = 'true' | 'false';

/** Four texts: a status and its start, the previous status and its start. Times are `YYYY-MM-DDTHH:MM:SSZ`. */
export type StatusTexts = readonly string[];

/** The members of a monitoring engine's status event, which alerting reads (results contract 15). */
export type EngineStatusEvent = Readonly<{
  /** Name of the report. */
  report: string;
  type: 'metric' | 'endpoint' | 'service' | 'endpoint_group';
  /** Day of `ts_monitored`, `YYYYMMDD`. */
  date: string;
  endpoint_group: string;
  /** Empty for a group. */
  service: string;
  /** Empty for a group or service. */
  hostname: string;
  /** Empty for a group, service or endpoint. */
  metric: string;
  /** The host of the measurement that caused the change. Empty if unknown. */
  monitoring_host: string;
  /** Start of the status. For a repeated announcement, the time of repetition. `YYYY-MM-DDTHH:MM:SSZ`. */
  ts_monitored: string;
  /** Time when the change was recorded, `YYYY-MM-DDTHH:MM:SSZ`. */
  ts_processed: string;
  /** `true`: the status is unchanged and announced again. */
  repeat: NoticeFlag;
  /** Summary of the metric result that caused the change. Empty if there is none. At most 4,096 characters. */
  summary: string;
  /** Message of the same result. At most 4,096 characters. */
  message: string;
  status: string;
  /** Like `repeat`. */
  reminder: NoticeFlag;
  /** The last announced status. */
  prev_status: string;
  /** Start of that status, `YYYY-MM-DDTHH:MM:SSZ`. */
  prev_ts: string;
  /** URL of the endpoint from its tag `info_URL`. Empty without that tag. */
  hostname_url: string;
  status_egroup?: StatusTexts;
  status_service?: StatusTexts;
  status_endpoint?: StatusTexts;
  status_metric?: StatusTexts;
  /** For a group with up to 200 endpoints: their statuses. */
  group_statuses?: readonly string[];
  /** Their hosts, in the same order. */
  group_endpoints?: readonly string[];
  /** Their services, in the same order. */
  group_services?: readonly string[];
  /** For an endpoint with up to 200 metrics: their statuses. */
  metric_statuses?: readonly string[];
  /** Their names, in the same order. */
  metric_names?: readonly string[];
}>;

/** Data of a message about a changed status, sent as JSON in base64 to subscribers of the topic (docs/asyncapi.json). */
export type StatusNotice = EngineStatusEvent &
  Readonly<{
    /** Name of the tenant. */
    tenant: string;
    level: NotifiedLevel;
    group: string;
    /** `YYYY-MM-DDTHH:MM:SSZ`, at the earliest the beginning of the previous day. */
    since: string;
    /** The last announced status. */
    previous: string;
    cause: ChangeCause;
  }>;

/** The attributes of such a message. */
export type StatusNoticeAttributes = Readonly<{ type: 'status-change'; level: NotifiedLevel }>;
