import type { SchemaContent } from '#domain/messaging/resources/resource-commands.js';
import { TimeSlice } from '#infra/scheduling/time-slice.js';
import { stepsFor } from './budget.js';
import { SchemaInvalid } from './errors.js';
import { type Fault, Judge, type Verdict } from './judge.js';
import { JudgePool, TaskAborted } from './judge-pool.js';
import { compileSchema } from './message-schemas.js';

/** A message in base64, or its bytes. */
export type JudgedMessage = string | Uint8Array;

/** The first message that is not in order, and why; or that the stored schema does not compile. */
export type Refusal = Readonly<{ index: number; fault: Fault }> | 'no-schema';

/** Characters of a stored schema, and of a message, that are short work; what is longer goes to another thread. */
const SHORT_SCHEMA = 16 * 1024;
const SHORT_MESSAGE = 64 * 1024;
/** Steps that are short work: a few milliseconds at most. */
const SHORT_STEPS = 100_000;
/** Characters of schemas that are kept in their compiled form. */
const KEPT = 1024 * 1024;
/** How much goes to another thread at once. */
const TOGETHER = { messages: 256, characters: 1024 * 1024 };

/**
 * Judges messages by stored schemas without holding the event loop: what is short work is done at once, in slices where there is much of it, and
 * everything else by threads beside the loop.
 */
export class MessageJudge {
  private readonly judge = new Judge(KEPT);

  constructor(
    private readonly pool: JudgePool = new JudgePool(),
    private readonly newSlice: () => Pick<TimeSlice, 'isOver' | 'next'> = () => new TimeSlice(),
  ) {}

  /** Nothing when the messages are in order. `owner`: whose work it is; owners take turns. `schema`: its text as it is stored. */
  async refusal(owner: string, schema: string, messages: readonly JudgedMessage[]): Promise<Refusal | undefined> {
    let steps = stepsFor(messages.reduce((sum, { length }) => sum + length, 0));
    let shortWork = schema.length <= SHORT_SCHEMA;
    const slice = this.newSlice();
    for (let index = 0; index < messages.length; ) {
      if (slice.isOver) await slice.next();
      const first = messages[index] as JudgedMessage;
      if (shortWork && first.length <= SHORT_MESSAGE) {
        const granted = Math.min(SHORT_STEPS, steps);
        const verdict = this.judge.verdict(schema, [first], granted);
        // Its schema makes long work of short messages: why begin again with each?
        if (exhausted(verdict) && granted < steps) shortWork = false;
        else if (verdict.kind === 'in-order') {
          steps -= granted - verdict.left;
          index++;
        } else return refusalOf(verdict, index);
        continue;
      }
      const some = together(messages, index, (message) => !shortWork || message.length > SHORT_MESSAGE);
      const verdict = await this.aside(owner, schema, some, steps);
      if (verdict.kind !== 'in-order') return refusalOf(verdict, index);
      steps = verdict.left;
      index += some.length;
    }
    return undefined;
  }

  /** @throws SchemaInvalid */
  async requireCompilable(owner: string, content: SchemaContent, characters: number): Promise<void> {
    if (characters <= SHORT_SCHEMA) {
      compileSchema(content);
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

  /** Called by Nest when no request is under way any more. */
  async onApplicationShutdown(): Promise<void> {
    await this.pool.close();
  }

  private async aside(owner: string, schema: string, messages: readonly JudgedMessage[], steps: number): Promise<Verdict> {
    try {
      const outcome = await this.pool.run(owner, { kind: 'judge', schema, messages, steps });
      if ('verdict' in outcome) return outcome.verdict;
      throw new Error('a worker answered something else');
    } catch (error) {
      // Which of the messages it was nobody knows: the first one is as good as any.
      if (error instanceof TaskAborted) return { kind: 'refused', index: 0, fault: { kind: 'exhausted', of: typeIn(schema) } };
      throw error;
    }
  }
}

const exhausted = (verdict: Verdict): boolean => verdict.kind === 'refused' && verdict.fault.kind === 'exhausted';

const refusalOf = (verdict: Exclude<Verdict, { kind: 'in-order' }>, before: number): Refusal =>
  verdict.kind === 'no-schema' ? 'no-schema' : { index: before + verdict.index, fault: verdict.fault };

const typeIn = (schema: string): SchemaContent['type'] => (JSON.parse(schema) as SchemaContent).type;

/** Messages from a place on, as many as go to another thread at once, and at least one. */
const together = (
  messages: readonly JudgedMessage[],
  from: number,
  belongs: (message: JudgedMessage) => boolean,
): readonly JudgedMessage[] => {
  let characters = 0;
  let end = from;
  while (end < messages.length && end - from < TOGETHER.messages) {
    const message = messages[end] as JudgedMessage;
    characters += message.length;
    if (end > from && (!belongs(message) || characters > TOGETHER.characters)) break;
    end++;
  }
  return messages.slice(from, end);
};
