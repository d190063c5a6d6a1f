import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { builtModule } from '#test/support/processes/built.js';
import { type PrintingProcess, watch } from '#test/support/processes/printing-process.js';

/** Other processes cannot run TypeScript. */
const SCRIPT = fileURLToPath(builtModule('test/support/event-stores/embedded-child'));

export type Task = 'write' | 'fill' | 'read' | 'digest' | 'tail' | 'count' | 'churn' | 'lock' | 'lose';

/** Starts a process on embedded stores. `shell` goes before the command, for limits. */
export const startEmbeddedProcess = (task: Task, paths: readonly string[], shell = ''): PrintingProcess =>
  watch(spawn('sh', ['-c', `${shell} exec "$0" "$@"`, process.execPath, SCRIPT, task, ...paths], { stdio: ['pipe', 'pipe', 'inherit'] }));
