import { Inject, Injectable } from '@nestjs/common';
import type { Decider } from '#domain/shared/decider.js';
import { categoryOf, type DomainEvent } from '#domain/shared/events.js';
import type { ExecutedEvent, StreamCommand } from '#domain/shared/execution.js';
import { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import { StreamProcessor } from '#infra/engine/stream-processor/stream-processor.js';

/** Events of a command. `readable`: true if reads show their effects already. */
export type Outcome<E extends DomainEvent> = Readonly<{ events: readonly ExecutedEvent<E>[]; readable: boolean }>;

/** Default number of parallel commands in a series. */
const AT_A_TIME = 64;

/** Executes commands. Command handlers choose the stream, the decider and the command, and pass them here. */
@Injectable()
export class CommandGateway {
  constructor(
    @Inject(StreamProcessor) private readonly processor: Pick<StreamProcessor, 'execute'>,
    @Inject(ReadModels) private readonly readModels: Pick<ReadModels, 'applied' | 'owe' | 'shows'>,
  ) {}

  /**
   * Events of the command, new or from the first use of its `Idempotency-Key`. `decider` must be the same object for every command of a
   * stream.
   * @param awaited wait until the read models show the events. If `false`, the command is an intermediate step, and the outcome counts as
   * readable
   * @throws DomainError a rule forbids the command; the errors of {@link StreamProcessor}
   */
  async execute<S, C, E extends DomainEvent>(command: StreamCommand<S, C, E>, awaited = true): Promise<Outcome<E>> {
    const execution = await this.processor.execute(command);
    command.context.onExecuted?.(execution);
    const { events, position } = execution;
    return { events, readable: !awaited || (await this.areShown(command.stream, position, events)) };
  }

  /**
   * Executes many commands, taken one by one, on any streams. Commands to one stream keep their order. Not atomic: after a failure no
   * further ones are taken, and the successful ones stay. Resolves with whether the read models show all of them.
   * @param atATime number of parallel commands; the read models apply their events together, so it should be low for large commands
   */
  async executeAll<S, C, E extends DomainEvent>(
    decider: Decider<S, C, E>,
    commands: Iterable<Omit<StreamCommand<S, C, E>, 'decider'>>,
    atATime = AT_A_TIME,
  ): Promise<boolean> {
    const waiting = commands[Symbol.iterator]();
    let readable = true;
    const work = async (): Promise<void> => {
      for (let next = waiting.next(); !next.done; next = waiting.next()) {
        const command = next.value;
        const execution = await this.processor.execute({ ...command, decider });
        command.context.onExecuted?.(execution);
        const { position, events } = execution;
        // Once the read models are behind, there is no use in waiting for them again.
        if (!readable) this.readModels.owe(categoryOf(command.stream), position);
        else if (!(await this.areShown(command.stream, position, events))) readable = false;
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
    return readable;
  }

  private async areShown(stream: string, position: bigint, events: readonly ExecutedEvent[]): Promise<boolean> {
    const category = categoryOf(stream);
    if (await this.readModels.applied(category, position)) return this.readModels.shows(events);
    this.readModels.owe(category, position);
    return false;
  }
}
