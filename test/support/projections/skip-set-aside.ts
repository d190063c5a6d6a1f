import { OPERATOR } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import type { Answer, HttpClient } from '#test/support/status-client.js';

type Partition = Readonly<{ partition: string; state: string; failure: Readonly<{ eventId: string }> }>;

const partitionsIn = ({ json }: Answer) => (json as { items: readonly Partition[] }).items;

/** Repeats a call while a busy server refuses it. @throws any other refusal than the expected one */
const accepted = async (call: () => Promise<Answer>, expected?: RegExp): Promise<Answer> => {
  const answer = await eventually(call).until(({ status }) => status !== 503);
  if (answer.status !== 200 && !expected?.test(answer.text)) throw new Error(`${answer.status} ${answer.text.slice(0, 300)}`);
  return answer;
};

/** Skips failing events, with all that fail alike, until nothing is set aside in any projection. Returns how many calls it took. */
export const skipAll = async (root: HttpClient, reason: string): Promise<number> => {
  const ops = (path: string) => accepted(() => root.get(`/ops/projections${path}`, { key: OPERATOR }));
  const skipIn = async (name: string): Promise<number> => {
    for (let skipped = 0; ; ) {
      // The answer to a skip does not wait for long rebuilds; and after an outage the server itself tries events of unknown types again.
      const listed = await eventually(() => ops(`/${name}/partitions`)).until((answer) =>
        partitionsIn(answer).every(({ state }) => state !== 'resuming'),
      );
      if (partitionsIn(listed).length === 0) return skipped;
      for (const { partition, failure } of partitionsIn(listed)) {
        const path = `/ops/projections/${name}/partitions/${encodeURIComponent(partition)}/skip`;
        const headers = { 'idempotency-key': `${name}-${failure.eventId}` };
        const { status } = await accepted(
          () => root.post(path, { key: OPERATOR, body: { reason, all: true }, headers }),
          /is under way|is not paused/,
        );
        if (status === 200) skipped += 1;
      }
    }
  };
  const { items } = (await ops('')).json as { items: readonly Readonly<{ name: string }>[] };
  return (await Promise.all(items.map(({ name }) => skipIn(name)))).reduce((sum, skipped) => sum + skipped, 0);
};
