import { describe, expect, it } from '@jest/globals';
import type { Decider } from '#domain/shared/decider.js';
import type { CommandContext, ExecutedEvent, StreamCommand } from '#domain/shared/execution.js';
import { busOver } from '#test/support/command-bus.js';
import { CommandGateway } from './command-gateway.js';
import { commandTo, commandWith, handlersOf } from './command-of.js';
import { eventOf } from './event-of.js';
import { handles } from './handlers.js';

type LampCommand = Readonly<{ type: 'SwitchOn'; lamp: string }> | Readonly<{ type: 'Dim' | 'Brighten'; lamp: string; by: number }>;
type LampEvent =
  | Readonly<{ type: 'SwitchedOn'; data: Readonly<{ lamp: string }> }>
  | Readonly<{ type: 'Dimmed'; data: Readonly<{ by: number }> }>;
type ToLamp = StreamCommand<null, LampCommand, LampEvent>;

class Bulbs {
  readonly kind = 'E27';
}

const decider: Decider<null, LampCommand, LampEvent> = { initialState: () => null, decide: () => [], evolve: (state) => state };
const context: CommandContext = {
  time: '2024-01-02T03:04:05.678Z',
  actor: { kind: 'system', id: 'spec' },
  service: 'status',
  requestId: 'r',
  correlationId: 'r',
  causationId: 'r',
};

const toLamp = (by: CommandContext, command: LampCommand): ToLamp => {
  if (command.lamp === 'none') throw new Error('there is no such lamp');
  return { stream: `lamp-${command.lamp}`, decider, context: by, command };
};

class SwitchOn extends commandTo(toLamp, 'SwitchOn') {}
class Dim extends commandTo(toLamp, 'Dim') {}
class Repair extends commandWith([Bulbs], async (data: Readonly<{ lamp: string }>, _call, bulbs) => `${data.lamp}: ${bulbs.kind}`) {}

const open = async () => {
  const passed: ToLamp[] = [];
  const gateway = { execute: async (command: ToLamp) => ({ events: [passed.push(command)], readable: true }) };
  const bus = await busOver({ provide: CommandGateway, useValue: gateway }, Bulbs, ...handlersOf({ SwitchOn, Dim, Repair, toLamp }));
  return { bus, passed };
};

describe('A command of the domain', () => {
  it('goes to its stream as the member of the union that it is named after', async () => {
    const { bus, passed } = await open();
    expect(await bus.execute(new Dim(context, { lamp: 'a', by: 2 }))).toEqual({ events: [1], readable: true });
    await bus.execute(new SwitchOn(context, { lamp: 'b' }));
    expect(passed).toEqual([
      { stream: 'lamp-a', decider, context, command: { type: 'Dim', lamp: 'a', by: 2 } },
      { stream: 'lamp-b', decider, context, command: { type: 'SwitchOn', lamp: 'b' } },
    ]);
  });

  it('is rejected, not thrown back, where it has no stream', async () => {
    const { bus } = await open();
    await expect(bus.execute(new SwitchOn(context, { lamp: 'none' }))).rejects.toThrow('there is no such lamp');
  });

  it('has the members of its union, and a type of it', () => {
    // @ts-expect-error: `by` is missing
    const incomplete = () => new Dim(context, { lamp: 'a' });
    // @ts-expect-error: no command of the union has this type
    const unknown = () => commandTo(toLamp, 'Paint');
    expect([incomplete, unknown]).toHaveLength(2);
  });
});

describe('The handler of a command', () => {
  it('gets the instances that it names', async () => {
    const { bus } = await open();
    expect(await bus.execute(new Repair(context, { lamp: 'a' }))).toBe('a: E27');
  });

  it('resolves with the result of the command', () => {
    // @ts-expect-error: a number is not a text
    const mistaken = () => handles(Repair, [Bulbs], async () => 1);
    expect(mistaken).toBeInstanceOf(Function);
  });
});

describe('The event of a command', () => {
  const recorded = { id: '1', stream: 's', revision: 0n, metadata: { ...context, schemaVersion: 1 } };
  const events: readonly ExecutedEvent<LampEvent>[] = [
    { type: 'Dimmed', data: { by: 1 }, ...recorded },
    { type: 'SwitchedOn', data: { lamp: 'a' }, ...recorded },
  ];

  it('is the first of its type', () => expect(eventOf(events, 'SwitchedOn').data.lamp).toBe('a'));
  it('is one of several types', () => expect(eventOf(events, 'SwitchedOn', 'Dimmed').type).toBe('Dimmed'));
  it('must be there', () => expect(() => eventOf(events.slice(1), 'Dimmed')).toThrow('a command made no Dimmed'));
});
