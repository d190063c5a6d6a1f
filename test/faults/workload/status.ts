import type { Told } from '#test/faults/history.js';
import { type Client, type Task } from './client.js';
import { contendedName, idIn, Pool } from './pool.js';

/** Dated weights of one tenant: names that are wanted by several, values by day, removals. */

type Weights = Readonly<{ id: string; name: string; date: string; groups: readonly Readonly<{ value: number }>[] }>;

export const TENANT = 'faults';
export const TENANT_KEY = 'faults-admin';
export const WEIGHTS = 'weights';
export const HEADERS = { 'x-api-key': TENANT_KEY, accept: 'application/json' };
const FIRST_DAY = '2000-01-01';
/** Few, so that clients meet on them. */
export const DAYS: readonly string[] = Array.from({ length: 20 }, (_, index) => `2001-01-${String(index + 1).padStart(2, '0')}`);

const known = new WeakMap<object, Pool>();
const poolOf = (owner: object): Pool => {
  const pool = known.get(owner) ?? new Pool(8);
  known.set(owner, pool);
  return pool;
};

const bodyOf = (name: string, value: number) => ({
  name,
  weight_type: 'hepspec',
  group_type: 'SITES',
  groups: [{ name: 'S', value }],
});
const dataOf = (json: unknown): unknown => (json as { data: unknown }).data;
const weightsIn = (json: unknown): readonly Weights[] => dataOf(json) as readonly Weights[];
const registerOf = (record: string, day: string): string => `${record} on ${day}`;
const shown = (record: Weights | undefined, day: string): string | null => (record?.date === day ? `${record.groups[0]?.value}` : null);

const create = (name: string): Task => ({
  operation: { kind: 'create', scope: WEIGHTS, name, refersTo: [] },
  request: { method: 'POST', path: `/api/v2/weights?date=${FIRST_DAY}`, headers: HEADERS, body: bodyOf(name, 0) },
  read: (json) => ({ record: `weights:${(dataOf(json) as { id: string }).id}` }),
});

const revise = (record: string, name: string, day: string, value: number): Task => ({
  operation: { kind: 'set', register: registerOf(record, day), value: `${value}`, record },
  request: { method: 'PUT', path: `/api/v2/weights/${idIn(record)}?date=${day}`, headers: HEADERS, body: bodyOf(name, value) },
});

const get = (record: string, day: string): Task => ({
  operation: { kind: 'get', register: registerOf(record, day), record },
  request: { method: 'GET', path: `/api/v2/weights/${idIn(record)}?date=${day}`, headers: HEADERS },
  read: (json) => ({ value: shown(weightsIn(json)[0], day) }),
});

const look = (record: string): Task => ({
  operation: { kind: 'look', record },
  request: { method: 'GET', path: `/api/v2/weights/${idIn(record)}`, headers: HEADERS },
});

const remove = (record: string): Task => ({
  operation: { kind: 'remove', record },
  request: { method: 'DELETE', path: `/api/v2/weights/${idIn(record)}`, headers: HEADERS },
});

const entriesIn = (json: unknown): Told => ({
  entries: weightsIn(json).map(({ id, name }) => ({ record: `weights:${id}`, name })),
});

/** The list of now. */
export const listWeights: Task = {
  operation: { kind: 'list', scope: WEIGHTS },
  request: { method: 'GET', path: '/api/v2/weights', headers: HEADERS },
  read: entriesIn,
};

/** What the list of a day says about the values of that day, as reads of each of them. */
export const listOfDay = (day: string) => ({
  request: { method: 'GET', path: `/api/v2/weights?date=${day}`, headers: HEADERS } as const,
  valuesIn: (json: unknown): ReadonlyMap<string, string | null> =>
    new Map(weightsIn(json).map((record) => [registerOf(`weights:${record.id}`, day), shown(record, day)])),
});

/** The next thing that a client of the status service does. */
export const statusStep = async (client: Client): Promise<void> => {
  const { random, recorder } = client;
  const pool = poolOf(recorder);
  const names = namesOf(recorder);
  const record = pool.pick(random);
  if (!record || random.chance(0.12)) {
    const name = random.chance(0.6) ? contendedName('wanted', 700) : `own-${recorder.number()}`;
    const task = create(name);
    const { told } = random.chance(0.75) ? await client.keyed(task) : await client.once(task);
    if (!told.record) return;
    names.set(told.record, name);
    pool.add(told.record);
    if (random.chance(0.5)) await client.once(look(told.record));
    return;
  }
  const day = random.pick(DAYS);
  await random.weighted<() => Promise<unknown>>([
    [
      8,
      async () => {
        await client.once(revise(record, names.get(record) ?? '', day, recorder.number()));
        await client.once(get(record, day));
      },
    ],
    [6, () => client.once(get(record, day))],
    [3, () => client.once(look(record))],
    [1, () => client.once(listWeights)],
    [
      1,
      async () => {
        const { outcome } = await client.once(remove(record));
        if (outcome === 'done' || outcome === 'absent') pool.drop(record);
        await client.once(look(record));
      },
    ],
  ])();
};

const namesByOwner = new WeakMap<object, Map<string, string>>();
const namesOf = (owner: object): Map<string, string> => {
  const names = namesByOwner.get(owner) ?? new Map<string, string>();
  namesByOwner.set(owner, names);
  return names;
};
