import { getHeapStatistics } from 'node:v8';
import { parentPort } from 'node:worker_threads';
import type { SchemaContent } from '#domain/messaging/resources/resource-commands.js';
import { SchemaInvalid } from './errors.js';
import { Judge, type Verdict } from './judge.js';
import { compileSchema } from './message-schemas.js';

/** What a worker is asked. */
export type JudgeTask =
  | Readonly<{ kind: 'judge'; schema: string; messages: readonly (string | Uint8Array)[]; steps: number }>
  | Readonly<{ kind: 'compile'; content: SchemaContent }>;

/** What it answers. `invalid`: why a schema does not compile; `null`, it does. `tired`: another worker should do what comes next. */
export type JudgeReply = Readonly<{ tired: boolean } & ({ verdict: Verdict } | { invalid: string | null } | { error: string })>;

/** Characters of schemas that are kept in their compiled form. */
const KEPT = 2 * 1024 * 1024;
/** A heap of so many bytes would stay that large: the system gets it back when the worker ends. */
const TIRED = 160 * 1024 * 1024;

const judge = new Judge(KEPT);

const compiled = (content: SchemaContent): string | null => {
  try {
    compileSchema(content);
    return null;
  } catch (error) {
    if (error instanceof SchemaInvalid) return error.message;
    throw error;
  }
};

const outcomeOf = (task: JudgeTask): { verdict: Verdict } | { invalid: string | null } | { error: string } => {
  try {
    if (task.kind === 'compile') return { invalid: compiled(task.content) };
    return { verdict: judge.verdict(task.schema, task.messages, task.steps) };
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
};

parentPort?.postMessage('ready');
parentPort?.on('message', (task: JudgeTask) => {
  const outcome = outcomeOf(task);
  parentPort?.postMessage({ ...outcome, tired: getHeapStatistics().total_heap_size > TIRED } satisfies JudgeReply);
});
