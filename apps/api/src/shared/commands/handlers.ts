import type { FactoryProvider, Type } from '@nestjs/common';
import { type Command, CommandHandler, type CommandResult } from '@nestjs/cqrs';
import type { Instances, Port } from '#api/shared/provides.js';
import type { Decider } from '#domain/shared/decider.js';
import type { DomainEvent } from '#domain/shared/events.js';
import type { CommandContext, StreamCommand } from '#domain/shared/execution.js';

type Executing<Asked extends Command<unknown>> = (asked: Asked, ...given: readonly unknown[]) => Promise<CommandResult<Asked>>;

/** Few arguments are passed individually: spreading a list took a fifth of a command's time on the bus. */
const workingWith = <Asked extends Command<unknown>>(execute: Executing<Asked>, given: readonly unknown[]) => {
  const [first, second, third, fourth] = given;
  return given.length > 4 ? (asked: Asked) => execute(asked, ...given) : (asked: Asked) => execute(asked, first, second, third, fourth);
};

/** The handler of a command, as a provider. `execute` gets the command and the instances of `ports`. */
export const handles = <Asked extends Command<unknown>, const Ports extends readonly Port[]>(
  command: Type<Asked>,
  ports: Ports,
  execute: (asked: Asked, ...given: Instances<Ports>) => Promise<CommandResult<Asked>>,
): FactoryProvider => {
  @CommandHandler(command)
  class Handler {
    constructor(readonly execute: (asked: Asked) => Promise<CommandResult<Asked>>) {}
  }
  return {
    provide: Symbol(`handler of ${command.name}`),
    useFactory: (...given: Instances<Ports>) => new Handler(workingWith(execute as Executing<Asked>, given)), // in the order of `inject`
    inject: [...ports],
  };
};

/** Target of commands of one decider: the stream that `streamOf` returns. */
export const toStreams =
  <State, Decided, Event extends DomainEvent, Asked extends Decided = Decided>(
    decider: Decider<State, Decided, Event>,
    streamOf: (command: Asked) => string,
  ) =>
  (context: CommandContext, command: Asked): StreamCommand<State, Decided, Event> => ({
    stream: streamOf(command),
    decider,
    context,
    command,
  });
