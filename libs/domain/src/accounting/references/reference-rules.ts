import { DomainError } from '#domain/shared/decider.js';
import type { ClosingEvent, Holder, HoldingEvent } from './reference-events.js';

export type Hold = Readonly<{ hold: string; holder: Holder; heldAt: string }>;

/** What is known of the references to the records of one kind, by record id. Grows with what is closed or held, not with the records. */
export type ReferenceState = Readonly<{
  /** The closing that stands. */
  closings: Map<string, string>;
  /** How many times a record that still exists has been closed. */
  times: Map<string, number>;
  /** Holds that are not released, by their id. */
  holds: Map<string, Map<string, Hold>>;
}>;

export const noReferences = (): ReferenceState => ({ closings: new Map(), times: new Map(), holds: new Map() });

/** What can be done about references to a record, besides closing it. */
export type ReferenceStep =
  /** Somebody is about to refer to the record. */
  | Readonly<{ type: 'HoldReference'; hold: string; holder: Holder; now: string }>
  /** Ignored if the hold was released before. */
  | Readonly<{ type: 'ReleaseReference'; hold: string }>
  /** Ignored unless the closing stands. */
  | Readonly<{ type: 'ReopenReferences'; closing: string }>
  /** Changes nothing: rejects while somebody holds the record, and if the closing does not stand. */
  | Readonly<{ type: 'RequireUnheld'; closing: string }>
  /** Changes nothing: rejects while the record is closed, and if `times` is given and it has been closed another number of times. */
  | Readonly<{ type: 'RequireOpen'; times?: number }>;

/** Commands about references to a record of a kind. `Next`: the command that changes or removes the record. */
export type ReferenceCommand<Kind extends string, Next> = Readonly<{ kind: Kind; id: string }> &
  (
    | ReferenceStep
    /** Keeps new references away until `next` is decided; nothing happens if `next` would change nothing, and errors are those of `next`. */
    | Readonly<{ type: 'CloseReferences'; closing: string; next: Next }>
  );

type ReferenceChange = 'Closed' | 'Reopened' | 'Held' | 'Released';

/** What the rules of references need to know of the records of a kind. */
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

/** Nothing can have come to refer to the record since it was closed. @throws DomainError `CLOSING_LOST`, `REFERENCES_HELD` */
export const requireClosed = (state: ReferenceState, id: string, closing: string | undefined): void => {
  requireStanding(state, id, closing);
  requireUnheld(state, id);
};

/** The rules of references to records of a kind: `REFERENCES_CLOSED`, `REFERENCES_HELD`, `CLOSING_LOST`, and those of `require` and `decideNext`. */
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

/** The closing of a record ends, whoever made it: it was reopened or changed. */
export const keepReopened = ({ closings }: ReferenceState, id: string): void => {
  closings.delete(id);
};

type ReferenceEvent = ClosingEvent<string, object> | HoldingEvent<string, object>;

/** The change that a type of event stands for: what follows the kind of record. */
export const changeIn = <Kind extends string>(type: `${Kind}${ReferenceChange}`, kind: Kind): ReferenceChange =>
  type.slice(kind.length) as ReferenceChange;

/** What an event about references to a record leaves. */
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

/** The record is gone. */
export const forgetReferences = ({ closings, times, holds }: ReferenceState, id: string): void => {
  closings.delete(id);
  times.delete(id);
  holds.delete(id);
};
