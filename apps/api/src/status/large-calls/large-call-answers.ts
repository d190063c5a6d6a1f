import type { MessagePort } from 'node:worker_threads';
import type { Answer } from '#api/shared/http/answer.js';
import * as errors from '#api/status/errors.js';
import { statusErrorOf } from '#api/status/http-policy.js';
import type { AnswerSources, answersByName } from '#api/status/reads.js';
import { Work } from '#api/status/work.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { sendAnswer, sendError } from './answer-port.js';
import type { SentCall } from './handed-over.js';
import type { LargeRequest } from './large-calls.js';

/** Answers large calls in the thread of results, each on its port. Several share the thread in time slices. */
export class LargeCallAnswers {
  private readonly ports = new Set<MessagePort>();

  constructor(
    private readonly log: Pick<Logger, 'error'>,
    /** Over the thread's own handles. */
    private readonly sources: AnswerSources,
    private readonly answers: ReturnType<typeof answersByName>,
  ) {}

  close(): void {
    for (const port of this.ports) port.close();
  }

  async answer({ port, call }: LargeRequest): Promise<null> {
    let isGone = false;
    this.ports.add(port);
    port.once('close', () => {
      isGone = true;
      this.ports.delete(port);
    });
    try {
      await sendAnswer(port, await this.called(call, () => isGone), () => isGone);
    } catch (error) {
      const known = statusErrorOf(error);
      if (!known) this.log.error({ err: error, read: call.read }, 'a large call failed');
      sendError(port, known ?? errors.internalError());
    }
    return null;
  }

  private called({ read, call, params }: SentCall, isGone: () => boolean): Promise<Answer> {
    const answer = this.answers.get(read);
    if (!answer) throw new Error(`there is no read ${read}`);
    return answer(this.sources, { ...call, work: new Work(isGone) }, params as never);
  }
}
