import type { MessagePort } from 'node:worker_threads';
import type { Answer } from '#api/shared/http/answer.js';
import * as errors from '#api/status/errors.js';
import { statusErrorOf } from '#api/status/http-policy.js';
import type { Follower, FollowerContext } from '#infra/engine/followers/follower.js';
import { sendAnswer, sendError } from './answer-port.js';
import { received, type SentCall } from './handed-over.js';
import { LARGE_CALLS_FOLLOWER, type LargeRequest } from './large-calls.js';

/** Dependencies of the thread's answers. */
export type LargeCallSources = Readonly<{
  /** Controllers by path, over the thread's own handles. */
  controllers: ReadonlyMap<string, object>;
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
    private readonly sources: LargeCallSources,
  ) {}

  start(): void {}

  async stop(): Promise<void> {
    for (const port of this.ports) port.close();
    await this.sources.close();
  }

  async answer(request: unknown): Promise<null> {
    const { port, call, isStored } = request as LargeRequest;
    let isGone = false;
    this.ports.add(port);
    port.once('close', () => {
      isGone = true;
      this.ports.delete(port);
    });
    this.sources.readStored(isStored);
    try {
      await sendAnswer(port, await this.called(call, () => isGone));
    } catch (error) {
      const known = statusErrorOf(error);
      if (!known) this.context.log.error({ err: error, controller: call.controller, handler: call.handler }, 'a large call failed');
      sendError(port, known ?? errors.internalError());
    }
    return null;
  }

  private async called({ controller: path, handler: name, args }: SentCall, isGone: () => boolean): Promise<Answer> {
    const controller = this.sources.controllers.get(path);
    const handler: unknown = controller && Reflect.get(controller, name);
    if (typeof handler !== 'function') throw new Error(`nobody answers ${path} ${name}`);
    return (await handler.apply(controller, received(args, isGone))) as Answer;
  }
}
