import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { LOG_STREAM } from '#domain/operations/log-events.js';
import type { Decider } from '#domain/shared/decider.js';
import { OpeningEventStore } from '#infra/stores/log-identity/opening-event-store.js';
import { confirmMasterKey } from '#infra/stores/secrets/key-events.js';
import { SubjectKeys } from '#infra/stores/secrets/subject-keys.js';
import { EMPTY, openRestorableLog, type RestorableLog } from '#test/support/event-stores/restorable-log.js';
import { contextAt, type GuestCommand, type GuestEvent, guestCodec, guestList, readAllOf } from '#test/support/projections/guest-list.js';
import { StreamProcessor } from './stream-processor.js';

const stream = 'test.guests-replaced';
const NOON = '2024-05-01T12:00:00.000Z';

const masterKey = randomBytes(32);
let log: RestorableLog;
beforeEach(async () => {
  log = await openRestorableLog('EventStoreDB');
});
afterEach(() => log.dispose());

describe('commands after EventStoreDB came back as another copy of the log', () => {
  let processor: StreamProcessor;
  beforeEach(async () => {
    processor = new StreamProcessor(log.store(), await guestCodec(log.store(), masterKey));
  });
  afterEach(() => processor.close());

  const send = (command: GuestCommand, key?: string, decider: Decider<unknown, GuestCommand, GuestEvent> = guestList as never) =>
    processor.execute({ stream, decider, command, context: contextAt(NOON, key === undefined ? undefined : { key, body: 'b' }) });
  const invite = (name: string, key?: string) => send({ type: 'Invite', name }, key);
  const names = async () => (await readAllOf(log.store(), stream)).map(({ data }) => data.name);

  it('are decided on the copy, although its stream is shorter', async () => {
    await invite('kept');
    const backup = await log.backup();
    for (const name of ['lost', 'lost, too']) await invite(name);
    await log.restore(backup);
    expect((await invite('lost')).events).toMatchObject([{ revision: 1n }]);
    await expect(invite('kept')).rejects.toMatchObject({ code: 'NAME_TAKEN' });
    expect((await send({ type: 'Leave', name: 'lost' })).events).toMatchObject([{ revision: 2n }]);
    await expect(send({ type: 'Leave', name: 'lost, too' })).rejects.toMatchObject({ code: 'NOT_INVITED' });
    expect(await names()).toEqual(['kept', 'lost', 'lost']);
  });

  it('are decided on the copy, although its stream has as many events', async () => {
    await invite('kept');
    const backup = await log.backup();
    await invite('lost');
    await log.restore(backup);
    const rival = new StreamProcessor(log.store(), await guestCodec(log.store(), masterKey));
    await rival.execute({ stream, decider: guestList, command: { type: 'Invite', name: 'rival' }, context: contextAt(NOON) });
    await expect(invite('rival')).rejects.toMatchObject({ code: 'NAME_TAKEN' });
    expect((await invite('lost')).events).toMatchObject([{ revision: 2n }]);
    expect(await names()).toEqual(['kept', 'rival', 'lost']);
    await rival.close();
  });

  it('are decided again if only the lost future had answered them', async () => {
    await invite('kept', 'first');
    const backup = await log.backup();
    expect(await invite('lost', 'second')).toMatchObject({ repeated: false });
    expect(await invite('lost', 'second')).toMatchObject({ repeated: true });
    await log.restore(backup);
    expect(await invite('lost', 'second')).toMatchObject({ repeated: false, events: [{ revision: 1n }] });
    expect(await invite('kept', 'first')).toMatchObject({ repeated: true, events: [{ revision: 0n }] });
    expect(await names()).toEqual(['kept', 'lost']);
  });

  it('forget what a decider with a window knew, too', async () => {
    const windowed: Decider<unknown, GuestCommand, GuestEvent> = {
      ...(guestList as Decider<unknown, GuestCommand, GuestEvent>),
      window: 1,
    };
    await send({ type: 'Count', times: 3 }, 'k', windowed);
    const backup = await log.backup();
    await send({ type: 'Count', times: 4 }, 'l', windowed);
    await log.restore(backup);
    const again = await send({ type: 'Count', times: 1 }, 'l', windowed);
    expect(again).toMatchObject({ repeated: false, events: [{ revision: 3n, data: { total: 4 } }] });
  });

  it('keep their answers over an outage after which the log is the same, without folding it again', async () => {
    await send({ type: 'Count', times: 10 });
    await log.restore(await log.backup());
    expect((await send({ type: 'Count', times: 1 })).events).toMatchObject([{ revision: 10n, data: { total: 11 } }]);
    expect(processor.metrics()).toMatchObject({ conflicts: 0 });
  });

  it('start an empty log if it was deleted', async () => {
    for (const name of ['a', 'b']) await invite(name);
    await log.restore(EMPTY);
    expect((await invite('b')).events).toMatchObject([{ revision: 0n }]);
    expect(await names()).toEqual(['b']);
  });
});

describe('keys of subjects after EventStoreDB came back as another copy of the log', () => {
  it('are those of the copy: nothing is sealed with a key that it does not have', async () => {
    const keys = await SubjectKeys.open({ store: log.store(), masterKey });
    const kept = await keys.obtain('kept');
    const backup = await log.backup();
    const lost = await keys.obtain('lost');
    await keys.destroy('kept');
    await log.restore(backup);
    await log.store().readStream('test.any-1', { limit: 1 }); // the outage is noticed
    const made = await keys.obtain('lost');
    expect(made.equals(lost)).toBe(false);
    expect(await keys.obtain('kept')).toEqual(kept);
    const fresh = await SubjectKeys.open({ store: log.store(), masterKey });
    expect(await fresh.find('lost')).toEqual(made);
  });
});

describe('the opening of the log', () => {
  it('comes before the first append, and before the first one after an outage', async () => {
    const store = new OpeningEventStore(log.store(), (inner) => confirmMasterKey(inner, masterKey));
    const processor = new StreamProcessor(store, await guestCodec(store, masterKey));
    const openings = async () => (await readAllOf(log.store(), LOG_STREAM)).map(({ type }) => type);
    const count = () => processor.execute({ stream, decider: guestList, command: { type: 'Count', times: 1 }, context: contextAt(NOON) });
    await Promise.all([count(), count()]);
    await count();
    expect(await openings()).toEqual(['InstallationFounded']);
    const backup = await log.backup();
    await count();
    await log.restore(backup);
    await count();
    await count();
    expect((await openings()).slice(0, 2)).toEqual(['InstallationFounded', 'LogOpened']);
    const [, opened] = await readAllOf(log.store(), LOG_STREAM);
    expect(opened?.position).toBeLessThan((await readAllOf(log.store(), stream)).at(-2)?.position ?? 0n);
    await processor.close();
  });

  it('fails, and nothing is written, if the log was sealed with another master key', async () => {
    const [ours, theirs] = [randomBytes(32), randomBytes(32)];
    const store = new OpeningEventStore(log.store(), (inner) => confirmMasterKey(inner, ours));
    await store.open();
    await log.restore(EMPTY);
    await confirmMasterKey(log.store(), theirs);
    const processor = new StreamProcessor(store, await guestCodec(log.store(), theirs));
    await expect(
      processor.execute({ stream, decider: guestList, command: { type: 'Count', times: 1 }, context: contextAt(NOON) }),
    ).rejects.toMatchObject({ name: 'EventStoreUnavailable', cause: { name: 'WrongMasterKey' } });
    expect(await readAllOf(log.store(), stream)).toEqual([]);
    await processor.close();
  });
});
