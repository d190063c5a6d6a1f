import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { createProject } from '#test/e2e/messaging/calls.js';
import { issueKey, serving } from '#test/e2e/serving.js';
import { weights } from '#test/e2e/status/contract.js';
import { ADMIN, deployments, OPERATOR } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import {
  type CheckedAnchor,
  checkAnchor,
  checkConsistency,
  checkNote,
  checkProof,
  type Jwks,
  type Proof,
} from '#test/support/integrity/proof-checker.js';
import { type Answer, registerTenant } from '#test/support/status-client.js';

describe.each(deployments)('the chain on %s', (_, open) => {
  const notes = mkdtempSync(join(tmpdir(), 'logbook-notes-'));
  afterAll(() => rmSync(notes, { recursive: true }));
  const scene = serving(open, { LOGBOOK_ANCHOR_DIR: notes });
  const key = 'chain-admin';
  const ask = (path: string, options: object = {}) => scene.root.get(path, { key: OPERATOR, ...options });
  const anchorNow = (headers: Readonly<Record<string, string>> = {}) => scene.root.post('/audit/anchors', { key: OPERATOR, headers });
  const anchorIn = ({ json }: Answer) => json as CheckedAnchor;
  const keys = async () => (await ask('/audit/keys')).json as Jwks;
  const proofOf = async (index: number, size = '') => (await ask(`/audit/events/${index}/proof${size}`)).json as Proof;
  let first: CheckedAnchor;

  it('is signed up to what was appended before the call, and again only when there is more', async () => {
    await registerTenant(scene.status, ADMIN, 'chain', ['admin']);
    const written = await scene.status.post('/weights', { key, body: weights('one') });
    const made = await anchorNow({ 'idempotency-key': 'k' });
    first = anchorIn(made);
    expect([made.status, made.headers.get('logbook-position')]).toEqual([201, expect.stringMatching(/^\d+$/)]);
    expect(BigInt(first.position)).toBeGreaterThanOrEqual(BigInt(written.headers.get('logbook-position') ?? '0'));
    checkAnchor(first, await keys());
    expect(await anchorNow({ 'idempotency-key': 'k' })).toMatchObject({ status: 201, json: first });
    expect(await anchorNow()).toMatchObject({ status: 200, json: first });
    const project = await createProject(scene, 'p');
    await project.topic('t');
    const messages = [{ data: Buffer.from('hello').toString('base64'), attributes: { a: '1' } }];
    expect((await project.post('/topics/t:publish', { messages })).status).toBe(200);
    const second = anchorIn(await anchorNow());
    expect(second.size).toBeGreaterThan(first.size);
    const { json } = await ask(`/audit/consistency?from=${first.size}&to=${second.size}`);
    checkConsistency(first, second, (json as { path: string[] }).path);
  });

  it('proves every event to somebody who has the keys, messages without their contents', async () => {
    const newest = anchorIn(await anchorNow());
    const jwks = await keys();
    const proofs = await Promise.all(Array.from({ length: newest.size }, (_one, index) => proofOf(index)));
    for (const proof of proofs) checkProof(proof, jwks);
    expect(Object.keys(proofs[0]?.event ?? {}).join()).toBe('index,position,stream,revision,id,type,metadata,data,hash');
    for (const index of [0, first.size - 1]) checkProof(await proofOf(index, `?size=${newest.size}`), jwks);
    const message = proofs.find(({ event }) => event.type === 'MessagePublished')?.event;
    expect(message?.data).toMatchObject({ data: { $bytes: 8 }, attributes: { $bytes: 9 } });
    const [changed] = proofs as [Proof];
    expect(() => checkProof({ ...changed, event: { ...changed.event, type: 'Other' } }, jwks)).toThrow('another hash');
  });

  it('answers what there is not as the contract says', async () => {
    const newest = anchorIn(await anchorNow());
    expect((await scene.status.post('/weights', { key, body: weights('not signed') })).status).toBe(201);
    await eventually(() => ask(`/audit/events/${newest.size}/proof`)).until(({ status }) => status === 409);
    const statuses = async (...paths: readonly string[]) => Promise.all(paths.map(async (path) => [path, (await ask(path)).status]));
    const expected: readonly (readonly [string, number])[] = [
      ['/audit/events/0/proof?size=999999', 404],
      [`/audit/events/${newest.size - 1}/proof?size=${first.size}`, 400],
      ['/audit/events/999999/proof', 404],
      ['/audit/events/x/proof', 404],
      ['/audit/events/0/proof?sise=1', 400],
      ['/audit/anchors/999999', 404],
      ['/audit/anchors?limit=0', 400],
      ['/audit/anchors?order=up', 400],
      [`/audit/consistency?from=${newest.size}&to=${first.size}`, 400],
      [`/audit/consistency?from=${first.size}`, 400],
      [`/audit/consistency?from=${first.size}&to=999999`, 404],
      ['/audit/keys?x=1', 400],
    ];
    expect(await statuses(...expected.map(([path]) => path))).toEqual(expected);
    const auditor = await issueKey(scene.root, 'ops', 'auditor');
    const operator = await issueKey(scene.root, 'ops', 'operator');
    expect((await scene.root.post('/audit/anchors', { key: operator.key })).status).toBe(403);
    expect((await scene.root.post('/ops/signing-keys', { key: auditor.key })).status).toBe(403);
    expect((await scene.root.post('/audit/anchors', { key: auditor.key, body: { a: 1 } })).status).toBe(400);
    expect((await scene.root.post('/audit/anchors', { key: auditor.key })).status).toBe(201);
  });

  it('lists anchors by size, and writes each as a note that witnesses can read', async () => {
    const { json } = await ask('/audit/anchors?order=desc&limit=1');
    const { items, next } = json as { items: CheckedAnchor[]; next: number | null };
    expect(next).toBe(items[0]?.size);
    const rest = (await ask(`/audit/anchors?order=desc&after=${next}`)).json as { items: CheckedAnchor[]; next: null };
    const all = (await ask('/audit/anchors')).json as { items: CheckedAnchor[] };
    expect([...items, ...rest.items].reverse()).toEqual(all.items);
    const jwks = await keys();
    for (const anchor of all.items) {
      checkAnchor(anchor, jwks);
      const note = await ask(`/audit/anchors/${anchor.size}`, { accept: 'text/plain' });
      expect(note.headers.get('content-type')).toBe('text/plain; charset=utf-8');
      checkNote(note.text, jwks.keys.find(({ kid }) => kid === anchor.keyId) ?? { x: '' });
    }
    expect((await ask(`/audit/anchors/${first.size}`, { accept: 'image/png' })).status).toBe(406);
  });

  it('goes on with a new key, and with one last anchor at a shutdown', async () => {
    const rotated = await scene.root.post('/ops/signing-keys', { key: OPERATOR, headers: { 'idempotency-key': 'rotate' } });
    expect(rotated.status).toBe(201);
    const again = await scene.root.post('/ops/signing-keys', { key: OPERATOR, headers: { 'idempotency-key': 'rotate' } });
    expect([again.status, again.json]).toEqual([201, rotated.json]);
    const { keyId } = rotated.json as { keyId: string };
    const file = join(scene.deployment.dataDirectory, 'keys/signing.key');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await scene.status.post('/weights', { key, body: weights('last') })).status).toBe(201);
    const before = (await readFile(file, 'utf8')).trim();
    expect(await scene.restart()).toBe(0);
    expect((await readFile(file, 'utf8')).trim()).toBe(before);
    const { items } = (await ask('/audit/anchors')).json as { items: CheckedAnchor[] };
    const jwks = await keys();
    expect(jwks.keys.map(({ kid, until }) => [kid, until === null])).toEqual([
      [first.keyId, false],
      [keyId, true],
    ]);
    for (const anchor of items) checkAnchor(anchor, jwks);
    await eventually(async () => readdirSync(notes).sort()).until(
      (names) =>
        names.join() ===
        items
          .map(({ size }) => `${size}.note`)
          .sort()
          .join(),
    );
    expect(items.at(-1)?.keyId).toBe(keyId);
    checkProof(await proofOf((items.at(-1)?.size ?? 1) - 1), jwks);
  });
});
