import type { ApiResponseOptions } from '@nestjs/swagger';
import { jobLink, like, listLike } from './answers-documentation.js';

const ID = '6f1c2a34-8d2e-4f3b-9a51-0c7d5e2b1f60';
const HASH = '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328';
const TIME = '2026-03-01T12:00:00.000Z';
const JOB = { id: ID, state: 'done', startedAt: TIME, endedAt: '2026-03-01T12:00:04.250Z', failure: null };

const BACKUP = { ...JOB, directory: 'monday', position: '81234', size: 80_112, root: HASH, bytes: 104_857_600 };

/** Successful answers of calls whose controllers do not show them, by method and path. */
export const COMMON_ANSWERS: Readonly<Record<string, readonly [status: string, answer: ApiResponseOptions]>> = {
  'get /ops/log': [
    '200',
    like('Log', 'the log', {
      installation: ID,
      head: '81234',
      events: 80_112,
      streams: 1_204,
      expired: 0,
      bytes: 104_857_600,
      categories: [{ name: 'status.tenants', streams: 1, events: 37, expired: 0 }],
      chain: { size: 80_112, position: '81230' },
      history: { from: '0', position: '81230', documents: 91_004 },
    }),
  ],
  'post /ops/backups': ['202', jobLink('/ops/backups')],
  'get /ops/backups': ['200', listLike('Backup', 'backups', BACKUP)],
  'get /ops/backups/{id}': ['200', like('Backup', 'the backup', BACKUP)],
  'delete /ops/backups/{id}': ['202', jobLink('/ops/backups')],
  'post /audit/verifications': ['202', jobLink('/audit/verifications')],
  'delete /audit/verifications/{id}': ['202', jobLink('/audit/verifications')],
};
