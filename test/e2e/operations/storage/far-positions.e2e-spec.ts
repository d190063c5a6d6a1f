import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { createProject } from '#test/e2e/messaging/calls.js';
import { serving } from '#test/e2e/serving.js';
import { weights } from '#test/e2e/status/contract.js';
import { ADMIN, type Deployment, embedded, OPERATOR } from '#test/support/deployments.js';
import { startLogAt } from '#test/support/event-stores/embedded-log.js';
import { eventually } from '#test/support/eventually.js';
import { type CheckedAnchor, checkAnchor, checkProof, type Jwks, type Proof } from '#test/support/integrity/proof-checker.js';
import { type Answer, idOf, registerTenant } from '#test/support/status-client.js';
import { runs } from '#test/support/test-runs.js';

const BORDER = 2n ** 32n;
type Event = Readonly<{ index: number; position: string; type: string; time: string }>;
type Page = Readonly<{ items: readonly Event[]; next: string | null }>;

/** Starts the log at a position, as if all before it had expired. */
const startingAt = (position: number) => async (): Promise<Deployment> => {
  const deployment = await embedded();
  await startLogAt(join(deployment.dataDirectory, 'log'), position);
  return deployment;
};

const logs = [
  ['across position 2^32', startingAt(Number(BORDER) - 25)],
  ['far beyond position 2^32', startingAt(3 * 2 ** 40)],
] as const;

describe.each(logs.slice(0, runs(2, 1)))('what is made beside an embedded log %s', (_, open) => {
  const scene = serving(open);
  const key = 'far-admin';
  const ask = (path: string, headers: Readonly<Record<string, string>> = {}) => scene.root.get(path, { key: OPERATOR, headers });
  const positionOf = ({ headers }: Answer): bigint => BigInt(headers.get('logbook-position') ?? '0');
  const written: { position: bigint; list: string }[] = [];

  it('is read back in order: events by pages, lines and single ones', async () => {
    await registerTenant(scene.status, ADMIN, 'far', ['admin']);
    const project = await createProject(scene, 'p');
    await project.topic('t');
    const id = idOf(await scene.status.post('/weights', { key, body: weights('record 0') }));
    for (let n = 1; n <= 20; n += 1) {
      await project.post('/topics/t:publish', { messages: [{ data: 'aGVsbG8=' }, { data: 'aGVsbG8=' }] });
      const revised = await scene.status.put(`/weights/${id}`, { key, body: weights(`record ${n}`) });
      written.push({ position: positionOf(revised), list: (await scene.status.get('/weights', { key })).text });
    }
    const walked: Event[] = [];
    for (let after = ''; ; ) {
      const { items, next } = (await ask(`/audit/events?limit=7${after}`)).json as Page;
      walked.push(...items);
      if (next === null) break;
      after = `&after=${next}`;
    }
    expect(walked.map(({ index }) => index)).toEqual([...walked.keys()]);
    const positions = walked.map(({ position }) => BigInt(position));
    expect(positions.every((position, index) => index === 0 || position > (positions[index - 1] ?? 0n))).toBe(true);
    expect((positions.at(-1) ?? 0n) > BORDER).toBe(true);
    const backwards = ((await ask('/audit/events?limit=1000&order=desc')).json as Page).items;
    expect([...backwards].reverse()).toEqual(walked);
    for (const { position } of written) expect(positions).toContain(position);
    for (const index of [0, 30, walked.length - 1]) expect((await ask(`/audit/events/${index}`)).json).toEqual(walked[index]);
    const dated = walked.filter(({ type }) => type === 'WeightsSnapshotDated');
    expect(((await ask('/audit/events?type=WeightsSnapshotDated&limit=1000')).json as Page).items).toEqual(dated);
    expect(dated).toHaveLength(21);
  });

  it('proves events on both sides, and finds the log intact', async () => {
    const anchor = (await scene.root.post('/audit/anchors', { key: OPERATOR })).json as CheckedAnchor;
    const jwks = (await ask('/audit/keys')).json as Jwks;
    checkAnchor(anchor, jwks);
    for (const index of [0, 5, 20, 40, anchor.size - 1]) checkProof((await ask(`/audit/events/${index}/proof`)).json as Proof, jwks);
    const { href } = (await scene.root.post('/audit/verifications', { key: OPERATOR })).json as Readonly<{ href: string }>;
    const found = await eventually(
      async () => (await ask(href)).json as Readonly<{ state: string; intact: boolean; problem: object | null }>,
    ).until(({ state }) => state !== 'running');
    expect(found).toMatchObject({ state: 'done', intact: true, problem: null });
  });

  it('shows the past as it was, also after a restart', async () => {
    for (const restarted of [false, true]) {
      if (restarted) expect(await scene.restart()).toBe(0);
      for (const { position, list } of written.filter((_one, index) => index % 4 === 0)) {
        const then = await scene.status.get('/weights', { key, headers: { 'logbook-as-of': `${position}` } });
        expect([then.status, then.text]).toEqual([200, list]);
      }
    }
  });
});
