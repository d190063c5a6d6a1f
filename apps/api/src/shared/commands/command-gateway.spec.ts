import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { Decider } from '#domain/shared/decider.js';
import type { DomainEvent } from '#domain/shared/events.js';
import type { CommandContext, Execution, StreamCommand } from '#domain/shared/execution.js';
import { CommandGateway } from './command-gateway.js';

const decider: Decider<null, number, DomainEvent> = { initialState: () => null, decide: () => [], evolve: (state) => state };
const context: CommandContext = {
  time: '2024-01-02T03:04:05.678Z',
  actor: { kind: 'system', id: 'spec' },
  service: 'status',
  requestId: 'r',
  correlationId: 'r',
  causationId: 'r',
};

/**
 * A handler over a processor that takes a turn for every command, with a record of the commands. `readableUntil`: position from which the
 * read models are behind.
 */
const stage = ({ failing = -1, readableUntil = Number.POSITIVE_INFINITY } = {}) => {
  const seen = { taken: [] as number[], done: [] as number[], atOnce: 0, asked: 0 };
  let underWay = 0;
  const processor = {
    execute: async <S, C, E extends DomainEvent>({ command }: StreamCommand<S, C, E>): Promise<Execution<E>> => {
      const number = Number(command);
      underWay++;
      seen.atOnce = Math.max(seen.atOnce, underWay);
      await turn();
      underWay--;
      if (number === failing) throw new Error('the log is away');
      await turn();
      seen.done.push(number);
      return { events: [], position: BigInt(number), repeated: false };
    },
  };
  const readModels = {
    applied: async (category: string, position: bigint): Promise<boolean> => {
      expect(category).toBe('test.things');
      seen.asked++;
      return position < readableUntil;
    },
    owe: (category: string) => expect(category).toBe('test.things'),
    shows: () => true,
  };
  function* writes(count: number) {
    for (let command = 0; command < count; command++) {
      seen.taken.push(command);
      yield { stream: `test.things-${command % 3}`, command, context };
    }
  }
  const gateway = new CommandGateway(processor, readModels);
  const told: bigint[] = [];
  const telling = { ...context, onExecuted: ({ position }: Execution) => told.push(position) };
  const one = (command: number, awaited?: boolean) =>
    gateway.execute({ stream: 'test.things-0', decider, command, context: telling }, awaited);
  return { seen, told, one, run: (count: number) => gateway.executeAll(decider, writes(count)) };
};

describe('A command', () => {
  it('tells its context of the execution, also as a step on the way', async () => {
    const { told, one } = stage();
    await one(7);
    await one(8, false);
    expect(told).toEqual([7n, 8n]);
  });
});

describe('A series of commands', () => {
  it('is taken in order, 64 at a time, and is readable in the end', async () => {
    const { seen, run } = stage();
    expect(await run(1_000)).toBe(true);
    expect(seen.taken).toEqual(Array.from({ length: 1_000 }, (_, n) => n));
    expect([seen.done.length, seen.atOnce]).toEqual([1_000, 64]);
  });

  it('may be empty', async () => expect(await stage().run(0)).toBe(true));

  it('does not wait again and again for read models that are behind', async () => {
    const { seen, run } = stage({ readableUntil: 10 });
    expect(await run(1_000)).toBe(false);
    expect(seen.done).toHaveLength(1_000);
    expect(seen.asked).toBeLessThanOrEqual(64);
  });

  it('ends with the first failure, once the commands under way are done', async () => {
    const { seen, run } = stage({ failing: 5 });
    await expect(run(1_000)).rejects.toThrow('the log is away');
    expect(seen.taken).toHaveLength(64);
    expect(seen.done).toHaveLength(63);
  });
});
