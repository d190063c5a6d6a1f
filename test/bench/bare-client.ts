import { randomUUID } from 'node:crypto';
import { EventStoreDBClient, FORWARDS, jsonEvent, START } from '@eventstore/db-client';
import { CONNECTIONS } from './load.js';
import { loop, pass } from './loops.js';
import type { Lab, Side } from './scenario.js';

/** The official client, without anything of Logbook, on the server that Logbook uses. */
const open = ({ cleanup }: Lab, eventStoreUrl: string): EventStoreDBClient => {
  const client = EventStoreDBClient.connectionString(eventStoreUrl);
  cleanup.defer(() => client.dispose());
  return client;
};

const bareStream = (): string => `bare-${randomUUID()}`;

type BareEvent = Readonly<{ type: string; data: Readonly<Record<string, unknown>> }>;

const METADATA = { padding: 'x'.repeat(300) };

const eventsOf = ({ type, data }: BareEvent, count: number) =>
  Array.from({ length: count }, () => jsonEvent({ type, data, metadata: METADATA }));

/** 64 appends in flight of so many events, each to a stream of its own or all to as few as named. */
export const bareAppends = (lab: Lab, eventStoreUrl: string, event: BareEvent, count = 1, streams = CONNECTIONS): Side => {
  const client = open(lab, eventStoreUrl);
  const names = Array.from({ length: streams }, bareStream);
  return loop(lab.effort, CONNECTIONS, (number) => client.appendToStream(names[number % streams] ?? '', eventsOf(event, count)));
};

/** 64 reads in flight of a stream with so many events. */
export const bareReads = async (lab: Lab, eventStoreUrl: string, event: BareEvent, count: number): Promise<Side> => {
  const client = open(lab, eventStoreUrl);
  const stream = bareStream();
  await client.appendToStream(stream, eventsOf(event, count));
  return loop(lab.effort, CONNECTIONS, async () => {
    let read = 0;
    for await (const { event: found } of client.readStream(stream, { direction: FORWARDS, fromRevision: START, maxCount: count }))
      if (found) read++;
    if (read !== count) throw new Error(`${read} events instead of ${count}`);
  });
};

/** Reads the whole log up to so many events. */
export const bareReadAll = (lab: Lab, eventStoreUrl: string, count: number): Side => {
  const client = open(lab, eventStoreUrl);
  return pass(async () => {
    let read = 0;
    for await (const { event: found } of client.readAll({ maxCount: count })) if (found) read++;
    return read;
  });
};
