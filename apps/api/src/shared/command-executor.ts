import { Injectable } from '@nestjs/common';
import type { Decider } from '#domain/shared/decider.js';
import { categoryOf, type DomainEvent } from '#domain/shared/events.js';
import { ReadModels } from '#infra/projection-runner/read-models.js';
import type { CommandContext } from '#infra/stream-processor/execution.js';
import { StreamProcessor } from '#infra/stream-processor/stream-processor.js';

/** Events that answer a command, and whether the caller can already read what they changed. */
export type Outcome<E extends DomainEvent> = Readonly<{ events: readonly E[]; readable: boolean }>;

/** Runs commands on the stream processor and waits until the read models show them. */
@Injectable()
export class CommandExecutor {
  constructor(
    private readonly processor: StreamProcessor,
    private readonly readModels: ReadModels,
  ) {}

  async execute<S, C, E extends DomainEvent>(
    stream: string,
    decider: Decider<S, C, E>,
    command: C,
    context: CommandContext,
  ): Promise<Outcome<E>> {
    const { events, position } = await this.processor.execute({ stream, decider, command, context });
    const readable = await this.readModels.applied(categoryOf(stream), position);
    return { events, readable };
  }
}
