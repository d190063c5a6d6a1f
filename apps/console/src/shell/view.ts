import type { ComponentType } from 'preact';
import type { Role, Session } from '../api/session.js';

/** What every view is given. `segments`: parts of the path behind that of the view, decoded. `reaches`: whether the caller is shown what is at a path. */
export type ViewProps = Readonly<{
  segments: readonly string[];
  query: URLSearchParams;
  session: Session;
  reaches: (path: string) => boolean;
}>;

/** `name`: of its link and its `h1`. `path`: behind `/console`. `roles`: who is shown it. `hasPast`: whether `As of` changes what it shows. */
export type View = Readonly<{
  name: string;
  path: string;
  roles: readonly Role[];
  hasPast?: true;
  load(): Promise<{ default: ComponentType<ViewProps> }>;
}>;
