import { nameIn } from '#domain/audit/changes/names.js';
import { resourcesOf, resourceTerm } from '#domain/audit/resources/resources-of.js';
import type { JsonObject, RecordedEvent } from '#domain/shared/events.js';
import type { ResourceReference } from '#domain/shared/resource-change.js';
import type { AuditIndex } from './audit-index.js';
import type { EventReader } from './event-reader.js';

/** Maximum number of earlier events of a record that are read for its name. */
const MOST_READ = 20;
const STEPS = 100_000;

/** A name, the index of the event that set it, and the index up to which it is known to be unchanged. */
type Known = Readonly<{ name: string | undefined; from: number; upTo: number }>;

/** Names of records at positions of the log, from their events. One instance per call. */
export class RecordNames {
  private readonly known = new Map<string, Known>();

  /** @param readable data of an event, with marks or with personal names in plain text */
  constructor(
    private readonly index: AuditIndex,
    private readonly reader: EventReader,
    private readonly readable: (event: RecordedEvent) => Promise<JsonObject>,
  ) {}

  /** Name of a record after an event of the log; `undefined` if none of its last events has one. @param most number of these. Default 20 */
  async at(reference: ResourceReference, index: number, most = MOST_READ): Promise<string | undefined> {
    const term = resourceTerm(reference);
    const known = this.known.get(term);
    if (known && index >= known.from && index <= known.upTo) return known.name;
    const list = this.index.select({ resource: term });
    let newest: number | undefined;
    for (let start = index, reads = 0; list && start >= 0 && reads < most; reads++) {
      const { indexes } = await list.find({ order: 'desc', start, end: 0 }, 1, STEPS);
      const [found] = indexes;
      if (found === undefined) break;
      if (known && found >= known.from && found <= known.upTo) return this.keep(term, { ...known, upTo: Math.max(known.upTo, index) });
      newest ??= found;
      const [event] = await this.reader.read([this.index.event(found)]);
      const name = typeof event === 'object' ? await this.nameIn(event, reference) : undefined;
      if (name !== undefined) return this.keep(term, { name, from: found, upTo: index });
      start = found - 1;
    }
    return this.keep(term, { name: undefined, from: newest ?? 0, upTo: index });
  }

  /** Name that an event sets for a record; `undefined` if it sets none. */
  async nameIn(event: RecordedEvent, { service, kind, id }: ResourceReference): Promise<string | undefined> {
    const changes = resourcesOf(event);
    const change = changes.find((one) => one.service === service && one.kind === kind && one.id === id && !one.beside);
    if (!change) return undefined;
    if (change.name !== undefined) return change.name || undefined;
    let name = nameIn(service, kind, event.data);
    if (typeof name === 'object' && name !== null) name = nameIn(service, kind, await this.readable(event));
    return typeof name === 'string' && name !== '' ? name : undefined;
  }

  private keep(term: string, found: Known): string | undefined {
    this.known.set(term, found);
    return found.name;
  }
}
