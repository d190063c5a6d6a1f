import { describe, expect, it } from '@jest/globals';
import { createProject } from '#test/e2e/messaging/calls.js';
import { issueKey, serving } from '#test/e2e/serving.js';
import { deployments, OPERATOR } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';

type Found = Readonly<{
  id: string;
  state: string;
  processed: number;
  total: number;
  root: string;
  intact: boolean;
  problem: object | null;
}>;

describe.each(deployments)('verifications of the log on %s', (_, open) => {
  const scene = serving(open);
  const path = '/audit/verifications';
  const verify = async (body?: object, headers: Readonly<Record<string, string>> = {}): Promise<Found> => {
    const begun = await scene.root.post(path, { key: OPERATOR, headers, ...(body && { body }) });
    expect([begun.status, begun.headers.get('logbook-position')]).toEqual([202, expect.stringMatching(/^\d+$/)]);
    const { id, href } = begun.json as Readonly<{ id: string; href: string }>;
    expect([href, begun.headers.get('location')]).toEqual([`${path}/${id}`, `${path}/${id}`]);
    return eventually(async () => (await scene.root.get(href, { key: OPERATOR })).json as Found).until(({ state }) => state !== 'running');
  };

  it('find a log intact while it grows, by its own anchors and by those that were kept', async () => {
    const project = await createProject(scene, 'verified');
    await project.topic('t');
    const publish = () => project.post('/topics/t:publish', { messages: [{ data: 'aGVsbG8=' }, { data: 'aGVsbG8=' }] });
    await publish();
    const kept = (await scene.root.post('/audit/anchors', { key: OPERATOR })).json as Readonly<{ size: number; root: string }>;
    const writes = Promise.all(Array.from({ length: 20 }, publish));
    const body = { anchors: [{ size: kept.size, root: kept.root }] };
    const found = await verify(body, { 'idempotency-key': 'once' });
    await writes;
    expect(found).toMatchObject({ state: 'done', failure: null, intact: true, problem: null, expired: 0 });
    expect(found.total).toBeGreaterThanOrEqual(kept.size);
    expect(found).toMatchObject({ processed: found.total, verifiedTo: found.total });
    expect((await verify(body, { 'idempotency-key': 'once' })).id).toBe(found.id);
    const reused = await scene.root.post(path, { key: OPERATOR, headers: { 'idempotency-key': 'once' }, body: {} });
    expect([reused.status, reused.text]).toEqual([
      422,
      expect.stringContaining('the Idempotency-Key was used before with another request body'),
    ]);
    expect(await verify({ from: kept.size })).toMatchObject({ intact: true });
    const many = { anchors: Array.from({ length: 1_000 }, () => ({ size: kept.size, root: kept.root })) };
    expect(await verify(many)).toMatchObject({ intact: true });
    const other = { anchors: [{ size: kept.size, root: 'ab'.repeat(32) }] };
    expect(await verify(other)).toMatchObject({ intact: false, problem: { index: kept.size - 1, kind: 'anchor' } });
    const beyond = { anchors: [{ size: 999_999, root: kept.root }] };
    expect(await verify(beyond)).toMatchObject({ intact: false, problem: { kind: 'missing' } });
    const { items } = (await scene.root.get(path, { key: OPERATOR })).json as Readonly<{ items: readonly Found[] }>;
    expect(items).toHaveLength(5);
  });

  it('are begun by auditors only, and refuse what they do not understand', async () => {
    const { key: operator } = await issueKey(scene.root, 'ops', 'operator');
    expect((await scene.root.post(path, { key: operator })).status).toBe(403);
    expect((await scene.root.get(path, { key: operator })).status).toBe(200);
    const bad = [{ from: 3 }, { from: -1 }, { anchors: [{ size: 1 }] }, { anchors: [{ size: 1, root: 'AB'.repeat(32) }] }, { form: 0 }];
    for (const body of bad) {
      const { status, json } = await scene.root.post(path, { key: OPERATOR, body });
      expect([body, status, json]).toEqual([body, 400, expect.objectContaining({ errors: [expect.anything()] })]);
    }
    expect((await scene.root.get(`${path}/unknown`, { key: OPERATOR })).status).toBe(404);
    const done = await verify();
    expect((await scene.root.delete(`${path}/${done.id}`, { key: OPERATOR })).status).toBe(409);
  });
});
