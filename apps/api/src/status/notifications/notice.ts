import type { FoundChange, StatusAfter } from '#domain/status/notifications/status-changes.js';
import type {
  EngineStatusEvent,
  NoticeFlag,
  StatusNotice,
  StatusNoticeAttributes,
  StatusTexts,
} from '#domain/status/notifications/status-notice.js';
import type { PendingNotice } from '#projections/status/notifications/queries.js';

/** Names of the levels in monitoring engines. */
const TYPES = { metric: 'metric', endpoint: 'endpoint', service: 'service', group: 'endpoint_group' } as const;

const flag = (value: boolean): NoticeFlag => (value ? 'true' : 'false');

const textsOf = ({ status, since, previous, previousSince }: StatusAfter): StatusTexts => [status, since, previous, previousSince];

/** Statuses around a change, as parallel lists: for the endpoints of a group, or the metrics of an endpoint. */
const optionalMembers = ({ level, around = {}, endpoints, metrics }: FoundChange): Partial<EngineStatusEvent> => ({
  ...(around.group && { status_egroup: textsOf(around.group) }),
  ...(around.service && { status_service: textsOf(around.service) }),
  ...(around.endpoint && { status_endpoint: textsOf(around.endpoint) }),
  ...(around.metric && { status_metric: textsOf(around.metric) }),
  ...(level === 'group' &&
    endpoints && {
      group_statuses: endpoints.map(({ status }) => status),
      group_endpoints: endpoints.map(({ hostname }) => hostname),
      group_services: endpoints.map(({ service }) => service),
    }),
  ...(level === 'endpoint' &&
    metrics && { metric_statuses: metrics.map(({ status }) => status), metric_names: metrics.map(({ metric }) => metric) }),
});

/** The members of the status event of a monitoring engine (results contract 15). `processed`: time at which the change was recorded. */
const engineEvent = ({ report, group, at: processed }: PendingNotice, change: FoundChange): EngineStatusEvent => {
  const { level, service, hostname, metric, status, since, previous, previousSince, repeat = false, source, url = '' } = change;
  const monitored = repeat ? processed : since;
  return {
    report,
    type: TYPES[level],
    date: monitored.slice(0, 10).replaceAll('-', ''),
    endpoint_group: group,
    service,
    hostname,
    metric,
    monitoring_host: source?.monitoringHost ?? '',
    ts_monitored: monitored,
    ts_processed: processed,
    repeat: flag(repeat),
    summary: source?.summary ?? '',
    message: source?.message ?? '',
    status,
    reminder: flag(repeat),
    prev_status: previous,
    prev_ts: previousSince,
    hostname_url: url,
    ...optionalMembers(change),
  };
};

/** A notification in the data of its message. */
export const noticeOf = (tenant: string, notice: PendingNotice, change: FoundChange): StatusNotice => {
  const { level, since, previous, cause } = change;
  return { tenant, level, group: notice.group, ...engineEvent(notice, change), since, previous, cause };
};

export const attributesOf = ({ level }: FoundChange): StatusNoticeAttributes => ({ type: 'status-change', level });
