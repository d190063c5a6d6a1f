import { operationsProfile } from '#test/bench/inputs/status-data.js';
import { install } from '#test/bench/installation.js';
import { httpLoad, type LoadRequest } from '#test/bench/load.js';
import { MIXED, mixedRequests, openMixedWorld } from '#test/bench/mixed-world.js';
import type { Scenario } from '#test/bench/scenario.js';
import { startReference } from '#test/bench/servers/reference.js';

/** The same bytes to bare routes: what is read as ready bytes, what is written as durable puts. */
const bare = (requests: readonly LoadRequest[], connection: number): readonly LoadRequest[] =>
  requests.map(({ method, path, body = '', vary }): LoadRequest => {
    const headers = { 'content-type': 'application/json' };
    const isRead = method === 'GET' || /:(pull|acknowledge)$/.test(path);
    if (isRead) return { method: 'GET', path: '/reference/1' };
    if (path.endsWith(':publish')) return { method: 'POST', path: '/reference/1', headers, body };
    return { method: 'PUT', path: `/reference/${connection}`, headers, body: vary?.().body ?? body };
  });

export const mixed: Scenario = {
  name: 'embedded: mixed load',
  reference: 'bare routes: ready bytes for reads, pulls and acknowledgements, durable puts for writes and messages',
  prepare: async (lab) => {
    const installation = await install(lab, 'embedded');
    const { server, world } = await openMixedWorld(installation);
    const { directory } = installation;
    const body = Buffer.from(JSON.stringify(operationsProfile('record 0'))).toString('base64');
    const reference = await startReference(
      lab,
      { kind: 'bytes', contentType: 'application/json', body },
      { kind: 'durable-put', directory },
      { kind: 'durable-messages', directory },
    );
    const requestsOf = (connection: number) => mixedRequests(world, MIXED, connection);
    return {
      logbook: httpLoad(server, lab.effort, requestsOf),
      reference: httpLoad(reference, lab.effort, (connection) => bare(requestsOf(connection), connection)),
    };
  },
};
