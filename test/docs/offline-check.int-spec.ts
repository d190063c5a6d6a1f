import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { leafHash } from '#domain/integrity/leaf.js';
import type { StoredForm } from '#domain/integrity/leaf-text.js';
import { nodeHash } from '#domain/integrity/merkle.js';
import { signedAnchor, signingKey } from '#test/support/integrity/chained-log.js';

const hasTools = ['python3', 'openssl'].every((tool) => spawnSync(tool, [tool === 'openssl' ? 'version' : '--version']).status === 0);
const test = hasTools ? it : it.skip;

const formOf = (number: number): StoredForm => ({
  data: { number, half: 0.5, text: 'ä€😀\ud800"\\\n\u007f', '\ufb33': 1, '😀': 2 },
  id: `00000000-0000-4000-8000-00000000000${number}`,
  metadata: { time: '2024-01-01T00:00:00.000Z' },
  revision: number,
  stream: 'status.tenants-global',
  type: 'Happened',
});

describe('The check of one event in docs/auditing.md (needs python3 and openssl)', () => {
  test('proves an event that is in the log, and no other', () => {
    const directory = mkdtempSync(join(tmpdir(), 'logbook-check-'));
    try {
      const [, script = ''] = /<!-- check\.py -->\n```python\n([\s\S]*?)```/.exec(readFileSync('docs/auditing.md', 'utf8')) ?? [];
      const file = (name: string, content: string): string => {
        writeFileSync(join(directory, name), content);
        return join(directory, name);
      };
      const [first, second, third] = [0, 1, 2].map((number) => leafHash(formOf(number))) as [Buffer, Buffer, Buffer];
      const root = nodeHash(nodeHash(first, second), third).toString('hex');
      const anchor = signedAnchor(3, root, '2024-01-01T00:00:00.000Z', '3');
      const event = { index: 1, position: '2', ...formOf(1), hash: second.toString('hex') };
      const proof = { event, index: 1, size: 3, path: [first.toString('hex'), third.toString('hex')], anchor };
      const check = file('check.py', script);
      const keys = file('keys.json', JSON.stringify({ keys: [{ kty: 'OKP', crv: 'Ed25519', ...signingKey }] }));
      const run = (given: object) => spawnSync('python3', [check, file('proof.json', JSON.stringify(given)), keys], { encoding: 'utf8' });
      expect(run(proof)).toMatchObject({ status: 0, stdout: 'proven: event 1 is in the log of 3 events\n' });
      expect(run({ ...proof, event: { ...event, type: 'Other' } })).toMatchObject({ status: 1, stdout: '' });
      expect(run({ ...proof, anchor: { ...anchor, signature: Buffer.alloc(64).toString('base64') } })).toMatchObject({
        status: 1,
        stdout: '',
      });
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});
