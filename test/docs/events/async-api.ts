import type { JsonSchema, TypeSchemas } from './type-schemas.js';

const PARAMETERS = {
  project: { description: 'Project of the messaging service.' },
  topic: { description: 'A topic of the project.' },
};

const channel = (description: string, message: string) => ({
  address: '/v1/projects/{project}/topics/{topic}',
  description,
  parameters: PARAMETERS,
  messages: { [message]: { $ref: `#/components/messages/${message}` } },
});

const sends = (name: string, message: string, summary: string) => ({
  action: 'send',
  channel: { $ref: `#/channels/${name}` },
  summary,
  messages: [{ $ref: `#/channels/${name}/messages/${message}` }],
});

const EXAMPLE = {
  name: 'endpoint',
  headers: { type: 'status-change', level: 'endpoint' },
  payload: {
    tenant: 'EGI',
    report: 'Critical',
    level: 'endpoint',
    group: 'SITE-A',
    service: 'web',
    hostname: 'h1.example.org',
    endpoint_group: 'SITE-A',
    type: 'endpoint',
    date: '20261121',
    metric: '',
    monitoring_host: 'mon.example.org',
    ts_monitored: '2026-11-21T01:33:44Z',
    ts_processed: '2026-11-21T01:33:45Z',
    repeat: 'false',
    summary: 'Connection refused',
    message: '',
    reminder: 'false',
    prev_status: 'OK',
    prev_ts: '2026-11-20T22:10:00Z',
    hostname_url: 'https://h1.example.org',
    metric_statuses: ['CRITICAL'],
    metric_names: ['http'],
    status: 'CRITICAL',
    since: '2026-11-21T01:33:44Z',
    previous: 'OK',
    cause: { type: 'metric', metric: 'http', status: 'CRITICAL', timestamp: '2026-11-21T01:33:44Z' },
  },
};

const DEAD_LETTER = {
  name: 'deadLetter',
  title: 'A message that is no metric data',
  summary: 'The message as it was published, with its attributes and four more.',
  headers: {
    type: 'object',
    properties: {
      'logbook-reason': { type: 'string', description: 'What is wrong with it.' },
      'logbook-message-id': { type: 'string', description: 'Its id in the topic that it came from.' },
      'logbook-source-subscription': {
        type: 'string',
        description: 'The subscription that it came from: projects/<project>/subscriptions/<name>.',
      },
      'logbook-set-aside': { type: 'string', description: 'How often it was set aside, this time included: 1 or 2.' },
    },
    required: ['logbook-reason', 'logbook-message-id', 'logbook-set-aside'],
    additionalProperties: { type: 'string' },
  },
  payload: { description: 'As it was published.' },
};

const moved = (schema: JsonSchema): JsonSchema => JSON.parse(JSON.stringify(schema).replaceAll('#/$defs/', '#/components/schemas/'));

/** The AsyncAPI document of the topics that Logbook itself publishes to. */
export const asyncApi = ({ notice, shared }: TypeSchemas, version: string): object => ({
  asyncapi: '3.0.0',
  info: {
    title: 'Messages that Logbook publishes',
    version,
    description:
      'What goes into topics of the messaging service by itself: changes of statuses (docs/running/services.md, "Notifications of statuses") and messages that are no metric data. ' +
      'Headers are the attributes of a message; the payload is its data, which are base64 on the wire of pull and push.',
    license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
  },
  defaultContentType: 'application/json',
  servers: { local: { host: '127.0.0.1:8080', protocol: 'http', description: 'As `npm start` serves it.' } },
  channels: {
    statusChanges: channel('The topic of `PUT /api/v2/admin/tenants/{id}/status-notifications`.', 'statusChange'),
    deadLetters: channel('`dead_letter_topic` of `PUT /api/v2/admin/tenants/{id}/metric-source`.', 'deadLetter'),
  },
  operations: {
    notifyOfStatus: sends('statusChanges', 'statusChange', 'The current status of a group or endpoint has changed.'),
    putAside: sends('deadLetters', 'deadLetter', 'A message of a metric source cannot be read as metric data.'),
  },
  components: {
    messages: {
      statusChange: {
        name: 'statusChange',
        title: 'A status has changed',
        contentType: 'application/json',
        headers: moved(notice.attributes),
        payload: moved(notice.payload),
        examples: [EXAMPLE],
      },
      deadLetter: DEAD_LETTER,
    },
    schemas: { ChangeCause: moved(shared.ChangeCause ?? {}) },
  },
});
