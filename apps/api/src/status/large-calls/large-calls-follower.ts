import type { MessagePort } from 'node:worker_threads';
import type { Answer } from '#api/shared/http/answer.js';
import * as errors from '#api/status/errors.js';
import { statusErrorOf } from '#api/status/http-policy.js';
import type { AnswerSources, answersByName } from '#api/status/reads.js';
import { Work } from '#api/status/work.js';
import type { Follower, FollowerContext } from '#infra/engine/followers/follower.js';
import { sendAnswer, sendError } from './answer-port.js';
import type { SentCall } from './handed-over.js';
import { LARGE_CALLS_FOLLOWER, type LargeRequest } from './large-calls.js';

/** Dependencies of the thread's answers. */
export type LargeCallSources = Readonly<{
  /** Over the thread's own handles. */
  sources: AnswerSources;
  /** Sets whether days of large reports may be read from disk. */
  readStored(may: boolean): void;
  close(): Promise<void>;
}>;

/** Answers large calls, each on its port. Several share the thread in time slices. */
export class LargeCallsFollower implements Follower {
  readonly name = LARGE_CALLS_FOLLOWER;
  private readonly ports = new Set<MessagePort>();

  constructor(
    private readonly context: Pick<FollowerContext, 'log'>,
    private readonly opened: LargeCallSources,
    private readonly answers: ReturnType<typeof answersByName>,
  ) {}

  start(): void {}

  async stop(): Promise<void> {
    for (const port of this.ports) port.close();
    await this.opened.close();
  }

  async answer(request: unknown): Promise<null> {
    const { port, call, isStored } = request as LargeRequest;
    let isGone = false;
    this.ports.add(port);
    port.once('close', () => {
      isGone = true;
      this.ports.delete(port);
    });
    this.opened.readStored(isStored);
    try {
      await sendAnswer(port, await this.called(call, () => isGone), () => isGone);
    } catch (error) {
      const known = statusErrorOf(error);
      if (!known) this.context.log.error({ err: error, read: call.read }, 'a large call failed');
      sendError(port, known ?? errors.internalError());
    }
    return null;
  }

  private called({ read, call, params }: SentCall, isGone: () => boolean): Promise<Answer> {
    const answer = this.answers.get(read);
    if (!answer) throw new Error(`there is no read ${read}`);
    return answer(this.opened.sources, { ...call, work: new Work(isGone) }, params as never);
  }
}
