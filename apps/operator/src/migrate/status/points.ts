import { type MetricResult, metricData, streamOfMetricData } from '#domain/status/metric-data/metric-data.js';
import { LeftOut, type TakeDocument } from '../migration.js';
import { type Fields, quietly } from '../read/fields.js';
import type { DocumentOrigin } from '../write/event-ids.js';
import { allPresent } from './all-of-list.js';
import { pointDocument, pointKey } from './documents/point-documents.js';
import type { StatusMigration } from './options.js';
import { fileOf, type TenantScope } from './tenant-scope.js';

/** Maximum results per event, as for a call. */
const [MOST_RESULTS, MOST_CHARACTERS] = [32, 200_000];

type Gathered = { host: string; results: MetricResult[]; characters: number; origin: DocumentOrigin };

/** Takes over the points behind the computed statuses of the original: each report has its own copy of them. */
export const takePoints = async (migration: StatusMigration, tenant: TenantScope): Promise<void> => {
  const { writer, report } = migration;
  let gathered: Gathered | undefined;
  let last: string | undefined;
  const write = async (): Promise<void> => {
    if (!gathered) return;
    const { host, results, origin } = gathered;
    const { tenantId } = tenant;
    const stream = streamOfMetricData(tenantId, host);
    const command = { type: 'RecordMetricResults', tenantId, host, results } as const;
    gathered = undefined;
    const time = results.at(-1)?.timestamp.replace('Z', '.000Z') ?? '';
    const written = await writer.decide({ origin, stream, decider: metricData, steps: [{ command, time }] });
    if (written === 'present') allPresent(report, origin.collection, results.length);
  };
  const take: TakeDocument = async ({ fields, origin }) => {
    const key = pointKey(fields);
    const { host, result } = pointDocument(fields);
    if (key === last) throw new LeftOut('the same point of another report');
    last = key;
    if (gathered?.host !== host) await write();
    gathered ??= { host, results: [], characters: 0, origin };
    gathered.results.push(result);
    gathered.characters += JSON.stringify(result).length;
    if (gathered.results.length === MOST_RESULTS || gathered.characters > MOST_CHARACTERS) await write();
    return 'written';
  };
  await migration.each(fileOf(migration, tenant, 'status_metrics'), take, {
    sortedBy: (fields: Fields) => quietly(() => pointKey(fields)) ?? '',
  });
  await write();
  await writer.flush();
};
