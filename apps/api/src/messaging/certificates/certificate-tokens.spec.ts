import { expect, it } from '@jest/globals';
import type { CommandBus } from '@nestjs/cqrs';
import type { CommandContext } from '#domain/shared/execution.js';
import type { CredentialHashes } from '#infra/stores/secrets/credential-hashes.js';
import type { UserDocument } from '#projections/messaging/accounts/queries.js';
import { CertificateTokens } from './certificate-tokens.js';

const hashOf = (token: string): string => `hash of ${token}`;
const userWith = (token: string): UserDocument => ({ userId: 'u', token: '', tokenHash: hashOf(token) }) as UserDocument;

it('refreshes the token of a user once for simultaneous calls, and again if the log was replaced by an older copy', async () => {
  let refreshes = 0;
  let fails = true;
  const execute = async () => {
    const token = `token ${++refreshes}`;
    await new Promise((resolve) => setImmediate(resolve));
    if (fails) throw new Error('no room');
    return { user: { token } };
  };
  const bus = { execute } as unknown as CommandBus;
  const hashes = { of: hashOf } as unknown as CredentialHashes;
  let interrupt = () => {};
  const onInterruption = (listener: () => void) => {
    interrupt = listener;
    return () => {};
  };
  const tokens = new CertificateTokens({ view: () => ({}) } as never, bus, {} as never, hashes, {} as never, { onInterruption });
  const ask = (user: UserDocument) => tokens.tokenOf(user, {} as CommandContext);
  await expect(ask(userWith('token 0'))).rejects.toThrow('no room');
  fails = false;
  const first = userWith('token 0');
  expect(await Promise.all([ask(first), ask(first), ask(first)])).toEqual(['token 2', 'token 2', 'token 2']);
  for (const shown of ['token 0', 'token 2']) expect(await ask(userWith(shown))).toBe('token 2');
  expect(await ask(userWith('token of another node'))).toBe('token 3');
  interrupt();
  expect(await ask(userWith('token 3'))).toBe('token 3');
  expect(await ask(userWith('token of another node'))).toBe('token 4');
});
