import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Decider } from '#domain/shared/decider.js';
import { categoryOf, type DomainEvent } from '#domain/shared/events.js';
import { ReadModels } from '#infra/projection-runner/read-models.js';
import type { StreamCommand } from '#infra/stream-processor/execution.js';
import { StreamProcessor } from '#infra/stream-processor/stream-processor.js';

/** How many commands are under way at a time, unless somebody wants others. */
const AT_A_TIME = 64;

/**
 * Many commands, taken one by one as there is room for them, to any streams; those to one stream keep their order. Not atomic: when one
 * fails no further ones are taken, and those that succeeded stay. `decider`: the same object for every command of a stream. `atATime`: how many
 * are under way; the read models take up what these do in one go, so large commands want few.
 */
export class StreamWrites<S, C, E extends DomainEvent> extends Command<Readonly<{ readable: boolean }>> {
  constructor(
    readonly decider: Decider<S, C, E>,
    readonly writes: Iterable<Omit<StreamCommand<S, C, E>, 'decider'>>,
    readonly atATime = AT_A_TIME,
  ) {
    super();
  }
}

/** Runs the commands on the stream processor, no faster than the read models can show what they do. */
@CommandHandler(StreamWrites)
export class StreamWritesHandler implements ICommandHandler<StreamWrites<unknown, unknown, DomainEvent>> {
  constructor(
    private readonly processor: StreamProcessor,
    private readonly readModels: ReadModels,
  ) {}

  async execute({ decider, writes, atATime }: StreamWrites<unknown, unknown, DomainEvent>): Promise<Readonly<{ readable: boolean }>> {
    const waiting = writes[Symbol.iterator]();
    let readable = true;
    const work = async (): Promise<void> => {
      for (let next = waiting.next(); !next.done; next = waiting.next()) {
        const write = next.value;
        const { position, events } = await this.processor.execute({ ...write, decider });
        // Once they are behind there is no use in waiting for them again and again.
        if (!readable) continue;
        const shown = (await this.readModels.applied(categoryOf(write.stream), position)) && this.readModels.shows(events);
        readable = shown && readable;
      }
    };
    const workers = Array.from({ length: atATime }, () =>
      work().catch((error: unknown) => {
        waiting.return?.();
        throw error;
      }),
    );
    const failed = (await Promise.allSettled(workers)).find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason;
    return { readable };
  }
}
