import type { ChangeCause } from './announced-statuses.js';
import type { NotifiedLevel } from './notification-settings.js';

/** A flag as a text. */
export type NoticeFlag = 'true' | 'false';

/** Four texts: a status, since when it holds, the one before it, and since when that held; times as `YYYY-MM-DDTHH:MM:SSZ`. */
export type StatusTexts = readonly string[];

/** The members of the status event of a monitoring engine: alerting reads them (results contract 15). */
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
  /** The host that made the measurement which the change came from; empty where it is not known. */
  monitoring_host: string;
  /** Since when the status holds; when it was told again. `YYYY-MM-DDTHH:MM:SSZ`. */
  ts_monitored: string;
  /** When the change was recorded, `YYYY-MM-DDTHH:MM:SSZ`. */
  ts_processed: string;
  /** `true`: the status goes on, and is told again. */
  repeat: NoticeFlag;
  /** Of the metric result that the change came from; empty where there is none. At most 4,096 characters. */
  summary: string;
  /** Likewise. */
  message: string;
  status: string;
  /** Like `repeat`. */
  reminder: NoticeFlag;
  /** The status that was told last. */
  prev_status: string;
  /** Since when that held, `YYYY-MM-DDTHH:MM:SSZ`. */
  prev_ts: string;
  /** URL of the endpoint: its tag `info_URL`; otherwise empty. */
  hostname_url: string;
  status_egroup?: StatusTexts;
  status_service?: StatusTexts;
  status_endpoint?: StatusTexts;
  status_metric?: StatusTexts;
  /** Of a group with up to 200 endpoints: their statuses. */
  group_statuses?: readonly string[];
  /** Their hosts, in the same order. */
  group_endpoints?: readonly string[];
  /** Their services, in the same order. */
  group_services?: readonly string[];
  /** Of an endpoint with up to 200 metrics: their statuses. */
  metric_statuses?: readonly string[];
  /** Their names, in the same order. */
  metric_names?: readonly string[];
}>;

/** The data of a message about a changed status, as JSON in base64: what subscribers of the topic get (docs/asyncapi.json). */
export type StatusNotice = EngineStatusEvent &
  Readonly<{
    /** Name of the tenant. */
    tenant: string;
    level: NotifiedLevel;
    group: string;
    /** `YYYY-MM-DDTHH:MM:SSZ`; the beginning of the day before at the earliest. */
    since: string;
    /** The status that was told last. */
    previous: string;
    cause: ChangeCause;
  }>;

/** The attributes of such a message. */
export type StatusNoticeAttributes = Readonly<{ type: 'status-change'; level: NotifiedLevel }>;
