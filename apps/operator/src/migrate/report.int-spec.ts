import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Report } from './report.js';

describe('the report of a migration', () => {
  it('is for its account only, also in place of a file that was for others', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'logbook-report-'));
    const path = join(folder, 'report.json');
    await writeFile(path, 'x'.repeat(10_000));
    await chmod(path, 0o666);
    await new Report({ service: 'messaging', directory: 'exports', dryRun: true }, path).end();
    const [{ mode }, text] = [await stat(path), await readFile(path, 'utf8')];
    await rm(folder, { recursive: true });
    expect([(mode & 0o777).toString(8), JSON.parse(text)]).toEqual(['600', expect.objectContaining({ service: 'messaging', items: [] })]);
  });

  it('goes to what is no file, too, and leaves that as it is', async () => {
    const { mode } = await stat('/dev/null');
    await new Report({ service: 'messaging', directory: 'exports', dryRun: true }, '/dev/null').end();
    expect((await stat('/dev/null')).mode).toBe(mode);
  });
});
