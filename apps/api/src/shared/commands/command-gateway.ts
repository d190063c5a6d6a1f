import { Inject, Injectable } from '@nestjs/common';
import { DomainError } from '#domain/shared/decider.js';
import { categoryOf, type DomainEvent, type Revision } from '#domain/shared/events.js';
import type { ExecutedEvent, Execution, StreamCommand } from '#domain/shared/execution.js';
import { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import { StreamProcessor } from '#infra/engine/stream-processor/stream-processor.js';
import { withoutKey } from './context-now.js';

/** Events of a command. `readable`: true if reads show their effects already. `next`: as in {@link Execution}. */
export type Outcome<E extends DomainEvent> = Readonly<{ events: readonly ExecutedEvent<E>[]; readable: boolean; next?: Revision }>;

/** A command as a step of another one. */
type Step = StreamCommand<unknown, unknown, DomainEvent>;

/** Executes commands. Command handlers choose the stream, the decider and the command, and pass them here. */
@Injectable()
export class CommandGateway {
  constructor(
    @Inject(StreamProcessor) private readonly processor: Pick<StreamProcessor, 'execute' | 'repeated'>,
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
    return this.outcomeOf(command, await this.processor.execute(command), awaited);
  }

  /** Outcome of the first use of the `Idempotency-Key` of the command, which itself is ignored; `undefined`: there is none. */
  async repeated<S, C, E extends DomainEvent>(command: StreamCommand<S, C, E>): Promise<Outcome<E> | undefined> {
    const first = await this.processor.repeated(command);
    return first && this.outcomeOf(command, first);
  }

  /**
   * Executes a command after checks that its stream cannot make. If they fail now, a repeat under an `Idempotency-Key` still gets the events
   * of the first call.
   * @param command names the stream, decider and context
   * @param owner as in {@link executeFor}: such a repeat is refused, too, if the log holds no owner. Default: none
   * @throws the error of the checks
   */
  async executeAfter<Checked, S, C, E extends DomainEvent>(
    command: StreamCommand<S, C, E>,
    check: () => Promise<Checked>,
    execute: (checked: Checked) => Promise<Outcome<E>>,
    owner?: Step,
  ): Promise<Outcome<E>> {
    let checked: Checked;
    try {
      checked = await check();
    } catch (error) {
      const first = command.context.idempotency && (await this.processor.repeated(command));
      if (!first) throw error;
      if (owner) await this.executeStep(owner, false);
      return this.outcomeOf(command, first);
    }
    return execute(checked);
  }

  /**
   * Executes a command that writes a record of an owner, a project or tenant in another stream. The deletion of an owner erases only what the log
   * held before it, so if it came first, the record is deleted.
   * @param owner rejected if the log holds no such owner
   * @param undo deletes the record
   * @throws DomainError of `owner`
   */
  async executeFor<S, C, E extends DomainEvent>(command: StreamCommand<S, C, E>, owner: Step, undo: Step): Promise<Outcome<E>> {
    const execution = await this.processor.execute(command);
    command.context.onExecuted?.(execution); // it is in the log, whatever follows
    try {
      await this.executeStep(owner, false);
    } catch (error) {
      if (error instanceof DomainError) await this.executeStep(undo).catch(unlessRefused); // a repeat finds it undone
      throw error;
    }
    return this.outcomeOf(command, execution);
  }

  private executeStep(step: Step, awaited = true): Promise<Outcome<DomainEvent>> {
    return this.execute({ ...step, context: withoutKey(step.context) }, awaited);
  }

  private async outcomeOf<S, C, E extends DomainEvent>(
    { stream, context }: StreamCommand<S, C, E>,
    execution: Execution<E>,
    awaited = true,
  ): Promise<Outcome<E>> {
    context.onExecuted?.(execution);
    const { events, position, next } = execution;
    const readable = !awaited || (await this.areShown(stream, position, events));
    return { events, readable, ...(next !== undefined && { next }) };
  }

  private async areShown(stream: string, position: bigint, events: readonly ExecutedEvent[]): Promise<boolean> {
    const category = categoryOf(stream);
    if (await this.readModels.applied(category, position)) return this.readModels.shows(events);
    this.readModels.owe(category, position);
    return false;
  }
}

const unlessRefused = (error: unknown): void => {
  if (!(error instanceof DomainError)) throw error;
};
