import type { IndexFiles } from './index-files.js';
import { TermList } from './postings.js';
import { type ActorKind, type ActorName, actorOf, actorText, type Term, termOf, textOf } from './terms.js';

/** Totals of the chained events of a category. Neither `streams` nor `events` ever decrease. */
export type CategoryTally = Readonly<{ name: string; streams: number; events: number }>;

/** Totals of an actor. `firstSeen` and `lastSeen` are log times in milliseconds; `services` are sorted. */
export type ActorTally = Readonly<{
  kind: ActorKind;
  id: string;
  firstSeen: number;
  lastSeen: number;
  events: number;
  services: readonly string[];
}>;

/** Counts events from the lists of terms. All methods throw AuditIndexIncomplete. */
export class TallyReader {
  constructor(private readonly files: IndexFiles) {}

  /** Sorted by name. There is one per kind of stream. */
  categories(): readonly CategoryTally[] {
    const names = new Set([...this.files.termsFrom(termOf('category', '')), ...this.files.termsFrom(termOf('expired', ''))].map(textOf));
    const count = (kind: 'category' | 'expired' | 'streamBegin', name: string): number => this.list(termOf(kind, name)).count();
    return [...names].sort().map((name) => ({
      name,
      streams: count('streamBegin', name),
      events: count('category', name) + count('expired', name),
    }));
  }

  /** Events of a service, or of a category, before an index; those that have left the log since are counted too, unless they were never indexed. */
  before(index: number, kind: 'service' | 'category', name: string): number {
    return this.list(termOf(kind, name)).count(index);
  }

  /** Types of chained events, by name. There are as many as the program has. */
  types(): readonly string[] {
    return [...this.files.termsFrom(termOf('type', ''))].map(textOf).sort();
  }

  actor(kind: ActorKind, id: string): ActorTally | undefined {
    const [tally] = this.talliesOf(actorTerms(this.files, { kind, id }));
    return tally;
  }

  /** Actors after an id, in the order of ids, at most `limit`. */
  actorsAfter(id: string | undefined, limit: number): readonly ActorTally[] {
    const all = termOf('actor', '');
    return this.talliesOf(this.files.termsFrom(all, id === undefined ? all : termOf('actor', `${id}\u0001`)), limit);
  }

  /** Name of a key, active or revoked; `undefined` if the key never existed. */
  keyName(keyId: string): string | undefined {
    const [term] = this.files.termsFrom(termOf('keyName', `${keyId}\0`));
    return term && textOf(term).slice(keyId.length + 1);
  }

  private talliesOf(terms: Iterable<Term>, limit = Number.POSITIVE_INFINITY): readonly ActorTally[] {
    const tallies: ActorTally[] = [];
    for (const term of terms) {
      const last = tallies.at(-1);
      const { kind, id } = actorOf(term);
      const isSame = last?.id === id && last.kind === kind;
      if (!isSame && tallies.length === limit) break;
      if (isSame) tallies.splice(-1, 1, together(last, this.tallyOf(term)));
      else tallies.push(this.tallyOf(term));
    }
    return tallies;
  }

  private tallyOf(term: Term): ActorTally {
    const { kind, id, service } = actorOf(term);
    const list = this.list(term);
    const timeOf = (index: number | undefined): number => (index === undefined ? 0 : this.files.record(index).logTime);
    const [firstSeen, lastSeen] = [timeOf(list.from(0)), timeOf(list.upTo(Number.POSITIVE_INFINITY))];
    return { kind, id, firstSeen, lastSeen, events: list.count(), services: [service] };
  }

  private list(term: Term): TermList {
    return new TermList(this.files, term);
  }
}

/** One term per service. @throws AuditIndexIncomplete */
export const actorTerms = (files: IndexFiles, { kind, id }: ActorName): readonly Term[] =>
  [...files.termsFrom(termOf('actor', actorText({ id, kind }, '')))].filter((term) => actorOf(term).id === id);

const together = (one: ActorTally, other: ActorTally): ActorTally => ({
  ...one,
  firstSeen: Math.min(one.firstSeen, other.firstSeen),
  lastSeen: Math.max(one.lastSeen, other.lastSeen),
  events: one.events + other.events,
  services: [...one.services, ...other.services],
});
