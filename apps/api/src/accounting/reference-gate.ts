import { Injectable } from '@nestjs/common';
import { storedObjectId } from '#domain/accounting/object-id.js';

/** A record that others refer to, by kind and id. */
export type Target = string & { readonly __target: never };

export const target = (kind: 'provider' | 'resource' | 'definition' | 'installation', id: string): Target =>
  `${kind} ${storedObjectId(id) ?? id}` as Target;

/** Tasks that run or wait at a target; each promise resolves when its task ends. */
type Place = Readonly<{ referring: Set<Promise<void>>; removing: Set<Promise<void>> }>;

/**
 * Commands that make a reference to a record, and commands that remove the record, wait for each other. A record and the references to it live in
 * different streams, so each side looks the other up in the read model, and must not act on what the other is about to change. Commands of one kind
 * run side by side: the stream of the record decides between them. Covers the requests of one node.
 */
@Injectable()
export class ReferenceGate {
  private readonly places = new Map<Target, Place>();

  /** Runs `work`, which looks the targets up and makes a reference to each. */
  referring<T>(targets: readonly Target[], work: () => Promise<T>): Promise<T> {
    return this.run(targets, [], work);
  }

  /**
   * Runs `work`, which changes or deletes `removed` unless something refers to it.
   * @param targets records that `work` makes references to; `removed` is not among them
   */
  removing<T>(removed: Target, work: () => Promise<T>, targets: readonly Target[] = []): Promise<T> {
    return this.run(targets, [removed], work);
  }

  /** Each task waits only for earlier ones, at all its targets at once, so there is no deadlock. */
  private async run<T>(referred: readonly Target[], removed: readonly Target[], work: () => Promise<T>): Promise<T> {
    let end: () => void = () => undefined;
    const done = new Promise<void>((resolve) => {
      end = resolve;
    });
    const earlier: Promise<void>[] = [];
    for (const { referring, removing } of referred.map((one) => this.place(one))) {
      for (const one of removing) earlier.push(one);
      referring.add(done);
    }
    for (const { referring, removing } of removed.map((one) => this.place(one))) {
      for (const one of referring) earlier.push(one);
      removing.add(done);
    }
    try {
      if (earlier.length > 0) await Promise.all(earlier);
      return await work();
    } finally {
      end();
      for (const one of referred) this.leave(one, 'referring', done);
      for (const one of removed) this.leave(one, 'removing', done);
    }
  }

  private place(one: Target): Place {
    const known = this.places.get(one);
    if (known) return known;
    const place: Place = { referring: new Set(), removing: new Set() };
    this.places.set(one, place);
    return place;
  }

  private leave(one: Target, how: keyof Place, done: Promise<void>): void {
    const place = this.places.get(one);
    place?.[how].delete(done);
    if (place && place.referring.size + place.removing.size === 0) this.places.delete(one);
  }
}
