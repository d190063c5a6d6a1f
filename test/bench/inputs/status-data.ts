import { hash, randomUUID } from 'node:crypto';
import type { Runtime } from '#api/runtime/runtime.js';
import type { ExpectedRevision } from '#domain/shared/event-store.js';
import type { JsonObject, NewEvent } from '#domain/shared/events.js';
import type { Day } from '#domain/shared/time.js';
import { type AnyDated, streamOfDated } from '#domain/status/dated-records/dated-records.js';
import type { OperationsProfile } from '#domain/status/dated-records/operations-profiles.js';
import type { Weights } from '#domain/status/dated-records/weights.js';
import { tenants } from '#domain/status/tenants/tenant-rules.js';
import { TENANTS_STREAM } from '#domain/status/tenants/tenants.js';
import { CONNECTIONS } from '#test/bench/load.js';

/** A tenant with one user who may do everything; `headers` are those of that user's calls. */
export type BenchTenant = Readonly<{ id: string; headers: Readonly<Record<string, string>> }>;

/** A version of a record of a tenant. `data` is the record without id and date. */
export type Snapshot = Readonly<{ id: string; date: Day; record: JsonObject }>;

const FIRST_DAY = Date.UTC(1800, 0, 1);
const DAY_MS = 86_400_000;
/** Events in one append. */
const BATCH = 500;

/** Day number 0 is 1800-01-01. */
export const dayAt = (number: number): Day => new Date(FIRST_DAY + number * DAY_MS).toISOString().slice(0, 10);

/**
 * Days after `from` that no other connection and no other slice has. Answers that were given lately come from the server's memory; it does
 * not hold 64 times so many lists of ten, or 64 times twice so many operations profiles, so these have to be made anew.
 */
export const freshDays = (from: number, connection: number, slice: number, days = 200): readonly Day[] =>
  Array.from({ length: days }, (_, day) => dayAt(from + (slice * CONNECTIONS + connection) * days + day));

const STATES = ['OK', 'WARNING', 'CRITICAL'] as const;
const PAIRS = STATES.flatMap((a, i) => STATES.slice(i).map((b) => ({ a, b })));

/** About 1.5 kB on the wire. */
export const operationsProfile = (name: string): OperationsProfile => ({
  name,
  available_states: STATES,
  defaults: { down: 'CRITICAL', missing: 'CRITICAL', unknown: 'WARNING' },
  operations: [
    { name: 'AND', truth_table: PAIRS.map(({ a, b }) => ({ a, b, x: b })) },
    { name: 'OR', truth_table: PAIRS.map(({ a, b }) => ({ a, b, x: a })) },
  ],
});

/** With 6 groups about 0.5 kB on the wire. */
export const weightsOf = (name: string, groups = 6): Weights => ({
  name,
  weight_type: 'hepspec',
  group_type: 'SITES',
  groups: Array.from({ length: groups }, (_, index) => ({ name: `SITE-${index}`, value: 1_000 + index * 7.5 })),
});

const context = () => {
  const id = randomUUID();
  return {
    actor: { kind: 'user', id: 'bench' },
    service: 'status',
    requestId: id,
    correlationId: id,
    causationId: id,
    time: new Date().toISOString(),
  } as const;
};

/** Registers a tenant by the command that HTTP uses, because parts of its events are sealed. */
export const addTenant = async ({ processor }: Runtime): Promise<BenchTenant> => {
  const id = randomUUID();
  const apiKey = `bench-${id}`;
  const user = { userId: randomUUID(), name: 'bench', email: '', apiKey, apiKeyHash: hash('sha256', apiKey), roles: ['admin'] };
  const info = { name: id, email: '', description: '', image: '', website: '' };
  const command = { type: 'RegisterTenant', tenantId: id, info, databases: [], topology: { type: '', feed: '' }, users: [user] } as const;
  await processor.execute({ stream: TENANTS_STREAM, decider: tenants, command, context: context() });
  return { id, headers: { 'x-api-key': apiKey, accept: 'application/json' } };
};

/** Appends versions straight to the log, the first ones of a tenant's records of that kind; each must be of another record or day. */
export const appendSnapshots = async (
  { eventStore }: Runtime,
  resource: AnyDated,
  tenant: BenchTenant,
  snapshots: readonly Snapshot[],
): Promise<void> => {
  const stream = streamOfDated(resource, tenant.id);
  const known = new Set<string>();
  const events = snapshots.map(({ id, date, record }): NewEvent => {
    const change = known.has(id) ? 'added' : 'created';
    known.add(id);
    return {
      id: randomUUID(),
      type: resource.events.dated,
      data: { id, date, change, record },
      metadata: { ...context(), schemaVersion: 1 },
    };
  });
  let expected: ExpectedRevision = 'no-stream';
  for (let start = 0; start < events.length; start += BATCH) {
    ({ revision: expected } = await eventStore.append(stream, events.slice(start, start + BATCH), expected));
  }
};

/** `records` records with `versions` versions each, on the days from number 0 on. */
export const snapshotsOf = (record: (name: string) => JsonObject, records: number, versions: number): readonly Snapshot[] =>
  Array.from({ length: records }, (_, index) => {
    const id = randomUUID();
    const made = record(`record ${index}`);
    return Array.from({ length: versions }, (_, day): Snapshot => ({ id, date: dayAt(day), record: made }));
  }).flat();
