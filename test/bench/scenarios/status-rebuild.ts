import { join } from 'node:path';
import { createClient } from 'redis';
import type { Runtime } from '#api/runtime/runtime.js';
import { weights } from '#domain/status/dated-records/weights.js';
import { openEnvironment } from '#infra/platform/lmdb/environment.js';
import { LOG_FORMAT } from '#infra/stores/event-store/embedded/storage/databases.js';
import { DATED_RECORDS, datedCollections } from '#projections/status/dated-records/documents.js';
import { bareReadAll } from '#test/bench/bare-client.js';
import { addTenant, appendSnapshots, snapshotsOf, weightsOf } from '#test/bench/inputs/status-data.js';
import { type Installation, install, type Stores } from '#test/bench/installation.js';
import { pass } from '#test/bench/loops.js';
import type { Lab, Scenario, Side } from '#test/bench/scenario.js';

const VERSIONS = 100;
/** Documents in one pipeline. */
const PIPELINE = 1_000;
const rebuildOf = (runtime: Runtime): Side => pass(async () => (await runtime.readModels.rebuild(DATED_RECORDS)).processed);

/** A block of the embedded log: a line of checksum and sizes, then its events as JSON. */
type StoredBlock = Readonly<{ events: readonly Readonly<{ type: string }>[] }>;

/** Reads the blocks of the embedded log where they lie, without any of Logbook's code. */
const scanAndParse = ({ cleanup }: Lab, { directory }: Installation): Side => {
  const environment = openEnvironment({
    path: join(directory, 'log'),
    durability: 'durable',
    maxDbs: 1,
    format: LOG_FORMAT,
    readOnly: true,
  });
  cleanup.defer(() => environment.close());
  const blocks = environment.root.openDB<string, number>('blocks', { encoding: 'string', keyEncoding: 'uint32' });
  return pass(async () => {
    let events = 0;
    for (const { value } of blocks.getRange({})) {
      const block: StoredBlock = JSON.parse(value.slice(value.indexOf('\n') + 1));
      for (const { type } of block.events) if (type === weights.events.dated) events++;
    }
    return events;
  });
};

/** Writes the documents that are served now into other keys of the same Redis, one HSET and one ZADD for each. */
const pipelinedWrites = async (
  { cleanup }: Lab,
  { readStore }: Runtime,
  { url, keyPrefix }: NonNullable<Installation['redis']>,
  events: number,
): Promise<Side> => {
  const view = readStore.view(DATED_RECORDS);
  const collections = await Promise.all(Object.values(datedCollections(weights)).map(({ name }) => view.range(name, {})));
  const documents = collections.flat();
  const [values, keys] = [`${keyPrefix}-reference-values`, `${keyPrefix}-reference-keys`];
  const client = await createClient({ url }).connect();
  cleanup.defer(() => client.close());
  return pass(async () => {
    await client.unlink([values, keys]);
    for (let start = 0; start < documents.length; start += PIPELINE) {
      const pipeline = client.multi();
      for (const { key, value } of documents.slice(start, start + PIPELINE)) {
        pipeline.hSet(values, key, value);
        pipeline.zAdd(keys, { score: 0, value: key });
      }
      await pipeline.execAsPipeline();
    }
    return events;
  });
};

const scenario = (stores: Stores, reference: string, atLeast: number): Scenario => ({
  name: `${stores}: rebuild`,
  reference,
  target: { atLeast },
  prepare: async (lab) => {
    const installation = await install(lab, stores);
    const runtime = await installation.runtime();
    const { manyEvents } = lab.effort;
    await appendSnapshots(runtime, weights, await addTenant(runtime), snapshotsOf(weightsOf, manyEvents / VERSIONS, VERSIONS));
    const logbook = rebuildOf(runtime);
    await logbook();
    const { redis, eventStoreUrl } = installation;
    if (eventStoreUrl) return { logbook, reference: bareReadAll(lab, eventStoreUrl, manyEvents) };
    const reference = redis ? await pipelinedWrites(lab, runtime, redis, manyEvents) : scanAndParse(lab, installation);
    return { logbook, reference };
  },
});

export const statusRebuild: readonly Scenario[] = [
  scenario('embedded', 'scan and JSON.parse of the same log', 0.4),
  scenario('redis', 'pipelined HSET + ZADD of the same documents', 0.5),
  scenario('distributed', 'bare client reading as many events of the whole log', 0.7),
];
