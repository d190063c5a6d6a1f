/** A state from an instant on (milliseconds). */
type Step = Readonly<{ at: number; state: string }>;

/** A state between two instants (milliseconds). */
export type Span = Readonly<{ from: number; to: number; state: string }>;

/** The spans of steps between two instants. Neighbours of one state are one. Steps: ascending. */
export const spansOf = (steps: readonly Step[], from: number, to: number): readonly Span[] => {
  const spans: Span[] = [];
  for (const [index, { at, state }] of steps.entries()) {
    const begin = Math.max(from, at);
    const end = Math.min(to, steps[index + 1]?.at ?? to);
    if (end <= begin) continue;
    const last = spans.at(-1);
    if (last?.state === state && last.to === begin) spans[spans.length - 1] = { ...last, to: end };
    else spans.push({ from: begin, to: end, state });
  }
  return spans;
};

/** How long each state held, longest first. Milliseconds. */
export const lengthsOf = (spans: readonly Span[]): readonly (readonly [state: string, length: number])[] => {
  const lengths = new Map<string, number>();
  for (const { from, to, state } of spans) lengths.set(state, (lengths.get(state) ?? 0) + to - from);
  return [...lengths].sort(([, one], [, other]) => other - one);
};
