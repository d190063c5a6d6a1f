import type { EventCatalogue, EventSchema } from '#domain/shared/catalogue.js';
import { categoryOf, type JsonObject, type RecordedEvent, UNREADABLE } from '#domain/shared/events.js';

/** All event types of a service, by category: `{ 'status.tenants': tenantEvents, … }`. */
export type Catalogues = Readonly<Record<string, EventCatalogue>>;

const UNKNOWN = 'unknown event type';

/** Whether a failure, of this process or of one with other catalogues, was {@link UnknownEventType}. */
export const isUnknownType = ({ message }: Readonly<{ message: string }>): boolean => message.startsWith(UNKNOWN);

/** The log or a decider uses an event type, or a newer version of one, that no catalogue lists. Such events are never skipped. */
export class UnknownEventType extends Error {
  override readonly name = 'UnknownEventType';
  constructor(
    readonly category: string,
    readonly type: string,
    readonly version?: number,
  ) {
    const what = version === undefined ? type : `${type} version ${version}`;
    super(`${UNKNOWN} ${what} in category ${category}: if a newer version of Logbook wrote it, start that version`);
  }
}

/** An event in one of Logbook's streams does not have the form that Logbook writes (`UNREADABLE`). */
class NotOfLogbook extends UnknownEventType {
  constructor({ stream, type, data }: RecordedEvent) {
    super(categoryOf(stream), type);
    this.message = `not an event of Logbook: ${String(data.reason)}`;
  }
}

/** Looks up event types in the catalogues; safe for names from outside. */
export class EventSchemas {
  private readonly categories: ReadonlyMap<string, ReadonlyMap<string, EventSchema>>;

  /** @throws RangeError unless each type has exactly one upcaster for each version before its current one */
  constructor(catalogues: Catalogues) {
    for (const [category, catalogue] of Object.entries(catalogues)) {
      for (const [type, { version = 1, upcasters = [] }] of Object.entries(catalogue)) {
        if (upcasters.length === version - 1) continue;
        throw new RangeError(`${type} of ${category}: version ${version} needs ${version - 1} upcasters, not ${upcasters.length}`);
      }
    }
    this.categories = new Map(Object.entries(catalogues).map(([category, types]) => [category, new Map(Object.entries(types))]));
  }

  /** @throws UnknownEventType */
  find(category: string, type: string): EventSchema {
    const schema = this.categories.get(category)?.get(type);
    if (!schema) throw new UnknownEventType(category, type);
    return schema;
  }

  /** The upcasters that an event needs, in order. @throws UnknownEventType also for a version newer than the current one */
  upcastersFor(event: RecordedEvent): readonly ((data: JsonObject) => JsonObject)[] {
    if (event.type === UNREADABLE) throw new NotOfLogbook(event);
    const category = categoryOf(event.stream);
    const { version = 1, upcasters = [] } = this.find(category, event.type);
    const stored = event.metadata.schemaVersion;
    if (stored > version) throw new UnknownEventType(category, event.type, stored);
    return stored === version ? NONE : upcasters.slice(stored - 1);
  }
}

const NONE: readonly ((data: JsonObject) => JsonObject)[] = [];
