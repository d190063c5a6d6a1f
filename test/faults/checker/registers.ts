import type { Call, FinalState, Violation } from '#test/faults/history.js';
import { type Register, type RegisterRead, registersOf } from './register-book.js';
import { isBefore, type Write } from './writes.js';

/** What a session, one client at one node, knows to have happened, and since when. */
type Known = Readonly<{ since: number; write: Write; value: string | null; how: 'wrote' | 'saw' }>;

/**
 * Reads against writes, register by register: whether a record is there, and each value that was given. A read shows what somebody wrote; to one
 * client, one node never shows less than what it wrote or saw there before; in the end, every node shows what was acknowledged.
 */
export const checkRegisters = (writes: readonly Write[], calls: readonly Call[], final: FinalState): readonly Violation[] =>
  registersOf(writes, calls, final).flatMap((register) => new RegisterCheck(register).violations());

const sessionOf = ({ client, node }: Call): string => `${client} at ${node}`;

class RegisterCheck {
  private readonly sessions = new Map<string, Known[]>();
  private readonly acknowledged: readonly Known[];

  constructor(private readonly register: Register) {
    const done = register.writes.filter(({ write }) => write.state === 'done');
    this.acknowledged = done.map(({ write, value }) => ({ since: write.last.ended, write, value, how: 'wrote' }));
    for (const known of this.acknowledged) if (!known.write.last.answer.behind) this.learn(known.write.last, known);
  }

  violations(): readonly Violation[] {
    return this.register.reads.flatMap((read) => this.check(read));
  }

  private check(read: RegisterRead): readonly Violation[] {
    const { call, value, last } = read;
    const { name } = this.register;
    const candidates = this.register.writes.filter((one) => one.value === value && one.write.began < call.ended);
    if (value !== null && candidates.length === 0)
      return [{ rule: 'from nowhere', detail: `${name}: ${call.node} shows ${value}, which nobody wrote`, calls: [call.id] }];
    const known = last ? this.acknowledged : (this.sessions.get(sessionOf(call)) ?? []).filter(({ since }) => since < call.began);
    const missed = known.find((one) => one.value !== value && candidates.every(({ write }) => isBefore(write, one.write)));
    if (missed) return [describe(name, read, missed)];
    const [only, ...others] = candidates;
    // What was seen is known only where one write alone can have led to it.
    if (only && others.length === 0 && value !== null) this.learn(call, { since: call.ended, write: only.write, value, how: 'saw' });
    return [];
  }

  private learn(by: Call, known: Known): void {
    const session = this.sessions.get(sessionOf(by));
    if (session) session.push(known);
    else this.sessions.set(sessionOf(by), [known]);
  }
}

const describe = (name: string, { call, value, last }: RegisterRead, { write, how }: Known): Violation => {
  const calls = [...write.calls.map(({ id }) => id), call.id];
  if (last) return { rule: 'acknowledged write lost', detail: `${name}: in the end ${call.node} shows ${value}`, calls };
  if (how === 'wrote')
    return { rule: 'own write not seen', detail: `${name}: ${call.client} wrote at ${call.node} and is shown ${value}`, calls };
  return { rule: 'back in time', detail: `${name}: ${call.client} saw more at ${call.node} before, and is shown ${value}`, calls };
};
