import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { weights } from '#test/e2e/status/contract.js';
import { ADMIN, type Deployment, dropReadModels, embedded, OPERATOR } from '#test/support/deployments.js';
import { randomNumbers } from '#test/support/event-stores/damage.js';
import { reboot } from '#test/support/event-stores/power-loss.js';
import { eventually, untilReady } from '#test/support/eventually.js';
import { type CheckedAnchor, checkConsistency, checkProof, type Jwks, type Proof } from '#test/support/integrity/proof-checker.js';
import { type LogbookProcess, startLogbook } from '#test/support/processes/logbook-process.js';
import { httpClient, idOf, recordsOf, registerTenant, statusClient } from '#test/support/status-client.js';
import { runs, SEED } from '#test/support/test-runs.js';

const key = 'durable-admin';
const KILLS = runs(8, 3);
const WRITERS = 8;

/** What the writers of all rounds sent and were answered, over the lives of the server. */
type Ledger = {
  /** Values by name of all creations sent, acknowledged or not. */
  sent: Map<string, number>;
  /** Ids of acknowledged creations by name. */
  created: Map<string, string>;
  /** Names that acknowledged revisions gave the shared record, by day. */
  revised: Map<string, string>;
  /** Answers other than success. */
  refused: number[];
};

const emptyLedger = (): Ledger => ({ sent: new Map(), created: new Map(), revised: new Map(), refused: [] });

/** Writes until a connection ends without an answer: creations, and revisions of one shared record on days of their own. */
const writeUntilCut = async (url: string, sharedId: string, ledger: Ledger): Promise<void> => {
  const client = statusClient(url);
  for (;;) {
    const sequence = ledger.sent.size;
    const name = `record ${sequence}`;
    ledger.sent.set(name, sequence);
    const date = new Date(Date.UTC(1900, 0, 1 + sequence)).toISOString().slice(0, 10);
    try {
      const creation = await client.post('/weights?date=2020-01-01', { key, body: weights(name, sequence) });
      if (creation.status === 201) ledger.created.set(name, idOf(creation));
      else ledger.refused.push(creation.status);
      const revision = await client.put(`/weights/${sharedId}?date=${date}`, { key, body: weights(`shared ${sequence}`) });
      if (revision.status === 200) ledger.revised.set(date, `shared ${sequence}`);
      else ledger.refused.push(revision.status);
    } catch {
      return; // the server is gone
    }
  }
};

/** Expects everything acknowledged to be there, and what is there to have been sent and to be whole. `days`: how many of the newest revisions to check. */
const expectLedger = async (url: string, sharedId: string, ledger: Ledger, days: number): Promise<void> => {
  const client = statusClient(url);
  const records = recordsOf(await client.get('/weights?date=2021-01-01', { key })).filter(({ id }) => id !== sharedId);
  const byName = new Map(records.map((record) => [record.name, record]));
  expect(byName.size).toBe(records.length);
  for (const [name, id] of ledger.created) expect([name, byName.get(name)?.id]).toEqual([name, id]);
  for (const { id, date, ...body } of records)
    expect(body).toEqual(weights(String(body.name), ledger.sent.get(String(body.name)) ?? Number.NaN));
  for (const [date, name] of [...ledger.revised].slice(-days)) {
    const [snapshot] = recordsOf(await client.get(`/weights/${sharedId}?date=${date}`, { key }));
    expect([snapshot?.date, snapshot?.name]).toEqual([date, name]);
  }
  expect(ledger.refused).toEqual([]);
};

/** The directories below a data directory that a process has locked. */
const lockedIn = async (directory: string): Promise<readonly string[]> => {
  const names = await readdir(directory, { recursive: true });
  return names.filter((name) => basename(name) === 'lock').map((name) => join(directory, dirname(name)));
};

/** Waits until so many creations more were acknowledged. */
const untilCreated = (ledger: Ledger, more: number): Promise<unknown> => {
  const enough = ledger.created.size + more;
  return eventually(async () => ({ created: ledger.created.size, refused: ledger.refused })).until(({ created }) => created >= enough);
};

describe('a server on embedded stores', () => {
  let deployment: Deployment;
  let server: LogbookProcess;
  let sharedId: string;
  const ledger = emptyLedger();
  const start = async (): Promise<void> => {
    server = await startLogbook(deployment.environment);
    await untilReady(httpClient(server.url));
  };
  beforeAll(async () => {
    deployment = await embedded();
    await start();
    await registerTenant(statusClient(server.url), ADMIN, 'durable', ['admin']);
    sharedId = idOf(await statusClient(server.url).post('/weights?date=1899-01-01', { key, body: weights('shared') }));
  });
  afterAll(async () => {
    await server?.stop();
    await deployment?.dispose();
  });

  it(`keeps every acknowledged write over ${KILLS} kills at random moments (seed ${SEED})`, async () => {
    const random = randomNumbers(SEED);
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const { url } = server;
      const writers = Array.from({ length: WRITERS }, () => writeUntilCut(url, sharedId, ledger));
      await untilCreated(ledger, 1 + Math.floor(random() * 80));
      await server.kill();
      await Promise.all(writers);
      await start();
      await expectLedger(server.url, sharedId, ledger, kill === KILLS ? ledger.revised.size : WRITERS);
    }
    expect(ledger.created.size).toBeGreaterThan(KILLS);
  });

  it('builds nothing again when the machine has lost power', async () => {
    const { url } = server;
    const writers = Array.from({ length: WRITERS }, () => writeUntilCut(url, sharedId, ledger));
    await untilCreated(ledger, 100);
    await server.kill();
    await Promise.all(writers);
    const locked = await lockedIn(deployment.dataDirectory);
    expect(locked.length).toBeGreaterThan(3);
    locked.forEach(reboot);
    await start();
    await expectLedger(server.url, sharedId, ledger, WRITERS);
    expect(server.lines.filter((line) => line.includes('to be built again'))).toEqual([]);
  });

  it('stops in order under load: exit code 0, no answer but success, every answered write kept', async () => {
    const { url } = server;
    const writers = Array.from({ length: WRITERS }, () => writeUntilCut(url, sharedId, ledger));
    await untilCreated(ledger, 100);
    expect(await server.stop()).toBe(0);
    await Promise.all(writers);
    await start();
    await expectLedger(server.url, sharedId, ledger, WRITERS);
  });

  it('has one chain over all of that, which begins with every anchor before', async () => {
    const root = httpClient(server.url);
    const ask = async (path: string) => (await root.get(`/audit${path}`, { key: OPERATOR })).json;
    const newest = (await root.post('/audit/anchors', { key: OPERATOR })).json as CheckedAnchor;
    const jwks = (await ask('/keys')) as Jwks;
    const step = Math.max(1, Math.floor(newest.size / 60));
    for (let index = 0; index < newest.size; index += step)
      checkProof((await ask(`/events/${index}/proof?size=${newest.size}`)) as Proof, jwks);
    const { items } = (await ask('/anchors')) as { items: CheckedAnchor[] };
    for (const anchor of items) {
      const { path } = (await ask(`/consistency?from=${anchor.size}&to=${newest.size}`)) as { path: string[] };
      checkConsistency(anchor, newest, path);
    }
    expect(newest.size).toBeGreaterThan(ledger.created.size + ledger.revised.size);
  });

  it('builds its read models anew when they are gone', async () => {
    const answers = async () => {
      const client = statusClient(server.url);
      const texts = [
        await client.get('/weights', { key }),
        await client.get(`/weights/${sharedId}?date=1900-06-01`, { key }),
        await client.get('/admin/tenants', { key: ADMIN }),
      ];
      return texts.map(({ text }) => text);
    };
    const before = await answers();
    expect(await server.stop()).toBe(0);
    await dropReadModels(deployment);
    await start();
    expect(await answers()).toEqual(before);
    await expectLedger(server.url, sharedId, ledger, WRITERS);
  });
});

describe('a start on embedded stores', () => {
  let deployment: Deployment;
  beforeAll(async () => {
    deployment = await embedded();
  });
  afterAll(() => deployment?.dispose());
  const started: LogbookProcess[] = [];
  const start = async (environment: Readonly<Record<string, string>>): Promise<LogbookProcess> => {
    const server = await startLogbook(environment);
    started.push(server);
    return server;
  };
  afterEach(() => Promise.all(started.splice(0).map((server) => server.kill())));

  it('generates the keys of the first administrators when none are given, and keeps them', async () => {
    const environment = {
      ...deployment.environment,
      LOGBOOK_STATUS_ADMIN_KEY: '',
      LOGBOOK_OPS_KEY: '',
      LOGBOOK_MESSAGING_SERVICE_TOKEN: '',
    };
    const file = join(deployment.dataDirectory, 'credentials.json');
    const first = await start(environment);
    const text = await readFile(file, 'utf8');
    const keys = JSON.parse(text) as Record<string, string>;
    const { LOGBOOK_STATUS_ADMIN_KEY: admin, LOGBOOK_OPS_KEY: operator, LOGBOOK_MESSAGING_SERVICE_TOKEN: service } = keys;
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const expectKeysToWork = async (server: LogbookProcess) => {
      await untilReady(httpClient(server.url));
      expect((await statusClient(server.url).get('/admin/tenants', { key: admin })).status).toBe(200);
      expect((await httpClient(server.url).get('/ops/keys', { key: operator })).status).toBe(200);
      expect((await httpClient(server.url).get('/v1/projects', { key: service })).status).toBe(200);
      expect((await statusClient(server.url).get('/admin/tenants', { key: operator })).status).toBe(401);
      for (const secret of [admin, operator, service]) expect(server.lines.join('\n')).not.toContain(secret);
    };
    await expectKeysToWork(first);
    await first.stop(); // after which all lines are there
    expect(first.lines.filter((line) => line.includes('credentials.json')).length).toBe(1);

    const second = await start(environment);
    await expectKeysToWork(second);
    expect(await readFile(file, 'utf8')).toBe(text);
    await second.stop();
    expect(second.lines.filter((line) => line.includes('credentials.json'))).toEqual([]);

    // Keys of the environment are accepted besides them.
    const third = await start(deployment.environment);
    await expectKeysToWork(third);
    expect((await statusClient(third.url).get('/admin/tenants', { key: ADMIN })).status).toBe(200);
    expect((await httpClient(third.url).get('/ops/keys', { key: OPERATOR })).status).toBe(200);
  });
});
