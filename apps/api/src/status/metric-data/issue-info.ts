import { inPages, type Slice } from '#projections/shared/pages.js';
import { ReadStoreUnavailable } from '#projections/shared/read-store.js';
import { RECORD_DEPTH, wireText } from '#projections/status/layout.js';
import type { ExpectedItems, FindExpectedItems } from '#projections/status/metric-data/expected-items.js';

/** Members of an issue that locate it. `endpoint_group` is missing in answers about one group. */
type Issue = Readonly<{ endpoint_group?: string; service: string; endpoint?: string; hostname?: string; info?: object }>;

/** Issues are more important than their info, so they are shown without it while the topology cannot be read. */
const orNone = async (find: FindExpectedItems): Promise<ExpectedItems | undefined> => {
  try {
    return await find();
  } catch (error) {
    if (error instanceof ReadStoreUnavailable) return undefined;
    throw error;
  }
};

function* informed(page: readonly Buffer[], expected: ExpectedItems, group: string): Generator<Buffer> {
  for (const bytes of page) {
    const issue = JSON.parse(bytes.toString()) as Issue;
    const { endpoint_group = group, service, endpoint, hostname = endpoint ?? '' } = issue;
    const info = expected.infoOf({ service, host: hostname }, endpoint_group);
    yield info ? Buffer.from(wireText({ ...issue, info }, RECORD_DEPTH)) : bytes;
  }
}

/** Issues with the `info` of their endpoints in the day's topology, or else that of their points (status extended contract 7). */
export async function* withInfo(
  pages: AsyncIterable<readonly Buffer[]>,
  find: FindExpectedItems,
  slice: Slice,
  group = '',
): AsyncGenerator<readonly Buffer[]> {
  for await (const page of pages) {
    const expected = page.length > 0 ? await orNone(find) : undefined;
    if (expected) yield* inPages(informed(page, expected, group), ({ length }) => length, slice);
    else yield page;
  }
}
