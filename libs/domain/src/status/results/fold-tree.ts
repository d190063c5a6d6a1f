import { append, DAY_SECONDS, type StatusStep, type Timeline } from './timeline.js';

export type Combine = (left: string, right: string) => string;

/** Statuses by number, closed under the operation. `table`: number of the result at index `left * statuses.length + right`. */
type Numbered = Readonly<{ statuses: readonly string[]; numbers: ReadonlyMap<string, number>; table: Uint16Array }>;

const numbered = (timelines: readonly Timeline[], combine: Combine): Numbered => {
  const numbers = new Map<string, number>();
  const statuses: string[] = [];
  const add = (status: string) => {
    if (numbers.has(status)) return;
    numbers.set(status, statuses.length);
    statuses.push(status);
  };
  for (const timeline of timelines) for (const { status } of timeline) add(status);
  for (let last = 0; last < statuses.length; last++) {
    for (let one = 0; one <= last; one++) {
      add(combine(statuses[one]!, statuses[last]!));
      add(combine(statuses[last]!, statuses[one]!));
    }
  }
  const table = Uint16Array.from(statuses.flatMap((left) => statuses.map((right) => numbers.get(combine(left, right))!)));
  return { statuses, numbers, table };
};

/**
 * Each input is a function that maps the status of the inputs before it to a new status. The composition of adjacent functions is again such a
 * function. In a tree of compositions, with the inputs as leaves, a changed input changes only one path.
 */
class FoldTree {
  private readonly size: number;
  private readonly states: number;
  /** The function of node n (the root is 1) starts at n × states. */
  private readonly functions: Uint16Array;

  constructor(
    inputs: number,
    private readonly numbers: Numbered,
  ) {
    this.states = numbers.statuses.length;
    this.size = 2 ** Math.ceil(Math.log2(inputs));
    this.functions = new Uint16Array(2 * this.size * this.states);
    for (let node = 1; node < 2 * this.size; node++) {
      for (let state = 0; state < this.states; state++) this.functions[node * this.states + state] = state;
    }
  }

  get status(): string {
    return this.numbers.statuses[this.functions[this.states]!]!;
  }

  /** Sets an input to a status number. The function of the first input ignores its argument. */
  set(input: number, number: number): void {
    const { functions, states } = this;
    const { table } = this.numbers;
    const leaf = (this.size + input) * states;
    for (let state = 0; state < states; state++) functions[leaf + state] = input === 0 ? number : table[state * states + number]!;
    for (let node = (this.size + input) >> 1; node > 0; node >>= 1) if (!this.compose(node)) return;
  }

  /** Returns whether the function of the node has changed. */
  private compose(node: number): boolean {
    const { functions, states } = this;
    const [own, left, right] = [node * states, 2 * node * states, (2 * node + 1) * states];
    let changed = false;
    for (let state = 0; state < states; state++) {
      const outcome = functions[right + functions[left + state]!]!;
      if (functions[own + state] === outcome) continue;
      functions[own + state] = outcome;
      changed = true;
    }
    return changed;
  }
}

/** Changes in order of time. Each sets input `inputs[index]` to status number `states[index]`. `ends[n]`: end index of the changes of second n. */
type Changes = Readonly<{ ends: Uint32Array; inputs: Uint32Array; states: Uint16Array }>;

/** Counting sort, because sorting a million changes by comparison costs more. */
const changesOf = (timelines: readonly Timeline[], { numbers }: Numbered): Changes => {
  const ends = new Uint32Array(DAY_SECONDS + 1);
  for (const timeline of timelines) for (const { at } of timeline) ends[at + 1]!++;
  for (let second = 1; second <= DAY_SECONDS; second++) ends[second]! += ends[second - 1]!;
  const count = ends[DAY_SECONDS]!;
  const [inputs, states] = [new Uint32Array(count), new Uint16Array(count)];
  timelines.forEach((timeline, input) => {
    for (const { at, status } of timeline) {
      const index = ends[at]!++;
      inputs[index] = input;
      states[index] = numbers.get(status)!;
    }
  });
  return { ends, inputs, states };
};

/** Maximum total size of the functions in a tree. A report with a thousand states and a hundred thousand endpoints needs several trees. */
const MOST_CELLS = 2 ** 21;

/**
 * Folds many timelines in nearly linear time. Each change of an input costs the logarithm of their number, whereas in a sequential fold it costs as
 * much as all earlier steps. Also correct for tables that are not associative.
 * @param mostCells maximum total size of the functions in a tree. Beyond it, the result of one tree is the first input of the next
 */
export const foldInTree = (timelines: readonly Timeline[], combine: Combine, mostCells = MOST_CELLS): Timeline => {
  const known = numbered(timelines, combine);
  const together = Math.max(2, Math.floor(mostCells / known.statuses.length));
  let folded = foldSome(timelines.slice(0, together), known);
  for (let from = together; from < timelines.length; from += together - 1)
    folded = foldSome([folded, ...timelines.slice(from, from + together - 1)], known);
  return folded;
};

const foldSome = (timelines: readonly Timeline[], known: Numbered): Timeline => {
  const tree = new FoldTree(timelines.length, known);
  const { ends, inputs, states } = changesOf(timelines, known);
  const steps: StatusStep[] = [];
  for (let at = 0, index = 0; at < DAY_SECONDS; at++) {
    const end = ends[at]!;
    if (index === end) continue;
    for (; index < end; index++) tree.set(inputs[index]!, states[index]!);
    append(steps, at, tree.status);
  }
  return steps;
};
