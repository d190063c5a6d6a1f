import fc from 'fast-check';
import type { Failing, LedgerEvent } from './ledger-projection.js';

/** What somebody tries; the rules of the domain decide what becomes of it. */
type Attempt = Readonly<{ kind: LedgerEvent['type']; owner: number; with: number; failing: Failing | undefined }>;

const OWNERS = ['a', 'b', 'c', 'd'];
const NAMES = ['ann', 'bob', 'cy'];
const CLUBS = ['chess', 'golf'];

const failing = fc.option(fc.constantFrom<Failing>('decode', 'reads', 'apply', 'encode', 'type'), { nil: undefined, freq: 6 });
const attempt: fc.Arbitrary<Attempt> = fc.record({
  kind: fc.constantFrom<LedgerEvent['type']>('Entered', 'Entered', 'NameTaken', 'NameTaken', 'Joined', 'Closed', 'Renamed', 'ClubEnded'),
  owner: fc.nat(OWNERS.length - 1),
  with: fc.nat(5),
  failing,
});

/** Everything that a command would have checked, whatever becomes of the read models. */
class Rules {
  private readonly holders = new Map<string, string>();
  private readonly ended = new Set<string>();
  /** Ids that were given up for others, and those others. */
  private readonly ids = new Map(OWNERS.map((owner) => [owner, owner]));
  /** Ids that nobody has any more. */
  private readonly free: string[] = [];
  private given = 0;

  eventOf({ kind, owner: index, with: other, failing }: Attempt): LedgerEvent {
    const first = OWNERS[index] ?? 'a';
    const owner = this.ids.get(first) ?? first;
    const common = failing ? { owner, failing } : { owner };
    const entered: LedgerEvent = { type: 'Entered', data: { ...common, by: other + 1 } };
    switch (kind) {
      case 'Entered':
        return entered;
      case 'Closed':
        this.release(owner);
        return { type: 'Closed', data: common };
      case 'NameTaken': {
        const name = NAMES[other % NAMES.length] ?? '';
        if ((this.holders.get(name) ?? owner) !== owner) return entered;
        this.release(owner);
        this.holders.set(name, owner);
        return { type: 'NameTaken', data: { ...common, name } };
      }
      case 'Joined': {
        const club = CLUBS[other % CLUBS.length] ?? '';
        return this.ended.has(club) ? entered : { type: 'Joined', data: { ...common, club } };
      }
      case 'Renamed': {
        const newId = (other % 2 === 0 ? this.free.shift() : undefined) ?? this.newId(first);
        this.free.push(owner);
        this.ids.set(first, newId);
        for (const [name, holder] of this.holders) if (holder === owner) this.holders.set(name, newId);
        return { type: 'Renamed', data: { ...common, newId } };
      }
      case 'ClubEnded': {
        const club = CLUBS[other % CLUBS.length] ?? '';
        if (this.ended.has(club)) return entered;
        this.ended.add(club);
        return { type: 'ClubEnded', data: failing ? { club, failing } : { club } };
      }
    }
  }

  private newId(first: string): string {
    this.given += 1;
    return `${first}${this.given}`;
  }

  private release(owner: string): void {
    for (const [name, holder] of this.holders) if (holder === owner) this.holders.delete(name);
  }
}

/** Logs that commands could have made, in stretches that are appended at once, with events that fail here and there. */
export const ledgerLogs = (longest = 12): fc.Arbitrary<readonly (readonly LedgerEvent[])[]> =>
  fc.array(fc.array(attempt, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: longest }).map((stretches) => {
    const rules = new Rules();
    return stretches.map((stretch) => stretch.map((one) => rules.eventOf(one)));
  });
