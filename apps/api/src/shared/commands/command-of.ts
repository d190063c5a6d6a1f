import type { FactoryProvider, Type } from '@nestjs/common';
import { Command } from '@nestjs/cqrs';
import type { Instances, Port } from '#api/shared/provides.js';
import type { DomainEvent } from '#domain/shared/events.js';
import type { CommandContext, StreamCommand } from '#domain/shared/execution.js';
import { CommandGateway } from './command-gateway.js';
import { handles } from './handlers.js';

type Typed = Readonly<{ type: string }>;
/** Data of the member `Type` of a union of commands. */
export type DataOf<Union extends Typed, Type extends Union['type']> = Union extends Typed
  ? Type extends Union['type']
    ? Omit<Union, 'type'>
    : never
  : never;

/** A named command. The handler resolves with `Result`. `data`: the request; `context`: caller, time and request. */
export abstract class CommandWith<Data, Result> extends Command<Result> {
  constructor(
    readonly context: CommandContext,
    readonly data: Data,
  ) {
    super();
  }
}

type Call = Readonly<{ context: CommandContext; gateway: CommandGateway }>;
type Handler<Data, Result, Ports extends readonly Port[]> = (data: Data, call: Call, ...given: Instances<Ports>) => Promise<Result>;
type AnyHandler = (data: unknown, call: Call, ...given: readonly unknown[]) => Promise<unknown>;

/** The class of a command with its handler, which gets the request, its context and the instances of `ports`. A subclass names the command. */
export const commandWith = <Data, Result, const Ports extends readonly Port[]>(ports: Ports, execute: Handler<Data, Result, Ports>) =>
  class extends CommandWith<Data, Result> {
    static readonly ports: readonly Port[] = ports;
    static readonly execute = execute as AnyHandler;
  };

/**
 * The class of a command that is executed unchanged, as the member `type` of a union of the domain. Its result is the events.
 * @param to target stream and decider; an error that it throws rejects the command
 */
export const commandTo = <State, Union extends Typed, Decided, Event extends DomainEvent, Type extends Union['type']>(
  to: (context: CommandContext, command: Union) => StreamCommand<State, Decided, Event>,
  type: Type,
) =>
  commandWith([], (data: DataOf<Union, Type>, { context, gateway }) => {
    const command: Typed = { type, ...data };
    try {
      return gateway.execute(to(context, command as Union)); // type and data: a member of the union
    } catch (error) {
      return Promise.reject(error);
    }
  });

type CommandClass = Type<CommandWith<unknown, unknown>> & Readonly<{ ports: readonly Port[]; execute: AnyHandler }>;

const isCommandClass = (exported: unknown): exported is CommandClass =>
  typeof exported === 'function' && exported.prototype instanceof CommandWith && 'execute' in exported;

const MOST_PORTS = 7;

/** Instances are passed individually, as in {@link handles}. */
const handlerOf = (command: CommandClass): FactoryProvider => {
  const { execute, ports } = command;
  if (ports.length > MOST_PORTS) throw new Error(`the handler of ${command.name} has more than ${MOST_PORTS} ports`);
  return handles<CommandWith<unknown, unknown>, readonly [typeof CommandGateway, ...Port[]]>(
    command,
    [CommandGateway, ...ports],
    ({ context, data }, gateway, a, b, c, d, e, f, g) => execute(data, { context, gateway }, a, b, c, d, e, f, g),
  );
};

/** Handlers of all commands among the exports of modules, as providers. */
export const handlersOf = (...modules: readonly object[]): readonly FactoryProvider[] =>
  modules
    .flatMap((exports): readonly unknown[] => Object.values(exports))
    .flatMap((exported) => (isCommandClass(exported) ? handlerOf(exported) : []));
