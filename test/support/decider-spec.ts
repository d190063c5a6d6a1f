import { expect } from '@jest/globals';
import { type Decider, DomainError } from '#domain/shared/decider.js';
import type { DomainEvent } from '#domain/shared/events.js';
import { freeze } from '#test/support/freeze.js';

/**
 * `given(...events).when(command).then(...events)` or `.thenRejected(code, details)`: a decider's rules without a log.
 * Events are compared whole, nothing extra.
 */
export const deciderSpec =
  <S, C, E extends DomainEvent>(decider: Decider<S, C, E>) =>
  (...given: readonly E[]) => ({
    when: (command: C) => {
      const decide = (): readonly E[] =>
        decider.decide(
          command,
          given.reduce((state, event, index) => decider.evolve(state, freeze(event), BigInt(index)), decider.initialState()),
        );
      return {
        then: (...expected: readonly E[]): void => expect(decide()).toEqual(expected),
        thenRejected: (code: string, details: object = {}): void => {
          let error: unknown;
          try {
            decide();
          } catch (thrown) {
            error = thrown;
          }
          expect(error).toBeInstanceOf(DomainError);
          expect(error).toMatchObject({ code, details });
        },
      };
    },
  });
