import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { printable } from '#infra/platform/logging/printable.js';
import { MigrationReport } from './report.js';

describe('the report of a migration', () => {
  it('is for its account only, also in place of a file that was for others', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'logbook-report-'));
    const path = join(folder, 'report.json');
    await writeFile(path, 'x'.repeat(10_000));
    await chmod(path, 0o666);
    await new MigrationReport({ service: 'messaging', directory: 'exports', dryRun: true }, path).end();
    const [{ mode }, text] = [await stat(path), await readFile(path, 'utf8')];
    await rm(folder, { recursive: true });
    expect([(mode & 0o777).toString(8), JSON.parse(text)]).toEqual(['600', expect.objectContaining({ service: 'messaging', items: [] })]);
  });

  it('shows what others chose as it is, without steering the terminal that it is shown on', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'logbook-report-'));
    const path = join(folder, 'report.json');
    const hostile = Array.from({ length: 0x2070 }, (_, code) => String.fromCharCode(code)).join('');
    const report = new MigrationReport({ service: 'messaging', directory: hostile, dryRun: true }, path);
    const place = { collection: 'users', id: hostile, place: hostile };
    report.refused(place, hostile);
    report.note(hostile);
    await report.end();
    const text = await readFile(path, 'utf8');
    await rm(folder, { recursive: true });
    expect(text).toBe(printable(text));
    expect(JSON.parse(text)).toMatchObject({
      directory: hostile,
      items: [
        { what: 'refused', ...place, reason: hostile },
        { what: 'note', reason: hostile },
      ],
      refused: { users: { [hostile]: 1 } },
    });
  });

  it('goes to what is no file, too, and leaves that as it is', async () => {
    const { mode } = await stat('/dev/null');
    await new MigrationReport({ service: 'messaging', directory: 'exports', dryRun: true }, '/dev/null').end();
    expect((await stat('/dev/null')).mode).toBe(mode);
  });
});
