import type { DomainEvent } from '#domain/shared/events.js';
import type { ExecutedEvent } from '#domain/shared/execution.js';

/**
 * The first event of one of these types among those of a command that always makes one.
 * @throws Error if there is none: a mistake of ours
 */
export const eventOf = <Event extends DomainEvent, Type extends Event['type']>(
  events: readonly ExecutedEvent<Event>[],
  ...types: readonly Type[]
): Extract<ExecutedEvent<Event>, Readonly<{ type: Type }>> => {
  const event = events.find((one): one is Extract<ExecutedEvent<Event>, Readonly<{ type: Type }>> =>
    types.some((type) => type === one.type),
  );
  if (!event) throw new Error(`a command made no ${types.join(' or ')}`);
  return event;
};
