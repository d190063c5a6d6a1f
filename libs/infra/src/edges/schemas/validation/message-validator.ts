import type { SchemaContent } from '#domain/messaging/resources/schemas.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { stepsFor } from '#infra/edges/schemas/budget.js';
import { SchemaInvalid } from '#infra/edges/schemas/errors.js';
import { requireAcceptable } from './message-schemas.js';
import { TaskAborted, ValidationPool } from './validation-pool.js';
import { type Fault, SchemaValidator, type ValidationResult } from './validator.js';

/** A message in base64, or its bytes. */
export type MessageBytes = string | Uint8Array;

/** The first invalid message and its fault, or `no-schema`: the stored schema does not compile. */
type Refusal = Readonly<{ index: number; fault: Fault }> | 'no-schema';

/** In characters. Longer schemas and messages are validated in another thread. */
export const SHORT_SCHEMA = 16 * 1024;
const SHORT_MESSAGE = 64 * 1024;
/** Maximum steps on the event loop for one message: a few milliseconds. */
const SHORT_STEPS = 100_000;
/** Size of the cache of compiled schemas, in characters of their stored texts. */
const CACHED = 1024 * 1024;
/** Maximum size of a task for another thread. */
const TASK = { messages: 256, characters: 1024 * 1024 };

/**
 * Validates messages against stored schemas without blocking the event loop: short work is done at once, in time slices if there is much of
 * it; all other work goes to worker threads (decision 0020).
 */
export class MessageValidator {
  private readonly validator = new SchemaValidator(CACHED);

  constructor(
    private readonly pool: ValidationPool = new ValidationPool(),
    private readonly newSlice: () => Pick<TimeSlice, 'isOver' | 'next'> = () => new TimeSlice(),
  ) {}

  /** Returns `undefined` if all messages are valid. `owner`: owners take turns on the threads. `schema`: its stored text. */
  async refusal(owner: string, schema: string, messages: readonly MessageBytes[]): Promise<Refusal | undefined> {
    let steps = stepsFor(messages.reduce((sum, { length }) => sum + length, 0));
    let shortWork = schema.length <= SHORT_SCHEMA;
    const slice = this.newSlice();
    for (let index = 0; index < messages.length; ) {
      if (slice.isOver) await slice.next();
      const first = messages[index] as MessageBytes;
      if (shortWork && first.length <= SHORT_MESSAGE) {
        const granted = Math.min(SHORT_STEPS, steps);
        const result = this.validator.validate(schema, [first], granted);
        // The schema makes short messages long work, so the following messages go to a thread, too.
        if (exhausted(result) && granted < steps) shortWork = false;
        else if (result.kind === 'valid') {
          steps -= granted - result.left;
          index++;
        } else return refusalOf(result, index);
        continue;
      }
      const some = together(messages, index, (message) => !shortWork || message.length > SHORT_MESSAGE);
      const result = await this.onThread(owner, schema, some, steps);
      if (result.kind !== 'valid') return refusalOf(result, index);
      steps = result.left;
      index += some.length;
    }
    return undefined;
  }

  /** Requires that a schema compiles and does not contradict itself. @throws SchemaInvalid */
  async requireCompilable(owner: string, content: SchemaContent, characters: number): Promise<void> {
    if (characters <= SHORT_SCHEMA) {
      requireAcceptable(content);
      return;
    }
    try {
      const outcome = await this.pool.run(owner, { kind: 'compile', content });
      if ('invalid' in outcome && outcome.invalid !== null) throw new SchemaInvalid(outcome.invalid);
    } catch (error) {
      if (error instanceof TaskAborted) throw new SchemaInvalid('schema takes too much work to compile');
      throw error;
    }
  }

  /** Nest calls this after the last request. */
  async onApplicationShutdown(): Promise<void> {
    await this.pool.close();
  }

  private async onThread(owner: string, schema: string, messages: readonly MessageBytes[], steps: number): Promise<ValidationResult> {
    try {
      const outcome = await this.pool.run(owner, { kind: 'validate', schema, messages, steps });
      if ('result' in outcome) return outcome.result;
      throw new Error('a worker answered something else');
    } catch (error) {
      // It is unknown which message caused it, so the first one is reported.
      if (error instanceof TaskAborted) return { kind: 'refused', index: 0, fault: { kind: 'exhausted', of: typeIn(schema) } };
      throw error;
    }
  }
}

const exhausted = (result: ValidationResult): boolean => result.kind === 'refused' && result.fault.kind === 'exhausted';

const refusalOf = (result: Exclude<ValidationResult, { kind: 'valid' }>, before: number): Refusal =>
  result.kind === 'no-schema' ? 'no-schema' : { index: before + result.index, fault: result.fault };

const typeIn = (schema: string): SchemaContent['type'] => (JSON.parse(schema) as SchemaContent).type;

/** The messages of the next task, starting at an index: at least one. */
const together = (
  messages: readonly MessageBytes[],
  from: number,
  belongs: (message: MessageBytes) => boolean,
): readonly MessageBytes[] => {
  let characters = 0;
  let end = from;
  while (end < messages.length && end - from < TASK.messages) {
    const message = messages[end] as MessageBytes;
    characters += message.length;
    if (end > from && (!belongs(message) || characters > TASK.characters)) break;
    end++;
  }
  return messages.slice(from, end);
};
