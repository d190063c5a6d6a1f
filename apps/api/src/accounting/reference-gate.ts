import { Injectable } from '@nestjs/common';
import { storedObjectId } from '#domain/accounting/object-id.js';

/** A record that others refer to, by kind and id. */
export type Target = string & { readonly __target: never };

export const target = (kind: 'provider' | 'resource' | 'definition' | 'installation', id: string): Target =>
  `${kind} ${storedObjectId(id) ?? id}` as Target;

/** Ends of the works that are under way or waiting at a target. */
type Place = Readonly<{ referring: Set<Promise<void>>; removing: Set<Promise<void>> }>;

/**
 * Whether something refers to a record is looked up in the read model, as what is referred to lives in another stream: here those who
 * make a reference and those who take away what it refers to wait for each other, so that neither acts on what the other is about to
 * change. Works of one kind go side by side: what they do to the record itself is decided in its stream. It holds among the requests of
 * one node.
 */
@Injectable()
export class ReferenceGate {
  private readonly places = new Map<Target, Place>();

  /** Runs `work`, which looks these up and makes something refer to them. */
  referring<T>(targets: readonly Target[], work: () => Promise<T>): Promise<T> {
    return this.run(targets, [], work);
  }

  /**
   * Runs `work`, which changes or deletes `removed` unless something refers to it. What it makes refer to others is told by `targets`;
   * `removed` is not among them.
   */
  removing<T>(removed: Target, work: () => Promise<T>, targets: readonly Target[] = []): Promise<T> {
    return this.run(targets, [removed], work);
  }

  /** Each waits only for those that came before it, at all its targets at once: there is no circle. */
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
