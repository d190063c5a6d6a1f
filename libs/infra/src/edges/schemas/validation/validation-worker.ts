import { getHeapStatistics } from 'node:v8';
import { parentPort } from 'node:worker_threads';
import type { SchemaContent } from '#domain/messaging/resources/schemas.js';
import { SchemaInvalid } from '#infra/edges/schemas/errors.js';
import { requireAcceptable } from './message-schemas.js';
import { SchemaValidator, type ValidationResult } from './validator.js';

/** Request to a worker. */
export type ValidationTask =
  | Readonly<{ kind: 'validate'; schema: string; messages: readonly (string | Uint8Array)[]; steps: number }>
  | Readonly<{ kind: 'compile'; content: SchemaContent }>;

/** Reply of a worker. `invalid`: why a schema may not be created, `null` if it may. `tired`: the worker must be replaced before the next task. */
export type ValidationReply = Readonly<
  { tired: boolean } & ({ result: ValidationResult } | { invalid: string | null } | { error: string })
>;

/** Size of the cache of compiled schemas, in characters of their stored texts. */
const CACHED = 2 * 1024 * 1024;
/** In bytes. A heap of this size does not shrink: its memory is returned to the system only when the worker ends. */
const TIRED_HEAP = 160 * 1024 * 1024;

const validator = new SchemaValidator(CACHED);

const refusalOf = (content: SchemaContent): string | null => {
  try {
    requireAcceptable(content);
    return null;
  } catch (error) {
    if (error instanceof SchemaInvalid) return error.message;
    throw error;
  }
};

const outcomeOf = (task: ValidationTask): { result: ValidationResult } | { invalid: string | null } | { error: string } => {
  try {
    if (task.kind === 'compile') return { invalid: refusalOf(task.content) };
    return { result: validator.validate(task.schema, task.messages, task.steps) };
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
};

parentPort?.postMessage('ready');
parentPort?.on('message', (task: ValidationTask) => {
  const outcome = outcomeOf(task);
  parentPort?.postMessage({ ...outcome, tired: getHeapStatistics().total_heap_size > TIRED_HEAP } satisfies ValidationReply);
});
