import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AppendOutcomeUnknown } from '#domain/shared/event-store.js';
import { openEmbeddedEventStore } from '#infra/stores/event-store/embedded/embedded-event-store.js';
import { FaultyEventStore } from '#test/support/event-stores/faulty-event-store.js';
import { openTestLog, readAllOf, type TestLog } from '#test/support/projections/guest-list.js';
import { CredentialHashes } from './credential-hashes.js';
import { streamOfSubject, WrongMasterKey } from './key-events.js';
import { InvalidMasterKey, loadMasterKey } from './master-key.js';
import { SealBroken, seal, unseal } from './seal.js';
import { SubjectKeyDestroyed, SubjectKeys } from './subject-keys.js';

let directory: string;
let log: TestLog;
let store: FaultyEventStore;
const openKeys = (options: { masterKey?: Buffer; cacheMilliseconds?: number } = {}) =>
  SubjectKeys.open({ store, masterKey: log.masterKey, ...options });

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'logbook-secrets-'));
  log = await openTestLog();
  store = new FaultyEventStore(log.store);
});
afterEach(async () => {
  await log.close();
  await rm(directory, { recursive: true });
});

describe('the master key', () => {
  it('is created once, readable by its owner only, whoever starts first', async () => {
    const home = join(directory, 'new');
    const keys = await Promise.all(Array.from({ length: 8 }, () => loadMasterKey({ directory: home })));
    expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(1);
    expect(keys[0]).toHaveLength(32);
    expect(await readdir(home)).toEqual(['master.key']);
    expect((await stat(join(home, 'master.key'))).mode & 0o777).toBe(0o600);
    expect(await loadMasterKey({ directory: home, fromEnvironment: '' })).toEqual(keys[0]);
    expect(await loadMasterKey({ directory, fromEnvironment: await readFile(join(home, 'master.key'), 'utf8') })).toEqual(keys[0]);
  });

  it('may come from the environment, and then no file is created', async () => {
    const key = randomBytes(32);
    expect(await loadMasterKey({ directory, fromEnvironment: key.toString('base64') })).toEqual(key);
    expect(await readdir(directory)).toEqual([]);
  });

  it('is refused if it has another length, and never replaced', async () => {
    await expect(loadMasterKey({ directory, fromEnvironment: 'c2hvcnQ=' })).rejects.toThrow(InvalidMasterKey);
    await writeFile(join(directory, 'master.key'), '');
    await expect(loadMasterKey({ directory })).rejects.toThrow(InvalidMasterKey);
    expect(await readFile(join(directory, 'master.key'), 'utf8')).toBe('');
  });
});

it('a seal opens only with its key and in its place, and is never the same twice', () => {
  const key = randomBytes(32);
  const sealed = seal(key, 'Ada', 'here');
  expect(unseal(key, sealed, 'here').toString()).toBe('Ada');
  expect(seal(key, 'Ada', 'here')).not.toBe(sealed);
  const bytes = Buffer.from(sealed, 'base64url');
  const altered = bytes.map((byte, index) => (index === 13 ? byte ^ 1 : byte));
  for (const attempt of [
    () => unseal(key, sealed, 'there'),
    () => unseal(randomBytes(32), sealed, 'here'),
    () => unseal(key, Buffer.from(altered).toString('base64url'), 'here'),
    () => unseal(key, bytes.subarray(0, -1).toString('base64url'), 'here'),
    () => unseal(key, '', 'here'),
  ]) {
    expect(attempt).toThrow(SealBroken);
  }
});

describe('hashes of credentials', () => {
  const plain = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'; // SHA-256 of abc
  const hashes = new CredentialHashes(Buffer.alloc(32));

  it('are keyed, and the same for what earlier releases stored', () => {
    // HKDF-SHA256 and HMAC-SHA256, computed with Python's hmac module
    expect(hashes.of('abc')).toBe('hmac-f3d944123866ec2e8acc16f3ba60a283769481295e988754ac3879c22e035887');
    expect(hashes.keyed(plain)).toBe(hashes.of('abc'));
    expect(hashes.keyed(`${plain}.12`)).toBe(`${hashes.of('abc')}.12`);
    for (const other of ['', 'abc', hashes.of('abc'), `${plain}0`]) expect(hashes.keyed(other)).toBe(other);
  });

  it('depend on the master key', () => {
    expect(new CredentialHashes(Buffer.alloc(32, 1)).of('abc')).not.toBe(hashes.of('abc'));
  });
});

describe('subject keys', () => {
  const subject = 'user-1';

  it('are created on demand, one per subject, and kept wrapped in the log', async () => {
    const keys = await openKeys();
    expect(await keys.find(subject)).toBeNull();
    const [key, same] = await Promise.all([keys.obtain(subject), keys.obtain(subject)]);
    expect(key).toHaveLength(32);
    expect(same).toBe(key);
    expect(keys.cached(subject)).toBe(key);
    expect(await keys.obtain('user-2')).not.toEqual(key);
    const restarted = await openKeys();
    expect(restarted.cached(subject)).toBeUndefined();
    expect(await restarted.find(subject)).toEqual(key);
    const stored = await readAllOf(log.store, streamOfSubject(subject));
    expect(stored.map(({ type }) => type)).toEqual(['SubjectKeyCreated']);
    expect(JSON.stringify(stored, (_, value) => (typeof value === 'bigint' ? null : value))).not.toContain(key.toString('base64url'));
  });

  it('are the same on two nodes that ask at once, even if the outcome of writing one is unknown', async () => {
    const nodes = await Promise.all([openKeys(), openKeys(), openKeys()]);
    const obtained = await Promise.all(nodes.map((node) => node.obtain(subject)));
    expect(new Set(obtained.map((key) => key.toString('hex'))).size).toBe(1);
    const reader = await openKeys();
    for (const fault of ['lost', 'written', 'late'] as const) {
      store.appendFaults.push(fault);
      const key = await nodes[0]?.obtain(`user-${fault}`);
      expect(await reader.find(`user-${fault}`)).toEqual(key);
    }
    store.appendFaults.push('lost', 'lost', 'lost');
    await expect(nodes[0]?.obtain('user-3')).rejects.toThrow(AppendOutcomeUnknown);
  });

  it('are gone for good once destroyed, at once on this node and after the cache time on others', async () => {
    const keys = await openKeys();
    const elsewhere = await openKeys({ cacheMilliseconds: 1 });
    await keys.obtain(subject);
    await elsewhere.find(subject);
    await keys.destroy(subject);
    expect(keys.cached(subject)).toBeNull();
    expect(await keys.find(subject)).toBeNull();
    await expect(keys.obtain(subject)).rejects.toThrow(SubjectKeyDestroyed);
    expect((await readAllOf(log.store, streamOfSubject(subject))).map(({ type }) => type)).toEqual(['SubjectKeyDestroyed']);
    while (elsewhere.cached(subject)) await new Promise(setImmediate);
    expect(await elsewhere.find(subject)).toBeNull();
    await expect((await openKeys()).obtain(subject)).rejects.toThrow(SubjectKeyDestroyed);
    await keys.destroy(subject);
    expect(await readAllOf(log.store, streamOfSubject(subject))).toHaveLength(1);
  });

  it('are kept until they have left the log, but used no more once their destruction has begun', async () => {
    const [keys, elsewhere] = [await openKeys(), await openKeys()];
    await keys.obtain(subject);
    const interruption = new Error('interrupted');
    keys.onDestroy(() => Promise.reject(interruption));
    await expect(keys.destroy(subject)).rejects.toBe(interruption);
    expect([await elsewhere.state(subject), await elsewhere.isBuried(subject), await elsewhere.find(subject)]).toEqual([
      { state: 'kept' },
      true,
      null,
    ]);
    await expect(elsewhere.obtain(subject)).rejects.toThrow(SubjectKeyDestroyed);
    await elsewhere.destroy(subject);
    expect([await keys.state(subject), await keys.isBuried(subject)]).toEqual([{ state: 'destroyed', at: expect.any(String) }, true]);
  });

  it('are never created for a subject that was destroyed before it had one, even if both happen at once', async () => {
    const keys = await openKeys();
    await keys.destroy(subject);
    await expect(keys.obtain(subject)).rejects.toThrow(SubjectKeyDestroyed);
    store.appendFaults.push('written');
    await Promise.allSettled([keys.destroy('user-2'), keys.obtain('user-2')]);
    expect(await keys.find('user-2')).toBeNull();
    expect(await (await openKeys()).find('user-2')).toBeNull();
  });

  it('need the master key they were wrapped with', async () => {
    await openKeys();
    await expect(openKeys({ masterKey: randomBytes(32) })).rejects.toThrow(WrongMasterKey);
    const keys = await openKeys();
    await keys.obtain(subject);
    const [created] = await readAllOf(log.store, streamOfSubject(subject));
    if (!created) throw new Error('no key');
    const { id: _, ...rest } = created;
    const moved = { ...rest, id: '11111111-1111-4111-8111-111111111111' };
    await log.store.append(streamOfSubject('user-2'), [moved], 'no-stream');
    await expect(keys.find('user-2')).rejects.toThrow(WrongMasterKey);
  });

  it('let one master key win when two nodes start a new log with different ones', async () => {
    const fresh = openEmbeddedEventStore({ path: directory });
    const masterKeys = [randomBytes(32), randomBytes(32)];
    const opened = await Promise.allSettled(masterKeys.map((masterKey) => SubjectKeys.open({ store: fresh, masterKey })));
    expect(opened.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(opened.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { name: 'WrongMasterKey' } });
    await fresh.close();
  });
});
