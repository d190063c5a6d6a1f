import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { accountCalls, made, type User } from '#test/e2e/messaging/accounts/accounts.js';
import { serving } from '#test/e2e/serving.js';
import { embedded } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import { isForgotten } from '#test/support/plant.js';
import { SERVICE_TOKEN } from './calls.js';

const PERSON = { first_name: 'Annabella', last_name: 'Beekeeper', organization: 'Unmistakable', email: 'unmistakable@example.org' };

describe('Accounts that are deleted', () => {
  const scene = serving(embedded, { LOGBOOK_ACCESS_LOG: 'true', LOGBOOK_LOG_LEVEL: 'debug' });
  const by = (key?: string) => accountCalls(scene, key);
  const bytesOf = async (folder: string): Promise<Buffer> => {
    const entries = await readdir(join(scene.deployment.dataDirectory, folder), { withFileTypes: true, recursive: true });
    const files = entries.filter((entry) => entry.isFile());
    return Buffer.concat(await Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name)))));
  };

  it('leave nothing readable behind, and were never readable in the event log or in the lines of the log', async () => {
    const registrations = [await by().registration('going', PERSON), await by().registration('staying', PERSON)];
    const users: User[] = [];
    for (const { uuid } of registrations) users.push(await made<User>(by().post(`/registrations/${uuid}:accept`)));
    const [going, staying] = users;
    await scene.root.get(`/v1/users/profile?key=${staying?.token}`);
    await by().delete('/users/going');
    await by().delete(`/registrations/${registrations[0]?.uuid}`);

    const secrets = [
      ...Object.values(PERSON),
      ...users.map(({ token }) => token),
      ...registrations.map((one) => one.activation_token),
      SERVICE_TOKEN,
    ];
    const bytes = await bytesOf('log');
    expect(bytes.includes('staying')).toBe(true); // the search finds what is there
    for (const secret of secrets) expect([secret, bytes.includes(secret)]).toEqual([secret, false]);
    const lines = scene.server.lines.join('\n');
    expect(lines).toContain('/v1/users/profile');
    for (const secret of secrets) expect(lines).not.toContain(secret);

    const before = await Promise.all(['/users?details=true', '/registrations'].map((path) => by().get(path)));
    for (const subject of [`user-${going?.uuid}`, `registration-${registrations[0]?.uuid}`])
      await eventually(() => isForgotten(scene.deployment, subject)).until(Boolean);
    for (const subject of [`user-${staying?.uuid}`, `registration-${registrations[1]?.uuid}`])
      expect(await isForgotten(scene.deployment, subject)).toBe(false);

    await scene.server.stop();
    await rm(join(scene.deployment.dataDirectory, 'documents'), { recursive: true });
    await scene.restart();
    const after = await Promise.all(['/users?details=true', '/registrations'].map((path) => by().get(path)));
    expect(after.map(({ text }) => text)).toEqual(before.map(({ text }) => text));
    expect((await by().put('/users/staying', {})).status).toBe(200); // the rules are folded from the log again
    expect((await by().post('/users/going', {})).status).toBe(200);
  });
});
