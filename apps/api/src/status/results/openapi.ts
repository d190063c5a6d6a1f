import { WIDE, type XmlElement } from '#api/status/answers/xml.js';
import { groupOf, rootOf, showsInXmlToo } from '#api/status/openapi/in-xml.js';
import { INFO, SITE, WEB } from '#api/status/openapi/statuses.js';
import { component, doc, either, type FullSchema, oneOf, type Shape } from '#domain/shared/shape.js';

const DAY = '2026-03-01';
const MEANS = { availability: '85.807018', reliability: '91.296296' };
const SHARES = { availability: '93.75', reliability: '93.75', unknown: '0', uptime: '0.9375', downtime: '0' };
const DAYS = [{ timestamp: DAY, ...SHARES }];
const HOST = { name: 'web.example.org', type: 'endpoint' as const, info: { URL: 'https://web.example.org' }, results: DAYS };

/** The same in XML. */
const ROWS: readonly XmlElement[] = DAYS.map((attributes) => ({ name: 'results', attributes }));
const NGI = { name: 'NGI-A', type: 'NGI' };

export const PERIOD = doc('text', 'YYYY-MM-DD, of months YYYY-MM; left out for the whole range');
const PERCENT = doc('text', 'a percentage as text; -1: not defined');
export const FRACTION = doc('text', 'a fraction of the time as text');

const AVERAGES = { availability: PERCENT, reliability: PERCENT } as const;
const FIGURES = { ...AVERAGES, unknown: FRACTION, uptime: FRACTION, downtime: FRACTION } as const;

const OF_SUPERGROUP = component('StatusSupergroupFigures', { 'timestamp?': PERIOD, ...AVERAGES });
const OF_PERIOD = component('StatusFigures', { 'timestamp?': PERIOD, ...FIGURES }, 'extended contract 10');
const DATED_AVERAGES = component('StatusSupergroupFiguresV3', { 'date?': PERIOD, ...AVERAGES });
const DATED_FIGURES = component('StatusFiguresV3', { 'date?': PERIOD, ...FIGURES }, 'extended contract 13');

type Typed = 'text' | FullSchema<string>;

/** A named item of a type, with its contents. */
export const item = <const M extends Readonly<Record<string, Shape>>>(name: string, members: M, type: Typed = 'text') =>
  component(name, { name: 'text', type, ...members });
/** The answer that consists of such items. */
export const resultsOf = <const E extends Shape>(name: string, element: E) => component(name, { results: [element] });

const ENDPOINT = item('StatusEndpointResult', { 'info?': INFO, results: [OF_PERIOD] }, oneOf('endpoint'));
const SERVICE = item('StatusServiceResult', { results: [OF_PERIOD] }, oneOf('service'));
const SERVICE_WITH_ENDPOINTS = item('StatusServiceEndpointResult', { endpoints: [ENDPOINT] }, oneOf('service'));
const GROUP = item('StatusGroupResult', { results: [OF_PERIOD] });
const SUPERGROUP = item('StatusSupergroupResult', { results: [OF_SUPERGROUP] });
const SUPERGROUP_WITH_GROUPS = item('StatusSupergroupGroupResult', { endpoints: doc([GROUP], 'endpoint groups') });

const GROUPS_XML = rootOf(WIDE, groupOf(NGI, [groupOf(SITE, ROWS)]));
export const SHOWS_SUPERGROUP_GROUP_RESULTS = showsInXmlToo(
  resultsOf('StatusSupergroupGroupResults', SUPERGROUP_WITH_GROUPS).shownAs({
    results: [{ ...NGI, endpoints: [{ ...SITE, results: DAYS }] }],
  }),
  { example: GROUPS_XML },
);
/** One path serves both; the type in it decides. */
export const SHOWS_GROUP_RESULTS = showsInXmlToo(
  component(
    'StatusGroupResults',
    { results: either([SUPERGROUP], [SUPERGROUP_WITH_GROUPS]) },
    'Groups of groups, or endpoint groups by the groups that they are in: by the type in the path',
  ).shownAs({ results: [{ ...NGI, results: [{ timestamp: DAY, ...MEANS }] }] }),
  {
    examples: {
      'groups of groups': rootOf(WIDE, groupOf(NGI, [{ name: 'results', attributes: { timestamp: DAY, ...MEANS } }])),
      'endpoint groups': GROUPS_XML,
    },
  },
);
export const SHOWS_SERVICE_RESULTS = showsInXmlToo(
  resultsOf('StatusServiceResults', item('StatusGroupServiceResult', { serviceflavors: [SERVICE] })).shownAs({
    results: [{ ...SITE, serviceflavors: [{ ...WEB, results: DAYS }] }],
  }),
  { example: rootOf(WIDE, groupOf(SITE, [groupOf(WEB, ROWS)])) },
);
export const SHOWS_ENDPOINT_RESULTS = showsInXmlToo(
  resultsOf('StatusEndpointResults', item('StatusGroupEndpointResult', { serviceflavors: [SERVICE_WITH_ENDPOINTS] })).shownAs({
    results: [{ ...SITE, serviceflavors: [{ ...WEB, endpoints: [HOST] }] }],
  }),
  { example: rootOf(WIDE, groupOf(SITE, [groupOf(WEB, [groupOf({ name: HOST.name, type: HOST.type }, ROWS)])])) },
);

const REPORT_ENDPOINT_RESULTS = component('StatusReportEndpointResults', {
  results: [
    component('StatusReportEndpointResult', {
      name: doc('text', 'host name'),
      service: 'text',
      supergroup: doc('text', 'endpoint group'),
      type: oneOf('endpoint'),
      'info?': INFO,
      results: [OF_PERIOD],
    }),
  ],
  'nextPageToken?': doc('text', 'left out on the last page'),
  'pageSize?': doc('integer', 'as it was asked for'),
}).shownAs({ results: [{ ...HOST, service: 'web', supergroup: 'SITE-A' }] });
export const SHOWS_REPORT_ENDPOINT_RESULTS = showsInXmlToo(REPORT_ENDPOINT_RESULTS, {
  example: rootOf(WIDE, groupOf({ name: HOST.name, service: 'web', supergroup: 'SITE-A', type: HOST.type }, ROWS)),
});

export const GROUP_RESULTS_V3 = component(
  'StatusGroupResultsV3',
  {
    results: [
      {
        name: 'text',
        type: 'text',
        'results?': [DATED_AVERAGES],
        groups: [{ name: 'text', type: 'text', results: [DATED_FIGURES] }],
      },
    ],
  },
  'extended contract 13',
).shownAs({
  results: [
    {
      name: 'NGI-A',
      type: 'NGI',
      results: [{ date: DAY, ...MEANS }],
      groups: [{ ...SITE, results: [{ date: DAY, ...SHARES }] }],
    },
  ],
});
export const RESOURCE_RESULTS_V3 = component(
  'StatusResourceResultsV3',
  {
    id: doc('text', '`info.ID` of the endpoints'),
    endpoints: [{ name: 'text', service: 'text', supergroup: 'text', 'info?': INFO, results: [DATED_FIGURES] }],
  },
  'extended contract 13',
).shownAs({
  id: 'resource-7',
  endpoints: [
    { name: 'web.example.org', service: 'web', supergroup: 'SITE-A', info: { ID: 'resource-7' }, results: [{ date: DAY, ...SHARES }] },
  ],
});
