import type { Attack, Outcome } from '#test/attack/attack.js';
import type { Cleanup } from '#test/support/cleanup.js';
import { ADMIN, embedded } from '#test/support/deployments.js';
import { longestPause, neighbourOf } from '#test/support/neighbours/event-loop-probe.js';
import { startLogbook } from '#test/support/processes/logbook-process.js';
import { type Answer, type HttpClient, httpClient, idOf, registerTenant, statusClient } from '#test/support/status-client.js';

type Scene = Readonly<{ root: HttpClient; attacker: HttpClient; key: string; neighbour: () => Promise<Answer> }>;

/** A server with two tenants: one attacks, the other lists its reports. */
const open = async (cleanup: Cleanup): Promise<Scene> => {
  const deployment = await embedded();
  cleanup.defer(() => deployment.dispose());
  const server = await startLogbook(deployment.environment);
  cleanup.defer(() => server.stop());
  const status = statusClient(server.url);
  for (const name of ['attacker', 'neighbour']) await registerTenant(status, ADMIN, name, ['admin']);
  const neighbour = () => status.get('/reports', { key: 'neighbour-admin' });
  return { root: httpClient(server.url), attacker: status, key: 'attacker-admin', neighbour };
};

/** What came of calls: how long others waited meanwhile is told, and that they are served afterwards. */
const outcomeOf = async (
  { root, neighbour }: Scene,
  attempts: number,
  work: () => Promise<Readonly<{ held: boolean; detail: string }>>,
): Promise<Outcome> => {
  await longestPause(root);
  const working = work();
  const waited = await neighbourOf(root, working);
  const { held, detail } = await working;
  const after = await neighbour();
  const ready = await root.get('/health/ready');
  const pause = Math.round(await longestPause(root));
  const serving = after.status === 200 && ready.status === 200;
  return {
    held: held && serving,
    attempts,
    detail: `${detail}; neighbours waited ${Math.round(waited.longest)} ms at most, longest pause ${pause} ms${serving ? '' : ', then were not served'}`,
  };
};

const refused = (answer: Answer): boolean => answer.status === 400 || answer.status === 422;
const megabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;

/** Objects in each other with an array of elements at their bottom. */
const deep = (levels: number, elements: number): string =>
  `${'{"group":'.repeat(levels)}{"x":[${'1,'.repeat(elements)}1]}${'}'.repeat(levels)}`;

const report = (name: string, schema: string): string => `{"info":{"name":"${name}"},"topology_schema":${schema}}`;

const deepReport: Attack = {
  name: 'status: a report whose schema has 1,000 levels and 600,000 elements',
  run: async (cleanup) => {
    const scene = await open(cleanup);
    return outcomeOf(scene, 2, async () => {
      const body = report('deep', deep(990, 600_000));
      const answer = await scene.attacker.post('/reports', { key: scene.key, body });
      const id = idOf(await scene.attacker.post('/reports', { key: scene.key, body: report('plain', '{}') }));
      const revision = await scene.attacker.put(`/reports/${id}`, { key: scene.key, body });
      return {
        held: refused(answer) && refused(revision),
        detail: `${megabytes(body.length)} refused with ${answer.status}, ${revision.status}`,
      };
    });
  },
};

const largeLists: Attack = {
  name: 'status: lists of reports with schemas that are laid out wide',
  run: async (cleanup) => {
    const scene = await open(cleanup);
    return outcomeOf(scene, 308, async () => {
      const post = (name: string, schema: string) => scene.attacker.post('/reports', { key: scene.key, body: report(name, schema) });
      let taken = 0;
      for (let index = 0; index < 8; index++) if (!refused(await post(`eight ${index}`, deep(900, 90_000)))) taken += 1;
      for (let index = 0; index < 300; index++) if (!refused(await post(`widest ${index}`, deep(29, 1_600)))) taken += 1;
      const list = await scene.attacker.get('/reports', { key: scene.key });
      return { held: taken === 300 && list.text.length < 64 * 2 ** 20, detail: `${taken} taken, a list of ${megabytes(list.text.length)}` };
    });
  },
};

const emptyItems = (count: number, item = '{}'): string => `[${`${item},`.repeat(count - 1)}${item}]`;

const dayLists: Attack = {
  name: 'status: day lists of empty items, filtered and multiplied by a report',
  run: async (cleanup) => {
    const scene = await open(cleanup);
    const { attacker, key } = scene;
    return outcomeOf(scene, 8, async () => {
      const post = (path: string, body: string) => attacker.post(`/topology/${path}`, { key, body });
      const many = await post('endpoints', emptyItems(1_400_000));
      const most = await post('endpoints', emptyItems(200_000));
      const filtered = await attacker.get('/topology/endpoints?hostname=*&group=~x', { key });
      const patterns = await attacker.get(`/topology/endpoints?${'hostname=*a*&'.repeat(500)}`, { key });
      const groups = await post('groups', emptyItems(200_000, '{"subgroup":""}'));
      await attacker.post('/reports', { key, body: report('all', '{}') });
      const product = await attacker.get('/topology/endpoints/by_report/all', { key });
      await attacker.put('/feeds/data', { key, body: { tenants: Array.from({ length: 100 }, () => 'attacker') } });
      const combined = await attacker.get('/topology/endpoints?mode=combined', { key });
      const held = refused(many) && most.status === 201 && groups.status === 201 && refused(patterns) && refused(product);
      const detail = `refused 1,400,000 items, 500 patterns, 40,000,000,000 items of a report; a filtered list of ${megabytes(filtered.text.length)}, one named 100 times ${megabytes(combined.text.length)}`;
      return { held: held && combined.text.length < 64 * 2 ** 20, detail };
    });
  },
};

const longRecords: Attack = {
  name: 'status: records, feeds, requests and status that grow when they are laid out',
  run: async (cleanup) => {
    const scene = await open(cleanup);
    const { attacker, key } = scene;
    const many = (text: string, count: number): string => `[${`${text},`.repeat(count - 1)}${text}]`;
    const attempts: readonly (readonly [method: string, path: string, body: string])[] = [
      ['POST', '/weights', `{"groups":${many('{}', 240_000)}}`],
      ['POST', '/metric_profiles', `{"services":[{"metrics":${many('"<<<<<<<<"', 240_000)}}]}`],
      ['POST', '/operations_profiles', `{"available_states":${many('"a"', 200_000)}}`],
      ['POST', '/operations_profiles', `{"available_states":["${'S'.repeat(400_000)}","b"],"operations":${many('{}', 60_000)}}`],
      ['POST', '/thresholds_profiles', `{"rules":${many('{"thresholds":"a1=1;;;;;;;;x"}', 100_000)}}`],
      ['POST', '/aggregation_profiles', `{"groups":${many('{"services":[{}]}', 80_000)}}`],
      ['POST', '/reports', `{"filter_tags":${many('{}', 10_000)}}`],
      ['POST', '/reports', `{"profiles":${many('{"type":"metric","id":"x"}', 5_000)}}`],
      ['POST', '/reports', `{"filter_tags":[{"context":"argo.group.filter.tags.array","name":"a","value":"${'a,'.repeat(60_000)}"}]}`],
      ['POST', '/recomputations', `{"exclude":${many('"a"', 200_000)}}`],
      ['PUT', '/feeds/topology', `{"fetch_type":${many('"a"', 40_000)}}`],
      ['PUT', '/feeds/data', `{"tenants":${many('"attacker"', 40_000)}}`],
      ['POST', '/downtimes', `{"endpoints":[{"description":"${'<'.repeat(60_000)}"}]}`],
      ['POST', '/topology/service-types', `[{"name":"n","tags":${many('"a"', 60_000)}}]`],
    ];
    return outcomeOf(scene, attempts.length, async () => {
      const wrong: string[] = [];
      let longest = 0;
      for (const [method, path, body] of attempts) {
        const answer = await attacker.call(method, path, { key, body });
        if (!refused(answer)) wrong.push(`${method} ${path}: ${answer.status}`);
        longest = Math.max(longest, answer.text.length);
      }
      return {
        held: wrong.length === 0 && longest < 16 * 2 ** 20,
        detail: wrong.join(', ') || `all refused, answers of ${megabytes(longest)} at most`,
      };
    });
  },
};

const longDay: Attack = {
  name: 'status: a day with 256,000 metric results of one host',
  run: async (cleanup) => {
    const scene = await open(cleanup);
    const { attacker, key } = scene;
    return outcomeOf(scene, 13, async () => {
      const line = (index: number): string => {
        const time = new Date(index * 300).toISOString().slice(11, 19);
        return `{"timestamp":"2024-05-01T${time}Z","report":"r","service":"s${index % 3}","host":"h","metric":"m${index % 50}","status":"OK"}`;
      };
      let taken = 0;
      for (let call = 0; call < 8; call++) {
        const body = Array.from({ length: 32_000 }, (_, index) => line(call * 32_000 + index)).join('\n');
        const answer = await attacker.post('/metric_data', { key, body, headers: { 'content-type': 'application/x-ndjson' } });
        if (answer.status === 201) taken += 32_000;
      }
      const exec = 'exec_time=2024-05-01T00:00:00Z';
      const whole = await attacker.get(`/metric_result/h?${exec}`, { key });
      const part = await attacker.get(`/metric_result/h?${exec}&service=s1`, { key });
      return {
        held: taken === 256_000 && refused(whole) && part.status === 200,
        detail: `taken; the whole day refused with ${whole.status}, a service in ${megabytes(part.text.length)}`,
      };
    });
  },
};

export const attacks: readonly Attack[] = [deepReport, largeLists, dayLists, longRecords, longDay];
