import { NARROW, type XmlElement } from '#api/status/answers/xml.js';
import { groupOf, rootOf, showsInXmlToo } from '#api/status/openapi/in-xml.js';
import { HOST, INFO, JUDGEMENT, SITE, STATUS_VALUE, WEB } from '#api/status/openapi/statuses.js';
import { component, doc, nullable, oneOf, type Shape, schema } from '#domain/shared/shape.js';

const CHANGES = [
  { timestamp: '2026-03-01T00:00:00Z', value: 'OK' },
  { timestamp: '2026-03-01T23:59:59Z', value: 'OK' },
];
const PLACE = { service: 'web', supergroup: 'SITE-A' };
const FOUND = { name: HOST.name, ...PLACE };

/** The same in XML. */
const CHANGES_XML: readonly XmlElement[] = CHANGES.map((attributes) => ({ name: 'status', attributes }));
const inSite = (...content: readonly XmlElement[]): string => rootOf(NARROW, groupOf(SITE, content));
/** The host with the levels below it. @param more its other attributes */
const hostOf = (content: readonly XmlElement[], more: Readonly<Record<string, string>> = {}, name = 'endpoint'): XmlElement => ({
  name,
  attributes: { name: HOST.name, ...more },
  content,
});

const THRESHOLD_MARK = schema<true>({ type: 'boolean', const: true, description: 'with `view=details`: a threshold decided' });

export const CHANGE = component(
  'StatusChange',
  { timestamp: 'instant', value: STATUS_VALUE, 'affected_by_threshold_rule?': THRESHOLD_MARK },
  'A status, and from when on it holds; the last one closes the timeline',
);
export const CHANGE_OF_METRIC = component('StatusChangeOfMetric', {
  timestamp: 'instant',
  value: doc(STATUS_VALUE, 'may be empty where it is that of the day before'),
  ...JUDGEMENT,
});

const METRIC = component('StatusMetricTimeline', { name: 'text', statuses: [CHANGE_OF_METRIC] });
const ENDPOINT = component('StatusEndpointTimeline', { name: doc('text', 'host name'), 'info?': INFO, statuses: [CHANGE] });
const MONITORED = component('StatusMonitoredEndpoint', { name: doc('text', 'host name'), 'info?': INFO, metrics: [METRIC] });
const SERVICE_TYPE = oneOf('service');
const GROUP_TYPE = doc('text', 'type of the endpoint groups of the report');

/** Services, and the levels below them. */
const servicesOf = <const M extends Readonly<Record<string, Shape>>>(name: string, members: M) =>
  component(name, { name: 'text', type: SERVICE_TYPE, ...members });

/** Endpoint groups, and the levels below them. */
const groupsOf = <const M extends Readonly<Record<string, Shape>>>(name: string, members: M) =>
  component(name, { groups: [component(`${name}Item`, { name: 'text', type: GROUP_TYPE, ...members })] });

export const SHOWS_GROUP_TIMELINES = showsInXmlToo(
  groupsOf('StatusGroupTimelines', { statuses: [CHANGE] }).shownAs({ groups: [{ ...SITE, statuses: CHANGES }] }),
  { example: inSite(...CHANGES_XML) },
);
export const SHOWS_SERVICE_TIMELINES = showsInXmlToo(
  groupsOf('StatusServiceTimelines', { services: [servicesOf('StatusServiceTimeline', { statuses: [CHANGE] })] }).shownAs({
    groups: [{ ...SITE, services: [{ ...WEB, statuses: CHANGES }] }],
  }),
  { example: inSite(groupOf(WEB, CHANGES_XML)) },
);
export const SHOWS_ENDPOINT_TIMELINES = showsInXmlToo(
  groupsOf('StatusEndpointTimelines', { services: [servicesOf('StatusServiceWithEndpoints', { endpoints: [ENDPOINT] })] }).shownAs({
    groups: [{ ...SITE, services: [{ ...WEB, endpoints: [{ ...HOST, statuses: CHANGES }] }] }],
  }),
  { example: inSite(groupOf(WEB, [hostOf(CHANGES_XML)])) },
);
export const SHOWS_METRIC_TIMELINES = showsInXmlToo(
  groupsOf('StatusMetricTimelines', { services: [servicesOf('StatusServiceWithMetrics', { endpoints: [MONITORED] })] }).shownAs({
    groups: [{ ...SITE, services: [{ ...WEB, endpoints: [{ ...HOST, metrics: [{ name: 'http', statuses: CHANGES }] }] }] }],
  }),
  { example: inSite(groupOf(WEB, [hostOf([{ name: 'metric', attributes: { name: 'http' }, content: CHANGES_XML }])])) },
);

/** A page of a flat list. */
const paged = <const M extends string, const S extends Shape>(name: string, member: M, item: S) =>
  component(name, {
    [member]: [item],
    'nextPageToken?': doc('text', 'left out on the last page'),
    'pageSize?': doc('integer', 'as it was asked for'),
  });
const REPORT_ENDPOINT_TIMELINES = paged(
  'StatusReportEndpointTimelines',
  'endpoints',
  component('StatusReportEndpointTimeline', {
    name: doc('text', 'host name'),
    service: 'text',
    supergroup: doc('text', 'endpoint group'),
    'info?': INFO,
    statuses: [CHANGE],
  }),
).shownAs({ endpoints: [{ ...FOUND, statuses: CHANGES }] });
export const SHOWS_REPORT_ENDPOINT_TIMELINES = showsInXmlToo(REPORT_ENDPOINT_TIMELINES, {
  example: rootOf(NARROW, hostOf(CHANGES_XML, PLACE)),
});
const REPORT_METRIC_TIMELINES = paged(
  'StatusReportMetricTimelines',
  'endpoint_metrics',
  component('StatusReportMetricTimeline', {
    name: doc('text', 'host name'),
    service: 'text',
    supergroup: doc('text', 'endpoint group'),
    metric: 'text',
    'info?': INFO,
    statuses: [CHANGE_OF_METRIC],
  }),
).shownAs({ endpoint_metrics: [{ ...FOUND, metric: 'http', statuses: CHANGES }] });
export const SHOWS_REPORT_METRIC_TIMELINES = showsInXmlToo(REPORT_METRIC_TIMELINES, {
  example: rootOf(NARROW, hostOf(CHANGES_XML, { ...PLACE, metric: 'http' }, 'endpoint_metric')),
});

export const GROUP_TIMELINES_V3 = component(
  'StatusGroupTimelinesV3',
  {
    groups: nullable([
      {
        name: 'text',
        type: GROUP_TYPE,
        statuses: [CHANGE],
        endpoints: [{ hostname: 'text', service: 'text', 'info?': INFO, statuses: [CHANGE] }],
      },
    ]),
  },
  'extended contract 14',
).shownAs({
  groups: [{ ...SITE, statuses: CHANGES, endpoints: [{ hostname: HOST.name, service: 'web', info: HOST.info, statuses: CHANGES }] }],
});
export const RESOURCE_TIMELINES_V3 = component(
  'StatusResourceTimelinesV3',
  {
    id: doc('text', '`info.ID` of the endpoints'),
    endpoints: [{ hostname: 'text', service: 'text', group: 'text', 'info?': INFO, statuses: [CHANGE] }],
  },
  'extended contract 14',
).shownAs({
  id: 'resource-7',
  endpoints: [{ hostname: HOST.name, service: 'web', group: 'SITE-A', info: { ID: 'resource-7' }, statuses: CHANGES }],
});
