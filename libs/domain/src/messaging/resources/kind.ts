import { DomainError } from '#domain/shared/decider.js';
import type { DomainEvent } from '#domain/shared/events.js';
import { type Mapping, streamId, text } from '#domain/shared/resource-change.js';

/** The events of each command type. A command that changes nothing has none. A missing or misspelt type does not compile. */
export type Rules<State, Command extends Readonly<{ type: string }>, Event extends DomainEvent> = {
  readonly [Type in Command['type']]: (command: Extract<Command, { type: Type }>, state: State) => readonly Event[];
};

/** Applies each event type to the state, in place. A missing or misspelt type does not compile. */
export type Changes<State, Event extends DomainEvent> = {
  readonly [Type in Event['type']]: (state: State, data: Extract<Event, { type: Type }>['data']) => void;
};

/** Resources of one kind, indexed by name and by id. */
export class NamedIndex<Item extends Readonly<{ id: string; name: string }>> {
  private readonly byName = new Map<string, Item>();
  private readonly byId = new Map<string, Item>();

  /** @param missing error code for an unknown name */
  constructor(
    private readonly missing: string,
    items: Iterable<Item> = [],
  ) {
    for (const item of items) this.put(item);
  }

  get size(): number {
    return this.byId.size;
  }

  /** By id. */
  get all(): ReadonlyMap<string, Item> {
    return this.byId;
  }

  has(name: string): boolean {
    return this.byName.has(name);
  }

  /** @throws DomainError */
  named(name: string): Item {
    const item = this.byName.get(name);
    if (!item) throw new DomainError(this.missing);
    return item;
  }

  /** The item with an id that an earlier event assigned. */
  withId(id: string): Item {
    const item = this.byId.get(id);
    if (!item) throw new Error(`there is no ${id}: ${this.missing}`);
    return item;
  }

  /** Adds an item. Replaces the one with the same id, if any. */
  put(item: Item): void {
    const before = this.byId.get(item.id);
    if (before) this.byName.delete(before.name);
    this.byId.set(item.id, item);
    this.byName.set(item.name, item);
  }

  remove(id: string): void {
    this.byName.delete(this.withId(id).name);
    this.byId.delete(id);
  }

  values(): Iterable<Item> {
    return this.byId.values();
  }
}

/** @throws DomainError `PROJECT_FULL` if the limit is reached */
export const requireRoom = (index: Readonly<{ size: number }>, limit: Readonly<{ value: number; unit: string }>): void => {
  if (index.size >= limit.value) throw new DomainError('PROJECT_FULL', limit);
};

/** Whether two plain JSON values have the same members in the same order. */
export const sameJson = (a: object | null, b: object | null): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Maps an event to a record of a project. The event's stream is that of the project. */
export const inProject =
  (kind: string, member: string): Mapping =>
  (event) => {
    const project = streamId(event);
    const { name } = event.data;
    return [
      {
        service: 'messaging',
        kind,
        id: text(event.data, member),
        scope: project,
        ...(typeof name === 'string' ? { name } : {}),
        owners: [{ service: 'messaging', kind: 'project', id: project }],
      },
    ];
  };
