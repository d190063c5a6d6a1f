import { COMMON_PARAMETERS } from '#api/shared/openapi/common-parameters.js';
import { type Parameters, parameter } from '#api/shared/openapi/described.js';
import { bounded, oneOf } from '#api/shared/openapi/shape.js';

const START = '2026-03-01T00:00:00Z';
const END = '2026-03-01T23:59:59Z';
const RECORD = '3954e18b-0f5e-4e4c-9ec1-613127ab6638';
const GRANULARITY = bounded(oneOf('daily', 'monthly', 'custom'), { default: 'daily' });

const PATHS: Parameters = {
  'path id': parameter('text', 'id of the record', RECORD),
  'path id /admin/tenants/': parameter('text', 'id of the tenant', '54f2fd5e-bb1a-492b-947d-23a25fffbfa2'),
  'path id /users:byID/': parameter('text', 'id of the user', '262b2829-1fa4-4338-9cd2-68743e219c46'),
  'path id /id/{id}': parameter('text', '`ID` among the info of endpoints', 'resource-7'),
  'path userId': parameter('text', 'id of the user', '262b2829-1fa4-4338-9cd2-68743e219c46'),
  'path component': parameter(oneOf('engine', 'monbox', 'probe', 'poem-admin', 'poem-viewer'), 'whose users get a new key', 'engine'),
  'path tenant': parameter('text', 'name of the tenant', 'EGI'),
  'path report': parameter('text', 'name of the report', 'Critical'),
  'path groupType': parameter('text', 'first type of the topology schema of the report', 'NGI'),
  'path supergroup': parameter('text', 'name of a group of groups', 'NGI-A'),
  'path type': parameter('text', 'a type of the topology schema of the report, usually the last one: that of endpoint groups', 'SITES'),
  'path group': parameter('text', 'name of the group', 'SITE-A'),
  'path service': parameter('text', 'service type', 'web'),
  'path endpoint': parameter('text', 'host name of the endpoint', 'web.example.org'),
  'path hostname': parameter('text', 'host name', 'web.example.org'),
  'path metric': parameter('text', 'name of the metric', 'http'),
  'path node': parameter('text', 'name of a tenant that is a node', 'EGI'),
};

const TIMES: Parameters = {
  'query date': parameter('day', 'UTC day; default today'),
  'query date /latest/': parameter('instant', 'UTC instant; its day counts; default today'),
  'query start_date': parameter('day', 'first UTC day, with `end_date`'),
  'query end_date': parameter('day', 'last UTC day, with `start_date`'),
  'query start-date': parameter('day', 'first UTC day, with `end-date`'),
  'query end-date': parameter('day', 'last UTC day, with `start-date`'),
  'query start_time': parameter('instant', 'UTC instant, YYYY-MM-DDTHH:MM:SSZ', START),
  'query end_time': parameter('instant', 'UTC instant, YYYY-MM-DDTHH:MM:SSZ', END),
  'query start_time /recomputations': parameter('instant', 'of the period, in place of a body'),
  'query end_time /recomputations': parameter('instant', 'of the period, in place of a body'),
  'query start_time /api/v4/': parameter('instant', 'UTC instant, with `end_time`'),
  'query end_time /api/v4/': parameter('instant', 'UTC instant, with `start_time`'),
  'query start-time': parameter('instant', 'UTC instant', START),
  'query end-time': parameter('instant', 'UTC instant', END),
  'query exec_time': parameter('instant', 'UTC instant', '2026-03-01T07:30:00Z'),
  'query timestamp': parameter('instant', 'UTC instant', '2026-03-01T07:30:00Z'),
  'query period': parameter(bounded('text', { pattern: '^\\d+[dwm]$' }), 'days, weeks or months up to today, such as `7d`'),
  'query granularity': parameter(GRANULARITY, 'what figures are summed up over'),
  'query granularity /trends/': parameter(oneOf('monthly'), 'by calendar month; default the whole range'),
};

const FILTERS: Parameters = {
  'query name': parameter('text', 'only the record of this name'),
  'query private': parameter('text', 'only reports that are not public'),
  'query public': parameter('text', 'only public reports'),
  'query node': parameter('text', 'only the report of the tenant as a node'),
  'query report': parameter('text', 'name of a report'),
  'query reason': parameter('text', 'why, in place of a body'),
  'query requester_name': parameter('text', 'who asks, in place of a body'),
  'query requester_email': parameter('text', 'who asks, in place of a body'),
  'query exclude': parameter(['text'], 'groups that do not count, in place of a body'),
  'query export': parameter(oneOf('flat'), '`flat`: the user without envelope'),
  'query mode': parameter(oneOf('combined'), 'with the lists of the tenants of the data feed'),
  'query force': parameter(oneOf('true', '1'), 'a list that the day has is replaced'),
  'query group': parameter('text', 'only items of this group; `*` stands for any text, `~` before it for any other'),
  'query type': parameter('text', 'only items of this type of group; likewise'),
  'query service': parameter('text', 'only items of this service type'),
  'query hostname': parameter('text', 'only items of this host; `*` stands for any text, `~` before it for any other'),
  'query subgroup': parameter('text', 'only items with this subgroup; `*` stands for any text, `~` before it for any other'),
  'query supergroup': parameter('text', 'only endpoints of this endpoint group'),
  'query tags': parameter('text', 'only items with these tags: `key:value`, separated by commas'),
  'query classification': parameter('text', 'only downtimes of this classification'),
  'query severity': parameter('text', 'only downtimes of this severity'),
  'query filter': parameter('text', 'only this status'),
  'query strict': parameter(oneOf('true', 'false'), '`true`: of each metric of an endpoint only the newest point'),
  'query limit': parameter(bounded('integer', { minimum: -1, default: 500 }), 'how many; -1: all'),
  'query top': parameter('integer', 'items of a list; default all'),
  'query pageSize': parameter('integer', 'rows of a page; default all'),
  'query nextPageToken': parameter('text', 'from the page before'),
  'query view': parameter(oneOf('details', 'latest'), '`details`: with what thresholds did; `latest`, of version 3: only the last status'),
  'query history': parameter('text', 'any value: all changes of today'),
  'query verbose': parameter('text', 'any value: with check and acknowledgement'),
};

const TENANT = parameter('text', 'with the key of an administrator: id of the tenant in whose name the call is made');

/** Parameters of `/api` and `/metrics/status`. */
export const STATUS_PARAMETERS: Parameters = { ...COMMON_PARAMETERS, ...PATHS, ...TIMES, ...FILTERS, 'header x-tenant-id': TENANT };
