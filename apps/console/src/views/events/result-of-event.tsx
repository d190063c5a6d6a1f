import { exactTime } from '../../parts/time.js';
import { Tree } from '../../parts/tree.js';
import { resultIn } from './result-in.js';

/** One of many results of an event: that to which a link led. */
export const ResultOfEvent = ({ data, place }: Readonly<{ data: object | null; place: number }>) => {
  const result = resultIn(data, place);
  if (!result) return <p class="quiet">The event has no result {place}.</p>;
  const { metric, service, host, timestamp } = result;
  return (
    <section aria-label={`Result ${place}`}>
      <h3>
        Result {place}: {`${metric}`} of {`${service}`} on {`${host}`}, {exactTime(`${timestamp}`)}
      </h3>
      <div class="tree">
        <Tree value={result} />
      </div>
    </section>
  );
};
