import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { NEEDED, projections } from '#api/runtime/vocabulary.js';
import { type DocumentedWorld, openDocumentedServer } from '#test/attack/documented-world.js';
import { Cleanup } from '#test/support/cleanup.js';
import { distributed, dropReadModels, OPERATOR, oneMoreNode } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import { type LogbookProcess, startLogbook } from '#test/support/processes/logbook-process.js';
import { httpClient } from '#test/support/status-client.js';

const COPIED = projections.flatMap(({ name, past }) => (past === undefined && !NEEDED.has(name) ? [name] : []));
/** Only ends what hangs. */
const LONGEST_RUN_MS = 600_000;

let cleanup: Cleanup;
let world: DocumentedWorld;
let history: LogbookProcess;
let projector: LogbookProcess;
let startProjector: () => Promise<LogbookProcess>;
let loseRedis: () => Promise<void>;

beforeAll(async () => {
  cleanup = new Cleanup();
  world = await openDocumentedServer(
    cleanup,
    async (deployment, settings) => {
      const own = await oneMoreNode(deployment);
      startProjector = () => startLogbook({ ...own, ...settings, LOGBOOK_ROLES: 'projector,push', LOGBOOK_HISTORY: 'off' });
      loseRedis = () => dropReadModels({ ...deployment, dataDirectory: own.LOGBOOK_DATA_DIR ?? '' });
      projector = await startProjector();
      history = await startLogbook({ ...deployment.environment, ...settings, LOGBOOK_ROLES: 'api,history', LOGBOOK_HISTORY: 'on' });
      const stop = async () => Promise.all([history.stop(), projector.stop()]);
      return { url: history.url, stop };
    },
    distributed,
  );
});
afterAll(() => cleanup?.run());

const ops = (method: string, path: string) => httpClient(world.url).call(method, path, { key: OPERATOR });
/** Read models that the node with history has built in Redis, after so many lines. */
const built = (after: number): readonly string[] =>
  history.lines
    .slice(after)
    .filter((line) => line.includes('"rebuild done"'))
    .map((line) => JSON.parse(line).projection)
    .sort();

it(
  'read models that Redis has lost are copied from a node with history, as the log makes them',
  async () => {
    const made = world.calls.filter(({ method }) => ['POST', 'PUT', 'PATCH'].includes(method));
    for (const call of [...made, ...made]) await world.make(call);
    await projector.stop(); // it would fill them from the log at the same time
    const lines = history.lines.length;
    await loseRedis();
    await eventually(() => built(lines)).until((names) => names.length >= COPIED.length);
    expect(built(lines)).toEqual([...COPIED].sort());
    projector = await startProjector();
    await eventually(() => ops('GET', '/health')).until(({ status }) => status === 200);
    for (const { name } of projections) {
      const { href } = (await ops('POST', `/ops/projections/${name}/verify`)).json as { href: string };
      const ended = await eventually(() => ops('GET', href)).until(({ json }) => (json as { endedAt: string | null }).endedAt !== null);
      expect(ended.json).toMatchObject({ projection: name, state: 'done', equal: true });
    }
  },
  LONGEST_RUN_MS,
);
