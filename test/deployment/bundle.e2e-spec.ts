import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const server = join(import.meta.dirname, '..', '..', 'dist', 'server');

/** A file of the bundle and all that is loaded with it. */
const loadedWith = (file: string, loaded = new Map<string, string>()): ReadonlyMap<string, string> => {
  const text = readFileSync(join(server, file), 'utf8');
  loaded.set(file, text);
  const imports = [...text.matchAll(/^(?:import\b[^'"]*?|export\b[^'"]*? from )"\.\/([^"]+)";/gms)].map(([, name = '']) => name);
  for (const name of imports) if (!loaded.has(name)) loadedWith(name, loaded);
  return loaded;
};

describe('the bundle of the server', () => {
  it.each(['main.js', 'cli.js', 'followers-worker.js'])("loads nothing of the vendor's client for EventStoreDB with %s", (entry) => {
    const loaded = loadedWith(entry);
    const all = [...loaded.values()].join('\n');
    expect(loaded.size).toBeGreaterThan(1);
    expect(all).not.toContain('node_modules/@eventstore/');
    expect(all).not.toContain('node_modules/@grpc/');
  });

  it('loads no framework with a command that calls a server', () => {
    const all = [...loadedWith('cli.js').values()].join('\n');
    expect(all).not.toMatch(/node_modules\/(@nestjs|fastify|libphonenumber-js)\//);
  });
});
