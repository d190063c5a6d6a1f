import type { ViewProps } from '../../shell/view.js';
import { ProjectionList } from './list.js';
import { OneProjection } from './one.js';

/** The read models; with a name in the path one of them. */
export default function Projections({ segments: [name], session }: ViewProps) {
  return name === undefined ? <ProjectionList /> : <OneProjection key={name} name={name} session={session} />;
}
