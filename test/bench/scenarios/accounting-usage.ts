import { METRICS_READ_MODEL } from '#projections/accounting/metrics/documents.js';
import { accountingHeaders, addInstallations, addMetrics, type BenchInstallation } from '#test/bench/inputs/accounting-data.js';
import { install } from '#test/bench/installation.js';
import { CONNECTIONS, httpLoad, type LoadRequest } from '#test/bench/load.js';
import type { Lab, Scenario } from '#test/bench/scenario.js';
import { startReference } from '#test/bench/servers/reference.js';

const FEW = 1_000;
/** How many times the events of other scenarios about large logs: a million. */
const MANY_FACTOR = 10;

const sentAsJson = { ...accountingHeaders, 'content-type': 'application/json' };

/** A metric of an installation. */
export const record = ({ installationId, definitionId }: BenchInstallation): LoadRequest => ({
  method: 'POST',
  path: `/accounting-system/installations/${installationId}/metrics`,
  headers: sentAsJson,
  body: JSON.stringify({
    metric_definition_id: definitionId,
    time_period_start: '2021-03-02T00:00:00Z',
    time_period_end: '2021-03-03T00:00:00Z',
    value: 1.5,
  }),
  lateHeader: 'logbook-read-model', // durable, but not readable yet
});

const prepareRecording = async (lab: Lab) => {
  const installation = await install(lab, 'embedded');
  const places = await installation.withRuntime((runtime) => addInstallations(runtime, CONNECTIONS));
  const server = await installation.serve();
  const requests = places.map(record);
  const requestOf = (connection: number): readonly LoadRequest[] => requests.slice(connection, connection + 1);
  const reference = await startReference(lab, { kind: 'durable-put', directory: installation.directory });
  const put = (connection: number) =>
    requestOf(connection).map((request): LoadRequest => ({ ...request, method: 'PUT', path: `/reference/${connection}` }));
  return { logbook: httpLoad(server, lab.effort, requestOf), reference: httpLoad(reference, lab.effort, put) };
};

/** One is made of whole months, the other is not. */
const RANGES = ['start=2021-01-01&end=2022-01-01', 'start=2021-01-15&end=2021-12-15'];

/** `capacity`: when it begins. */
const prepareReports = async (lab: Lab, capacity: string) => {
  const installation = await install(lab, 'embedded');
  const [many, few] = await installation.withRuntime(async (runtime) => {
    const [many, few] = await addInstallations(runtime, 2);
    if (!many || !few) throw new Error('there are no installations');
    await addMetrics(runtime, many, lab.effort.manyEvents * MANY_FACTOR);
    await addMetrics(runtime, few, FEW);
    await runtime.readModels.rebuild(METRICS_READ_MODEL);
    return [many, few] as const;
  });
  const server = await installation.serve();
  const load = async ({ installationId, definitionId }: BenchInstallation) => {
    const path = `/accounting-system/installations/${installationId}`;
    const { status } = await fetch(`${server.url}${path}/capacities`, {
      method: 'POST',
      headers: sentAsJson,
      body: JSON.stringify({ metric_definition_id: definitionId, value: 1_000_000, registered_on: capacity }),
    });
    if (status !== 200) throw new Error(`the capacity was answered with ${status}`);
    return httpLoad(server, lab.effort, () =>
      RANGES.map((range) => ({ method: 'GET', path: `${path}/report?${range}`, headers: accountingHeaders })),
    );
  };
  return { logbook: await load(many), reference: await load(few) };
};

export const accountingUsage: readonly Scenario[] = [
  {
    name: 'embedded: command, metrics of 64 installations',
    reference: 'bare route: durable put',
    target: { atLeast: 0.5 },
    prepare: prepareRecording,
  },
  {
    name: 'embedded: growth of a report, 1,000,000 metrics',
    reference: 'the same over 1,000 metrics, time',
    target: { atMost: 1.5 },
    prepare: (lab) => prepareReports(lab, '2021-07-15'),
  },
  {
    name: 'embedded: growth of a report, 1,000,000 metrics and a capacity inside a day',
    reference: 'the same over 1,000 metrics, time',
    prepare: (lab) => prepareReports(lab, '2021-07-15T12:30:00Z'),
  },
];
