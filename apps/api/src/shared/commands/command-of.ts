import { Command } from '@nestjs/cqrs';
import type { DomainEvent } from '#domain/shared/events.js';
import type { CommandContext } from '#domain/shared/execution.js';
import type { Outcome } from './command-gateway.js';

type Typed = Readonly<{ type: string }>;
/** Data of the member `Type` of a union of commands. */
export type DataOf<Union extends Typed, Type extends Union['type']> = Union extends Typed
  ? Type extends Union['type']
    ? Omit<Union, 'type'>
    : never
  : never;

/** A named command. `data`: the request; `context`: caller, time and request. The handler resolves with `Result`. */
export abstract class CommandWith<Data, Result> extends Command<Result> {
  constructor(
    readonly context: CommandContext,
    readonly data: Data,
  ) {
    super();
  }
}

/** A domain command with its own class. Its data are those of the member `Type` of `Union`, and its result the events. */
export abstract class CommandOf<Union extends Typed, Type extends Union['type'], Event extends DomainEvent> extends CommandWith<
  DataOf<Union, Type>,
  Outcome<Event>
> {}

/** A subclass that names a command. */
export type CommandClass<Asked extends CommandWith<unknown, unknown>> = new (context: CommandContext, data: Asked['data']) => Asked;
