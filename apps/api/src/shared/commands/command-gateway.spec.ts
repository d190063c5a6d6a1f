import { describe, expect, it } from '@jest/globals';
import type { Decider } from '#domain/shared/decider.js';
import type { DomainEvent } from '#domain/shared/events.js';
import type { Execution, StreamCommand } from '#domain/shared/execution.js';
import { CommandGateway } from './command-gateway.js';

const decider: Decider<null, number, DomainEvent> = { initialState: () => null, decide: () => [], evolve: (state) => state };

describe('A command', () => {
  it('tells its context of the execution, also as a step on the way', async () => {
    const told: bigint[] = [];
    const context = {
      time: '2024-01-02T03:04:05.678Z',
      actor: { kind: 'system', id: 'spec' },
      service: 'status',
      requestId: 'r',
      correlationId: 'r',
      causationId: 'r',
      onExecuted: ({ position }: Execution) => told.push(position),
    } as const;
    const processor = {
      execute: async <S, C, E extends DomainEvent>({ command }: StreamCommand<S, C, E>): Promise<Execution<E>> => ({
        events: [],
        position: BigInt(Number(command)),
        repeated: false,
      }),
      repeated: async () => undefined,
    };
    const gateway = new CommandGateway(processor, { applied: async () => true, owe: () => {}, shows: () => true });
    await gateway.execute({ stream: 'test.things-0', decider, command: 7, context });
    await gateway.execute({ stream: 'test.things-0', decider, command: 8, context }, false);
    expect(told).toEqual([7n, 8n]);
  });
});
