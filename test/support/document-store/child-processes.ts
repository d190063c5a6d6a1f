import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { builtModule } from '#test/support/processes/built.js';
import { type PrintingProcess, watch } from '#test/support/processes/printing-process.js';
import { SEED } from '#test/support/test-runs.js';

/** Other processes cannot run TypeScript. */
const SCRIPT = fileURLToPath(builtModule('test/support/document-store/child'));

/** Starts a process on a directory of documents. */
export const startDocumentProcess = (task: 'write' | 'write-beside-thread' | 'read', path: string): PrintingProcess =>
  watch(spawn(process.execPath, [SCRIPT, task, path, `${SEED}`], { stdio: ['ignore', 'pipe', 'inherit'] }));
