import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Decider } from '#domain/shared/decider.js';
import { categoryOf, type DomainEvent } from '#domain/shared/events.js';
import { ReadModels } from '#infra/projection-runner/read-models.js';
import type { CommandContext, ExecutedEvent } from '#infra/stream-processor/execution.js';
import { StreamProcessor } from '#infra/stream-processor/stream-processor.js';

/** Events that answer a command, and whether the caller can already read what they changed. */
export type Outcome<E extends DomainEvent> = Readonly<{ events: readonly ExecutedEvent<E>[]; readable: boolean }>;

/**
 * A command to one stream, with the rules that decide it. `decider` must be the same object for every command of a stream. `awaited`: the outcome
 * waits until the read models show it; else it counts as readable.
 */
export class StreamWrite<S, C, E extends DomainEvent> extends Command<Outcome<E>> {
  constructor(
    readonly stream: string,
    readonly decider: Decider<S, C, E>,
    readonly command: C,
    readonly context: CommandContext,
    readonly awaited = true,
  ) {
    super();
  }
}

/** Runs commands on the stream processor and waits until the read models show them. */
@CommandHandler(StreamWrite)
export class StreamWriteHandler implements ICommandHandler<StreamWrite<unknown, unknown, DomainEvent>> {
  constructor(
    private readonly processor: StreamProcessor,
    private readonly readModels: ReadModels,
  ) {}

  async execute({ stream, decider, command, context, awaited }: StreamWrite<unknown, unknown, DomainEvent>): Promise<Outcome<DomainEvent>> {
    const { events, position } = await this.processor.execute({ stream, decider, command, context });
    const readable = !awaited || ((await this.readModels.applied(categoryOf(stream), position)) && this.readModels.shows(events));
    return { events, readable };
  }
}
