import type { ViewProps } from '../../shell/view.js';
import { Chooser } from './chooser.js';

/** Records of the services through time: which one. */
export default function Resources({ query }: ViewProps) {
  return <Chooser key={`${query}`} query={query} />;
}
