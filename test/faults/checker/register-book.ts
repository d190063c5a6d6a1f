import type { Call, FinalState, RecordRef } from '#test/faults/history.js';
import { groupBy, type Write } from './writes.js';

/** Something that has one value at a time. `value` null: nothing is there, as in the beginning. */
export type RegisterWrite = Readonly<{ value: string | null; write: Write }>;
/** `last`: read after everything had come to rest. */
export type RegisterRead = Readonly<{ value: string | null; call: Call; last: boolean }>;
export type Register = Readonly<{ name: string; writes: readonly RegisterWrite[]; reads: readonly RegisterRead[] }>;

/** The value of the register that says whether a record is there. */
const THERE = 'there';

const thereOf = (record: RecordRef): string => `${THERE} ${record}`;

/** Writes and reads of a history, sorted by what they are about: each record, and each value that is given to one. */
export class RegisterBook {
  private readonly written = new Map<string, RegisterWrite[]>();
  private readonly reads = new Map<string, RegisterRead[]>();
  /** Registers that go with a record. */
  private readonly valuesOf = new Map<RecordRef, Set<string>>();
  private readonly scopes = new Map<RecordRef, string>();
  private readonly recordsOf: Map<string, RecordRef[]>;
  /** Creations of which nobody was told the record, by scope and name. */
  private readonly untold: ReadonlyMap<string, readonly Write[]>;

  constructor(writes: readonly Write[]) {
    for (const { operation } of writes)
      if (operation.kind === 'set') {
        const known = this.valuesOf.get(operation.record) ?? new Set();
        this.valuesOf.set(operation.record, known.add(operation.register));
      }
    for (const write of writes) if (write.state !== 'not') this.addWrite(write);
    this.recordsOf = groupBy(this.scopes.keys(), (record) => this.scopes.get(record) ?? '');
    const untold = writes.filter(({ operation, state }) => operation.kind === 'create' && state === 'maybe');
    this.untold = groupBy(untold, ({ operation }) => (operation.kind === 'create' ? `${operation.scope} ${operation.name}` : ''));
  }

  /** Takes down what a call shows, unless it says itself that it may be behind. */
  add(call: Call, last: boolean): void {
    const { operation, answer } = call;
    if (answer.behind) return;
    if (operation.kind === 'list' && answer.outcome === 'done') this.addList(call, operation.scope, last);
    else if (answer.outcome === 'absent') this.addAbsence(call, last);
    else if (answer.outcome === 'done' && operation.kind === 'get')
      this.addRead(operation.register, { value: answer.told.value ?? null, call, last });
    else if (answer.outcome === 'done' && operation.kind === 'look') this.addRead(thereOf(operation.record), { value: THERE, call, last });
  }

  registers(): readonly Register[] {
    return [...new Set([...this.written.keys(), ...this.reads.keys()])].map((name) => ({
      name,
      writes: this.written.get(name) ?? [],
      reads: this.reads.get(name) ?? [],
    }));
  }

  private addWrite(write: Write): void {
    const { operation, last } = write;
    const { record } = last.answer.told;
    if (operation.kind === 'set') this.note(operation.register, { value: operation.value, write });
    if (operation.kind === 'create' && record !== undefined) {
      this.scopes.set(record, operation.scope);
      this.note(thereOf(record), { value: THERE, write });
    }
    if (operation.kind !== 'remove') return;
    for (const register of [thereOf(operation.record), ...(this.valuesOf.get(operation.record) ?? [])])
      this.note(register, { value: null, write });
  }

  private note(register: string, write: RegisterWrite): void {
    const known = this.written.get(register);
    if (known) known.push(write);
    else this.written.set(register, [write]);
  }

  private addRead(register: string, read: RegisterRead): void {
    const known = this.reads.get(register);
    if (known) known.push(read);
    else this.reads.set(register, [read]);
  }

  /** 404: which record it says is not there. Of several that a creation refers to, nobody knows which. */
  private addAbsence(call: Call, last: boolean): void {
    const { operation } = call;
    if (operation.kind === 'get') this.addRead(operation.register, { value: null, call, last });
    if (operation.kind === 'look' || operation.kind === 'remove' || operation.kind === 'set')
      this.addRead(thereOf(operation.record), { value: null, call, last });
    if (operation.kind !== 'create') return;
    const [referred, ...others] = operation.refersTo;
    if (referred !== undefined && others.length === 0) this.addRead(thereOf(referred), { value: null, call, last });
  }

  private addList(call: Call, scope: string, last: boolean): void {
    const entries = call.answer.told.entries ?? [];
    const shown = new Set(entries.map(({ record }) => record));
    for (const record of this.recordsOf.get(scope) ?? [])
      this.addRead(thereOf(record), { value: shown.has(record) ? THERE : null, call, last });
    for (const { record, name } of entries) if (!this.scopes.has(record)) this.addUntold(call, record, scope, name, last);
  }

  /** A record that is shown although nobody was told that it was made; from now on it is expected in the list. */
  private addUntold(call: Call, record: RecordRef, scope: string, name: string, last: boolean): void {
    const register = thereOf(record);
    for (const write of this.untold.get(`${scope} ${name}`) ?? []) this.note(register, { value: THERE, write });
    this.scopes.set(record, scope);
    const others = this.recordsOf.get(scope);
    if (others) others.push(record);
    else this.recordsOf.set(scope, [record]);
    this.addRead(register, { value: THERE, call, last });
  }
}

/** All registers of a history and its end. */
export const registersOf = (writes: readonly Write[], calls: readonly Call[], final: FinalState): readonly Register[] => {
  const book = new RegisterBook(writes);
  for (const call of calls) book.add(call, false);
  for (const call of final.calls) book.add(call, true);
  return book.registers();
};
