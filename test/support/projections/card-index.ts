import type { EventCatalogue } from '#domain/shared/catalogue.js';
import { type Decider, DomainError, type StateSnapshots } from '#domain/shared/decider.js';

/** A small decider for tests of snapshots: cards with personal data that are sealed in the log, and a counter. */
export type CardEvent =
  | Readonly<{ type: 'CardFiled'; data: Readonly<{ name: string; mail: string | null }> }>
  | Readonly<{ type: 'CardTorn'; data: Readonly<{ name: string }> }>
  | Readonly<{ type: 'Counted'; data: Readonly<{ total: number }> }>;

export type CardCommand =
  | Readonly<{ type: 'File'; name: string; mail: string | null }>
  | Readonly<{ type: 'Tear'; name: string }>
  /** Files the card anew under another name, with the mail that it has. */
  | Readonly<{ type: 'Copy'; name: string; as: string }>
  | Readonly<{ type: 'Count'; times: number }>;

/** `torn`: names of all cards that were. */
export type CardState = { cards: Map<string, string | null>; torn: Set<string>; total: number };

export const cardSubject = (name: unknown): string => `card-${name}`;

export const cardEvents: EventCatalogue = {
  CardFiled: { sensitive: { subject: ({ name }) => cardSubject(name), members: ['mail'] } },
  CardTorn: {},
  Counted: {},
};

const RULE: StateSnapshots<CardState> = {
  name: 'cards',
  version: 1,
  every: 100,
  subjects: ({ cards }) => [...cards].flatMap(([name, mail]) => (mail === null ? [] : [cardSubject(name)])),
};

/** Rejects with `CARD_TAKEN` and `CARD_NOT_FOUND`. Counting by 0 changes nothing. */
export const cardIndex = (rule: Partial<StateSnapshots<CardState>> = {}): Decider<CardState, CardCommand, CardEvent> => ({
  snapshots: { ...RULE, ...rule },
  initialState: () => ({ cards: new Map(), torn: new Set(), total: 0 }),
  decide: (command, { cards, total }) => {
    if (command.type === 'Count')
      return Array.from({ length: command.times }, (_, n) => ({ type: 'Counted', data: { total: total + n + 1 } }));
    const { name } = command;
    const mail = cards.get(name);
    if (command.type === 'File') {
      if (mail !== undefined) throw new DomainError('CARD_TAKEN');
      return [{ type: 'CardFiled', data: { name, mail: command.mail } }];
    }
    if (mail === undefined) throw new DomainError('CARD_NOT_FOUND');
    if (command.type === 'Copy') return [{ type: 'CardFiled', data: { name: command.as, mail: mail ?? 'erased' } }];
    return [{ type: 'CardTorn', data: { name } }];
  },
  evolve: (state, event) => {
    if (event.type === 'Counted') state.total = event.data.total;
    else if (event.type === 'CardFiled') state.cards.set(event.data.name, event.data.mail);
    else {
      state.cards.delete(event.data.name);
      state.torn.add(event.data.name);
    }
    return state;
  },
});
