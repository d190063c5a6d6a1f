import type { Answer, Call, Delivered, FinalState, Named, Operation } from '#test/faults/history.js';

/** A history written by hand, for specs of the checker: each call begins where the one before ended, unless it is told another time. */

type Particulars = Readonly<
  Partial<Omit<Answer, 'position'>> & {
    client?: string;
    node?: string;
    intent?: string;
    began?: number;
    ended?: number;
    /** Where in the log. */
    at?: number;
  }
>;

const DONE: Answer = { outcome: 'done', status: 200, behind: false, retryAfter: false, told: {}, text: '' };
const STATUSES: Readonly<Record<Answer['outcome'], number>> = { done: 200, absent: 404, refused: 409, away: 503, lost: 0 };

export class PlantedHistory {
  readonly calls: Call[] = [];

  call(operation: Operation, particulars: Particulars = {}): this {
    const id = this.calls.length;
    const { client = 'c', node = 'n', intent = `intent-${id}`, began = id * 10, ended = id * 10 + 5, at, ...answer } = particulars;
    const status = STATUSES[answer.outcome ?? 'done'];
    const position = at === undefined ? {} : { position: BigInt(at) };
    this.calls.push({
      id,
      intent,
      client,
      node,
      began,
      ended,
      operation,
      answer: { ...DONE, status, retryAfter: true, ...position, ...answer },
    });
    return this;
  }

  create(record: string, particulars: Particulars & Readonly<{ name?: string; refersTo?: readonly string[] }> = {}): this {
    const { name = record, refersTo = [], ...rest } = particulars;
    const operation: Operation = { kind: 'create', scope: 's', name, refersTo };
    return this.call(operation, { told: rest.outcome === undefined || rest.outcome === 'done' ? { record } : {}, ...rest });
  }

  remove(record: string, particulars?: Particulars): this {
    return this.call({ kind: 'remove', record }, particulars);
  }

  look(record: string, particulars?: Particulars): this {
    return this.call({ kind: 'look', record }, particulars);
  }

  list(names: readonly string[], particulars?: Particulars): this {
    return this.call({ kind: 'list', scope: 's' }, { told: { entries: entriesOf(names) }, ...particulars });
  }

  set(value: string, particulars?: Particulars): this {
    return this.call({ kind: 'set', register: 'r', value, record: 'x' }, particulars);
  }

  get(value: string | null, particulars?: Particulars): this {
    return this.call({ kind: 'get', register: 'r', record: 'x' }, { told: { value }, ...particulars });
  }

  publish(texts: readonly string[], offsets: readonly number[], particulars?: Particulars): this {
    return this.call({ kind: 'publish', topic: 't', texts }, { told: offsets.length > 0 ? { offsets } : {}, ...particulars });
  }

  submit(points: readonly string[], particulars?: Particulars): this {
    return this.call({ kind: 'submit', points }, particulars);
  }

  points(...points: readonly string[]): this {
    return this.call({ kind: 'points' }, { told: { points } });
  }

  pull(messages: readonly Delivered[], particulars?: Particulars): this {
    return this.call({ kind: 'pull', subscription: 'sub', topic: 't', atMost: 10 }, { told: { messages }, ...particulars });
  }

  acknowledge(offset: number, particulars?: Particulars): this {
    return this.call({ kind: 'acknowledge', subscription: 'sub', offset }, particulars);
  }

  offsets(max: number, current: number, particulars?: Particulars): this {
    return this.call({ kind: 'offsets', subscription: 'sub', topic: 't' }, { told: { max, current }, ...particulars });
  }
}

/** Records that bear their own name. */
export const entriesOf = (names: readonly string[]): readonly Named[] => names.map((name) => ({ record: name, name }));

export const messages = (from: number, ...texts: readonly string[]): readonly Delivered[] =>
  texts.map((text, index) => ({ offset: from + index, text }));

/** An end in which one node shows these things, and all is well. */
export const ending = (shown: PlantedHistory = new PlantedHistory(), rest: Partial<FinalState> = {}): FinalState => ({
  calls: shown.calls.map((call) => ({ ...call, began: 10_000, ended: 10_001, client: 'observer' })),
  topics: {},
  past: [],
  verifications: [],
  chain: { intact: true, detail: '' },
  ended: [],
  stuck: [],
  ...rest,
});
