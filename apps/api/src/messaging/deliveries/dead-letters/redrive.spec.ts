import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { AcknowledgeMessages } from '#api/messaging/cursors/commands.js';
import { PullMessages } from '#api/messaging/cursors/pull-messages.js';
import type { CommandGateway } from '#api/shared/commands/command-gateway.js';
import { handles } from '#api/shared/commands/handlers.js';
import type { StoredMessage } from '#api/shared/messaging-client.js';
import type { Delivery } from '#domain/messaging/deliveries/held-delivery.js';
import { resourcesStream } from '#domain/messaging/resources/resources.js';
import type { Cause } from '#domain/shared/causation.js';
import { DomainError } from '#domain/shared/decider.js';
import type { ReadStreamOptions } from '#domain/shared/event-store.js';
import type { RecordedEvent } from '#domain/shared/events.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { busOver } from '#test/support/command-bus.js';
import { messageSample, noDeliveries, SOME_CONTEXT, subscriptionSample } from '#test/support/messaging/delivery-samples.js';
import { HeldMessages } from '../held-messages.js';
import type { PullDeliveries } from '../pull-deliveries.js';
import { ServedSubscription } from '../served-subscription.js';
import type { DeadLetter } from './dead-letter-log.js';
import { Redrive } from './redrive.js';

const project = { projectId: 'p', name: 'p' };
const found = subscriptionSample({ subscriptionId: 'lost' }, { topic: 'lost' });
/** The project was renamed between the two. */
const letters = ['earlier', 'p'].map((name, offset) =>
  messageSample(offset, { attributes: { 'logbook-source-subscription': `projects/${name}/subscriptions/source` } }),
);
const LOST = { name: 'lost', topicId: 'lost', createdOn: '', order: '0', schemaId: null };
const ALL = [
  { offset: 0, attempt: 1 },
  { offset: 1, attempt: 1 },
];

const opened: ServedSubscription[] = [];
afterEach(() => Promise.all(opened.splice(0).map((served) => served.stop())));

/** The subscription of two leased dead letters. The leases of those in `late` are over. */
const serving = (late: readonly Delivery[]): ServedSubscription => {
  const record = async () => ({ before: null, shown: Promise.resolve(true) });
  const gateway = { record, now: () => '', ownContext: () => SOME_CONTEXT };
  const others = { arrivals: { wait: async () => undefined }, held: new HeldMessages(() => undefined), log: { warn: () => undefined } };
  const dependencies = { gateway, ...others, sendToDeadLetter: async () => 'topic gone' as const };
  const served = new ServedSubscription({ subscription: found.ref, server: 'here' }, noDeliveries(), {}, dependencies);
  opened.push(served);
  served.leases.comeUp(ALL, 2);
  served.leases.lease(2, performance.now(), 60_000);
  served.takeBack(late);
  return served;
};

/**
 * Two dead letters; sending the one at index `failsAt` fails, those in `stored` were published before. `late`: deliveries whose lease is over when they are
 * acknowledged. `refused`: code of the error of acknowledgements. `createdAt`: position of the subscription that they name; theirs are 10 and 11.
 */
const laboratory = async ({
  failsAt = -1,
  late = [] as readonly Delivery[],
  redriven = [] as number[],
  stored = [] as string[],
  refused = '',
  createdAt = 9n,
  createdOn = '2025-12-31T12:00:00Z',
} = {}) => {
  const recorded: (readonly number[])[] = [];
  const leases: (number | undefined)[] = [];
  const deadlines: number[] = [];
  let pages = [letters];
  const source = { page: async () => pages.shift() ?? [] };
  const bus = await busOver(
    handles(PullMessages<StoredMessage>, [], async () => ({ messages: await source.page(), readable: true, seeks: 0 })),
    handles(AcknowledgeMessages, [], async ({ data }) => {
      if (refused !== '') throw new DomainError(refused);
      deadlines.push(data.ackDeadlineSeconds);
      return { events: [], readable: true };
    }),
  );
  const sample = { name: 'source', createdOn: '', order: '0', topicId: 'source' };
  const options = { deadLetterPolicy: { topic: 'lost', maxDeliveryAttempts: 5 } };
  const resources = {
    subscription: async () => subscriptionSample({}, { topic: 'source', options, createdOn, order: 'ff' }).subscription,
    topic: async () => ({ ...sample, schemaId: null }),
    redriven: async () => redriven,
  };
  let sent = 0;
  const causes: Cause[] = [];
  const publishing = {
    isLetter: async () => true,
    publish: async (_project: string, _topic: object, _message: object, identity: readonly string[], cause: Cause) => {
      if (sent++ === failsAt) throw new Error('the store is gone');
      causes.push(cause);
      return { isNew: !stored.includes(identity.join(' ')), letter: cause };
    },
  };
  const pull: PullDeliveries['pull'] = async (_served, _found, { source, shortestLeaseMs }) => {
    leases.push(shortestLeaseMs);
    return ((await source.page('t', 0, 2, 1_000)) ?? []).map((message) => ({ message, attempt: 1, seeks: 0 }));
  };
  const execute: CommandGateway['execute'] = async ({ command }) => {
    recorded.push((command as unknown as { offsets: readonly number[] }).offsets);
    return { events: [], readable: true, repeated: false };
  };
  const readStream = async (stream: string, { from }: ReadStreamOptions) => {
    const position = stream === resourcesStream('p') && from === 0xffn ? createdAt : 10n + (from ?? 0n);
    return [{ revision: from, position }] as RecordedEvent[];
  };
  const served = serving(late);
  const takenBack = jest.spyOn(served, 'takeBack');
  const acknowledged = jest.spyOn(served, 'acknowledge');
  const redrive = new Redrive(bus, { execute }, resources, publishing, { pull }, { stored: () => source }, { readStream });
  const repeat = () => {
    pages = [letters, letters, letters];
  };
  return {
    ...{ leases, deadlines, takenBack, acknowledged, repeat, recorded, causes, sent: () => sent },
    shared: (context: CommandContext = SOME_CONTEXT) => redrive.shared(served, found, 1_000, context),
    inOrder: (context: CommandContext = SOME_CONTEXT) => redrive.inOrder(found, 1_000, context),
    letters: (some: Iterable<DeadLetter>, context: CommandContext = SOME_CONTEXT) => redrive.letters(project, LOST, some, context),
  };
};

describe('Dead letters that are sent back', () => {
  it('are leased for as long as that may take, whatever the deadline of their consumers', async () => {
    const { shared, leases } = await laboratory();
    expect(await shared()).toEqual({ redriven: 2, readable: true });
    expect(Math.min(...leases.map((lease) => lease ?? 0))).toBeGreaterThanOrEqual(60_000);
  });

  it('belong to the conversation of the call, which is their cause', async () => {
    const context = { ...SOME_CONTEXT, requestId: 'r', causationId: 'r', correlationId: 'c' };
    const labs = [await laboratory(), await laboratory(), await laboratory()] as const;
    await labs[0].shared(context);
    await labs[1].inOrder(context);
    await labs[2].letters([{ message: letters[0] as StoredMessage, from: 'source', reason: '', attempts: 1 }], context);
    for (const { causes } of labs)
      expect(new Set(causes.map((cause) => JSON.stringify(cause)))).toEqual(new Set(['{"id":"r","correlationId":"c"}']));
  });

  it('are acknowledged without the key of the call: it would cover the first hundred only', async () => {
    const { shared, acknowledged } = await laboratory();
    await shared({ ...SOME_CONTEXT, idempotency: { key: 'k', body: 'b' } });
    expect(acknowledged.mock.calls.map(([, context]) => context.idempotency)).toEqual([undefined]);
  });

  it('count when they are acknowledged; where none can be, the call ends', async () => {
    expect(await (await laboratory({ late: ALL.slice(1) })).shared()).toMatchObject({ redriven: 1 });
    const { shared, repeat, leases } = await laboratory({ late: ALL });
    repeat();
    expect(await shared()).toMatchObject({ redriven: 0 });
    expect(leases).toHaveLength(1);
  });

  it('are given back where sending fails', async () => {
    const { shared, takenBack } = await laboratory({ failsAt: 1 });
    await expect(shared()).rejects.toThrow('the store is gone');
    expect(takenBack.mock.calls).toEqual([[ALL]]);
  });

  it('are acknowledged with a cursor, however long the sending took', async () => {
    const { inOrder, deadlines } = await laboratory();
    expect(await inOrder()).toEqual({ redriven: 2, readable: true });
    expect(deadlines).toEqual([600]);
  });

  it('are recorded as redriven, and acknowledged but not sent if they were redriven before', async () => {
    for (const mode of ['shared', 'inOrder'] as const) {
      const all = await laboratory();
      await all[mode]();
      expect(all.recorded).toEqual([[0, 1]]);
      const rest = await laboratory({ redriven: [0, 1] });
      expect(await rest[mode]()).toEqual({ redriven: 1, readable: true });
      expect([rest.recorded, rest.sent()]).toEqual([[[1]], 1]);
    }
  });

  it.each(['shared', 'inOrder'] as const)(
    'of a call that another one is ahead of are recorded and acknowledged, but not counted: %s',
    async (mode) => {
      const all = await laboratory({ stored: [`redriven ${found.ref.topicId} 0`] });
      expect(await all[mode]()).toEqual({ redriven: 1, readable: true });
      expect(all.recorded).toEqual([[0, 1]]);
    },
  );

  it.each(['NO_ACK_PENDING', 'WRONG_ACK', 'ACK_TIMEOUT', 'TOPIC_REPLACED'])(
    'count where another caller moves the cursor meanwhile: %s',
    async (code) => {
      const { inOrder, recorded } = await laboratory({ refused: code });
      expect(await inOrder()).toEqual({ redriven: 2, readable: true });
      expect(recorded).toEqual([[0, 1]]);
    },
  );

  const some = letters.map((message): DeadLetter => ({ message, from: 'source', reason: '', attempts: 5 }));

  it('count for the call that sent them, and are recorded by each that tried', async () => {
    const { letters: send, recorded } = await laboratory({ stored: ['redriven lost 0'] });
    expect(await send([...some, { ...some[0], from: null } as DeadLetter])).toEqual({ redriven: 1, kept: 1, readable: true });
    expect(recorded).toEqual([[0, 1]]);
  });

  it('stay if the subscription was created anew after them: its topic may be another one', async () => {
    const anew = () => laboratory({ createdAt: 12n });
    const labs = [await anew(), await anew(), await anew()] as const;
    expect(await labs[0].shared()).toMatchObject({ redriven: 0 });
    expect(await labs[1].inOrder()).toMatchObject({ redriven: 0 });
    expect(await labs[2].letters(some)).toMatchObject({ redriven: 0, kept: 2 });
    expect(labs.map(({ sent }) => sent())).toEqual([0, 0, 0]);
  });

  it('are sent by their order in the log, if the clock of the node that created their subscription was ahead', async () => {
    const { shared } = await laboratory({ createdOn: '2026-01-01T01:00:00Z' });
    expect(await shared()).toMatchObject({ redriven: 2 });
  });

  it('are recorded by the hundred: a process may end abruptly', async () => {
    const { letters: send, recorded } = await laboratory();
    const many = Array.from({ length: 250 }, (_, offset) => ({ ...some[0], message: { ...letters[0], offset } }) as DeadLetter);
    expect(await send(many)).toEqual({ redriven: 250, kept: 0, readable: true });
    expect(recorded.map(({ length }) => length)).toEqual([100, 100, 50]);
  });

  it('are recorded as far as they were sent, where a store fails or the call has lasted for five seconds', async () => {
    const failing = await laboratory({ failsAt: 1 });
    await expect(failing.letters(some)).rejects.toThrow('the store is gone');
    expect(failing.recorded).toEqual([[0]]);
    const slow = await laboratory();
    const begun = performance.now();
    const now = jest.spyOn(performance, 'now').mockReturnValue(begun);
    const slowly = function* () {
      yield* some.slice(0, 1);
      now.mockReturnValue(begun + 5_001);
      yield* some.slice(1);
    };
    expect(await slow.letters(slowly())).toEqual({ redriven: 1, kept: 0, readable: true, next: 1 });
    now.mockRestore();
    expect(slow.recorded).toEqual([[0]]);
  });
});
