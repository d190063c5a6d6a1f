import {
  ANY,
  EventStoreDBClient,
  jsonEvent,
  NO_STREAM,
  START,
  StreamNotFoundError,
  TimeoutError,
  UnavailableError,
} from '@eventstore/db-client';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type EventStoreDbTestServer, startEventStoreDb } from './server.js';
import { PATIENCE_MS } from './subscription.js';

/** A client that gives up on no call because the machine is busy. */
const PATIENT = '&defaultDeadline=60000&keepAliveInterval=60000&keepAliveTimeout=60000';
const ID = '9e8f2a4c-1b7d-4f7e-8a55-0c9d3f1e2b6a';
const event = (n: number, id?: string) => jsonEvent({ type: 'Counted', data: { n }, ...(id === undefined ? {} : { id }) });

const isPending = async (promise: Promise<unknown>, ms: number): Promise<boolean> => {
  const waited = Symbol('waited');
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<symbol>((resolve) => {
    timer = setTimeout(() => resolve(waited), ms);
  });
  const first = await Promise.race([promise.catch(() => undefined), timeout]);
  clearTimeout(timer);
  return first === waited;
};

describe('the EventStoreDB test server, through the real client', () => {
  const closing: (() => Promise<void>)[] = [];
  let server: EventStoreDbTestServer;

  const start = async (options?: Parameters<typeof startEventStoreDb>[0]): Promise<void> => {
    server = await startEventStoreDb(options);
    closing.push(() => server.stop());
  };
  const connect = (parameters = PATIENT): EventStoreDBClient => {
    const client = EventStoreDBClient.connectionString(`${server.connectionString}${parameters}`);
    closing.push(() => client.dispose());
    return client;
  };
  const numbers = async (client: EventStoreDBClient, stream: string): Promise<unknown[]> => {
    const found: unknown[] = [];
    for await (const { event: read } of client.readStream(stream)) found.push(read?.data);
    return found;
  };
  /** The same, once the stream is there. */
  const whenWritten = async (client: EventStoreDBClient, stream: string): Promise<unknown[]> => {
    for (;;) {
      try {
        return await numbers(client, stream);
      } catch (error) {
        if (!(error instanceof StreamNotFoundError)) throw error;
      }
    }
  };
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  it('keeps data over a restart, recognises repeats by exact expectation only, and refuses connections in between', async () => {
    await start();
    const client = connect();
    await client.appendToStream('kept', event(1, ID), { expectedRevision: NO_STREAM });
    await client.appendToStream('any', event(1, ID), { expectedRevision: ANY });
    await server.goDown();
    await expect(connect().appendToStream('kept', event(2))).rejects.toMatchObject({ code: 14 });
    await server.comeUp();
    const again = connect();
    const repeated = await again.appendToStream('kept', event(1, ID), { expectedRevision: NO_STREAM });
    expect(repeated.nextExpectedRevision).toBe(0n);
    await again.appendToStream('any', event(1, ID), { expectedRevision: ANY });
    expect(await numbers(again, 'kept')).toEqual([{ n: 1 }]);
    expect(await numbers(again, 'any')).toEqual([{ n: 1 }, { n: 1 }]);
  });

  it('ends open calls at a restart', async () => {
    await start();
    const subscription = connect().subscribeToAll({ fromPosition: START });
    const ended = (async () => {
      for await (const _ of subscription) await server.restart();
    })();
    await expect(ended).rejects.toBeInstanceOf(UnavailableError);
  });

  it('answers nothing while frozen, not even pings, and goes on after the thaw', async () => {
    await start();
    const [patient, impatient] = [connect(), connect('&keepAliveInterval=1000&keepAliveTimeout=1000')];
    await patient.appendToStream('s', event(1));
    expect(await numbers(impatient, 's')).toEqual([{ n: 1 }]);
    server.freeze();
    const frozen = patient.appendToStream('s', event(2));
    await expect(numbers(impatient, 's')).rejects.toBeInstanceOf(UnavailableError);
    expect(await isPending(frozen, 0)).toBe(true);
    server.thaw();
    expect((await frozen).nextExpectedRevision).toBe(1n);
  });

  it('writes at once what it answers late or never', async () => {
    await start();
    const [writer, reader] = [connect(), connect()];
    server.answerLate(2_000);
    const late = writer.appendToStream('late', event(1));
    expect(await whenWritten(reader, 'late')).toEqual([{ n: 1 }]);
    expect(await isPending(late, 0)).toBe(true);
    expect((await late).success).toBe(true);
    server.answerLate(0);

    server.loseAnswers(1, 'cut');
    await expect(writer.appendToStream('cut', event(2))).rejects.toBeInstanceOf(UnavailableError);
    expect(await numbers(reader, 'cut')).toEqual([{ n: 2 }]);

    // The first append of a connection may be sent after the second.
    await writer.appendToStream('warm', event(0));
    server.loseAnswers(1);
    const lost = writer.appendToStream('lost', event(3));
    const answered = await writer.appendToStream('answered', event(4));
    expect(answered.success).toBe(true);
    expect(await isPending(lost, 50)).toBe(true);
    expect(await numbers(reader, 'lost')).toEqual([{ n: 3 }]);
    lost.catch(() => {}); // ends when the client is disposed
  });

  it('ends subscriptions with a status when told to', async () => {
    await start();
    const subscription = connect().subscribeToAll({ fromPosition: 'end' });
    const failed = new Promise<Error>((resolve) => subscription.once('error', resolve));
    await new Promise<void>((resolve) => subscription.once('confirmation', resolve));
    server.dropSubscriptions();
    expect(await failed).toBeInstanceOf(TimeoutError);
  });

  it('ends the subscription of a consumer that stops reading, after what is in the buffers', async () => {
    await start();
    const [writer, reader] = [connect(), connect()];
    const subscription = reader.subscribeToAll({ fromPosition: 'end' });
    const failed = new Promise<Error>((resolve) => subscription.once('error', resolve));
    let seen = 0;
    subscription.on('data', () => seen++);
    await new Promise<void>((resolve) => subscription.once('confirmation', resolve));
    subscription.pause();
    const data = { text: 'x'.repeat(10_000) };
    for (let n = 0; n < 40; n++)
      await writer.appendToStream(
        's',
        Array.from({ length: 50 }, () => jsonEvent({ type: 'Big', data })),
      );
    expect(await isPending(failed, PATIENCE_MS + 1_000)).toBe(true);
    subscription.resume();
    expect(await failed).toBeInstanceOf(TimeoutError);
    expect(seen).toBeLessThan(2000);
  });

  it('does not drop a consumer that reads, whatever the size of the appends', async () => {
    await start();
    const [writer, reader] = [connect(), connect()];
    const subscription = reader.subscribeToAll({ fromPosition: 'end' });
    await new Promise<void>((resolve) => subscription.once('confirmation', resolve));
    let seen = 0;
    const following = (async () => {
      for await (const _ of subscription) if (++seen === 4500) break;
    })();
    const data = { text: 'x'.repeat(1000) };
    for (let n = 0; n < 5; n++)
      await writer.appendToStream(
        's',
        Array.from({ length: 900 }, () => jsonEvent({ type: 'Big', data })),
      );
    await following;
    expect(seen).toBe(4500);
  });
});
