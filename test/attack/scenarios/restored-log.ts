import type { Attack, Outcome } from '#test/attack/attack.js';
import { ADMIN, type Deployment, distributed, embedded } from '#test/support/deployments.js';
import { type LogbookProcess, startLogbook } from '#test/support/processes/logbook-process.js';
import { type HttpClient, httpClient, recordsOf, registerTenant, statusClient } from '#test/support/status-client.js';

const INSIDER = 'kept-admin';
const OUTSIDER = 'lost-admin';
const CLIENTS = 8;

const weights = (name: string) => ({ name, weight_type: 'hepspec', group_type: 'SITES', groups: [{ name: 'S', value: 1 }] });

const create = async (status: HttpClient, name: string): Promise<void> => {
  const answer = await status.post('/weights', { key: INSIDER, body: weights(name) });
  if (answer.status !== 201) throw new Error(`${name} was not created: ${answer.status} ${answer.text}`);
};

const untilReady = async (url: string): Promise<void> => {
  const deadline = Date.now() + 60_000;
  while ((await httpClient(url).get('/health/ready')).status !== 200)
    if (Date.now() > deadline) throw new Error('the server did not become ready within a minute');
};

/** What came of requests with the key of somebody who exists only in the lost future, and of lists that may show its records. */
type Tally = { requests: number; admitted: number; shown: number; refused: number; withheld: number };

const probe = async (url: string, tally: Tally): Promise<void> => {
  const status = statusClient(url);
  const [outsider, list] = await Promise.all([status.get('/weights', { key: OUTSIDER }), status.get('/weights', { key: INSIDER })]);
  tally.requests += 2;
  if (outsider.status === 200) tally.admitted += 1;
  if (outsider.status === 401) tally.refused += 1;
  if (list.text.includes('lost record')) tally.shown += 1;
  tally.withheld += [outsider, list].filter((answer) => answer.status === 503).length;
};

/** Asks from the first moment at which the server listens until it is ready and the outsider is refused for good. */
const hammer = async (url: string): Promise<Tally> => {
  const tally: Tally = { requests: 0, admitted: 0, shown: 0, refused: 0, withheld: 0 };
  let over = false;
  const clients = Array.from({ length: CLIENTS }, async () => {
    while (!over) await probe(url, tally);
  });
  try {
    await untilReady(url);
    for (const before = tally.refused; tally.refused < before + 50; ) await probe(url, tally);
  } finally {
    over = true;
    await Promise.all(clients);
  }
  return tally;
};

/** Of records written after the restore: those that are not in the list. */
const hidden = async (url: string): Promise<number> => {
  const status = statusClient(url);
  const names = Array.from({ length: 20 }, (_, index) => `new ${index}`);
  for (const name of names) await create(status, name);
  const shown = new Set(recordsOf(await status.get('/weights', { key: INSIDER })).map(({ name }) => name));
  return names.filter((name) => !shown.has(name)).length;
};

const outcome = (tally: Tally, hiddenWrites: number): Outcome => ({
  held: tally.admitted === 0 && tally.shown === 0 && hiddenWrites === 0,
  attempts: tally.requests,
  detail: `${tally.admitted} let in, ${tally.shown} lists with lost records, ${tally.withheld} answered 503; ${hiddenWrites} of 20 later writes hidden`,
});

/** A log with a tenant, its copy, and a future that the copy does not have. */
const loseTheFuture = async (
  deployment: Deployment,
  start: () => Promise<LogbookProcess>,
): Promise<Awaited<ReturnType<Deployment['backUpLog']>>> => {
  const first = await start();
  await untilReady(first.url);
  await registerTenant(statusClient(first.url), ADMIN, 'kept', ['admin']);
  await first.stop();
  const backup = await deployment.backUpLog();
  const second = await start();
  await untilReady(second.url);
  await registerTenant(statusClient(second.url), ADMIN, 'lost', ['admin']);
  for (let index = 0; index < 20; index += 1) await create(statusClient(second.url), `lost record ${index}`);
  await second.stop();
  return backup;
};

const restoreAtRest = (kind: string, open: () => Promise<Deployment>): Attack => ({
  name: `restored log, read models kept: ${kind}`,
  run: async (cleanup) => {
    const deployment = await open();
    cleanup.defer(() => deployment.dispose());
    const start = async (): Promise<LogbookProcess> => {
      const server = await startLogbook(deployment.environment);
      cleanup.defer(() => server.kill());
      return server;
    };
    const backup = await loseTheFuture(deployment, start);
    await deployment.restoreLog(backup);
    const { url } = await start();
    return outcome(await hammer(url), await hidden(url));
  },
});

const restoreUnderLoad: Attack = {
  name: 'restored log under a running server: Redis and the EventStoreDB client',
  run: async (cleanup) => {
    const deployment = await distributed();
    cleanup.defer(() => deployment.dispose());
    const server = await startLogbook(deployment.environment);
    cleanup.defer(() => server.kill());
    const { url } = server;
    await untilReady(url);
    const status = statusClient(url);
    await registerTenant(status, ADMIN, 'kept', ['admin']);
    const backup = await deployment.backUpLog();
    await registerTenant(status, ADMIN, 'lost', ['admin']);
    for (let index = 0; index < 20; index += 1) await create(status, `lost record ${index}`);
    await deployment.restoreLog(backup);
    // It was down until now. From the moment the server has seen what came back, nothing of the lost future may be shown.
    for (const deadline = Date.now() + 30_000; !server.lines.some((line) => line.includes('does not come from this log')); ) {
      if (Date.now() > deadline) return { held: false, attempts: 0, detail: 'the other log was not noticed within 30 seconds' };
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return outcome(await hammer(url), await hidden(url));
  },
};

export const attacks: readonly Attack[] = [
  restoreAtRest('embedded stores', embedded),
  restoreAtRest('Redis and the EventStoreDB client', distributed),
  restoreUnderLoad,
];
