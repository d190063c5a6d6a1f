import type { DomainEvent } from '#domain/shared/events.js';
import type { ExecutedEvent } from '#domain/shared/execution.js';

/** The first event of one of these types, for a command that always produces one. @throws Error if there is none, which is a bug */
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
