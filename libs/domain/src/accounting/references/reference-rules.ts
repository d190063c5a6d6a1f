import { DomainError } from '#domain/shared/decider.js';
import type { ClosingEvent, HoldingEvent, ReferenceHolder } from './reference-events.js';

export type Hold = Readonly<{ hold: string; holder: ReferenceHolder; heldAt: string }>;

/** References to the records of one kind, by record id. The state grows with the closings and holds, not with the records. */
export type ReferenceState = Readonly<{
  /** The closing in force. */
  closings: Map<string, string>;
  /** Number of times that a record was closed, while the record exists. */
  times: Map<string, number>;
  /** Unreleased holds by their id. */
  holds: Map<string, Map<string, Hold>>;
}>;

export const noReferences = (): ReferenceState => ({ closings: new Map(), times: new Map(), holds: new Map() });

/** Steps on references to a record, except closing it. */
export type ReferenceStep =
  /** A reference to the record is about to be created. */
  | Readonly<{ type: 'HoldReference'; hold: string; holder: ReferenceHolder; now: string }>
  /** Ignored if the hold is already released. */
  | Readonly<{ type: 'ReleaseReference'; hold: string }>
  /** Ignored unless the closing is in force. */
  | Readonly<{ type: 'ReopenReferences'; closing: string }>
  /** Records nothing. Rejects while the record is held, and if the closing is not in force. */
  | Readonly<{ type: 'RequireUnheld'; closing: string }>
  /** Records nothing. Rejects while the record is closed, and if `times` is given and differs from the number of closings. */
  | Readonly<{ type: 'RequireOpen'; times?: number }>;

/** Commands on references to records of one kind. `Next`: the command that changes or removes the record. */
export type ReferenceCommand<Kind extends string, Next> = Readonly<{ kind: Kind; id: string }> &
  (
    | ReferenceStep
    /** Blocks new references until `next` is decided. Records nothing if `next` would change nothing, and rejects with the errors of `next`. */
    | Readonly<{ type: 'CloseReferences'; closing: string; next: Next }>
  );

type ReferenceChange = 'Closed' | 'Reopened' | 'Held' | 'Released';

/** Access of the reference rules to the records of one kind. */
type ReferenceRules<Next, Event> = Readonly<{
  state: ReferenceState;
  /** @throws DomainError if there is no such record */
  require(id: string): void;
  decideNext(next: Next): readonly Event[];
  eventOf(change: ReferenceChange, id: string, members: object): Event;
}>;

/** @throws DomainError `REFERENCES_CLOSED`, details `closing` */
const requireOpen = ({ closings }: ReferenceState, id: string): void => {
  const closing = closings.get(id);
  if (closing !== undefined) throw new DomainError('REFERENCES_CLOSED', { closing });
};

/** @throws DomainError `CLOSING_LOST` */
const requireStanding = ({ closings }: ReferenceState, id: string, closing: string | undefined): void => {
  if (closing === undefined || closings.get(id) !== closing) throw new DomainError('CLOSING_LOST');
};

/** @throws DomainError `REFERENCES_HELD`, details `holds` */
const requireUnheld = ({ holds }: ReferenceState, id: string): void => {
  const held = holds.get(id);
  if (held) throw new DomainError('REFERENCES_HELD', { holds: [...held.values()] });
};

/** Requires that no reference can have been created since the record was closed. @throws DomainError `CLOSING_LOST`, `REFERENCES_HELD` */
export const requireClosed = (state: ReferenceState, id: string, closing: string | undefined): void => {
  requireStanding(state, id, closing);
  requireUnheld(state, id);
};

/** The rules of references. Rejects with `REFERENCES_CLOSED`, `REFERENCES_HELD`, `CLOSING_LOST`, and the errors of `require` and `decideNext`. */
export const decideReference = <Kind extends string, Next, Event>(
  command: ReferenceCommand<Kind, Next>,
  { state, require, decideNext, eventOf }: ReferenceRules<Next, Event>,
): readonly Event[] => {
  const { id } = command;
  switch (command.type) {
    case 'HoldReference': {
      const { hold, holder, now } = command;
      require(id);
      requireOpen(state, id);
      return [eventOf('Held', id, { hold, holder, heldAt: now })];
    }
    case 'ReleaseReference':
      return state.holds.get(id)?.has(command.hold) ? [eventOf('Released', id, { hold: command.hold })] : [];
    case 'CloseReferences':
      if (decideNext(command.next).length === 0) return [];
      requireOpen(state, id);
      return [eventOf('Closed', id, { closing: command.closing })];
    case 'ReopenReferences':
      return state.closings.get(id) === command.closing ? [eventOf('Reopened', id, { closing: command.closing })] : [];
    case 'RequireUnheld':
      requireStanding(state, id, command.closing);
      requireUnheld(state, id);
      return [];
    case 'RequireOpen':
      require(id);
      requireOpen(state, id);
      if (command.times !== undefined && command.times !== (state.times.get(id) ?? 0)) throw new DomainError('REFERENCES_CLOSED');
      return [];
  }
};

/** Ends any closing of the record, because it was reopened or changed. */
export const keepReopened = ({ closings }: ReferenceState, id: string): void => {
  closings.delete(id);
};

type ReferenceEvent = ClosingEvent<string, object> | HoldingEvent<string, object>;

/** The change that an event type stands for: the part after the kind of record. */
export const changeIn = <Kind extends string>(type: `${Kind}${ReferenceChange}`, kind: Kind): ReferenceChange =>
  type.slice(kind.length) as ReferenceChange;

/** Applies an event about references to a record. */
export const keepReference = (state: ReferenceState, change: ReferenceChange, id: string, data: Partial<ReferenceEvent['data']>): void => {
  const { closings, times, holds } = state;
  if (change === 'Reopened') keepReopened(state, id);
  else if (change === 'Closed' && 'closing' in data) {
    closings.set(id, `${data.closing}`);
    times.set(id, (times.get(id) ?? 0) + 1);
  } else if (change === 'Held' && 'heldAt' in data) {
    const { hold, holder, heldAt } = data as Hold;
    holds.set(id, (holds.get(id) ?? new Map<string, Hold>()).set(hold, { hold, holder, heldAt }));
  } else if (change === 'Released' && 'hold' in data) {
    const held = holds.get(id);
    held?.delete(`${data.hold}`);
    if (held?.size === 0) holds.delete(id);
  }
};

/** Forgets a removed record. */
export const forgetReferences = ({ closings, times, holds }: ReferenceState, id: string): void => {
  closings.delete(id);
  times.delete(id);
  holds.delete(id);
};
