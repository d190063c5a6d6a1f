import { describe, expect, it } from '@jest/globals';
import { CommandFailed } from './command-failed.js';
import { fetchFrom } from './fetch-from.js';

describe('calls to the server of a certificate', () => {
  it.each([
    ['cannot be read', '/nowhere/cert.pem', 'ENOENT'],
    ['holds none', 'package.json', 'no certificate in PEM'],
  ])('fail in words where the file %s', async (_what, certFile, reason) => {
    const failure: unknown = await fetchFrom({ certFile }).catch((error: unknown) => error);
    expect([failure instanceof CommandFailed, String(failure)]).toEqual([true, expect.stringContaining(reason)]);
  });
});
