import type { ComponentType } from 'preact';
import type { Role, Session } from '../api/session.js';

/** Properties of every page. `parameters`: the named parts of its path. `reaches`: whether the caller may see the page at a path. */
export type ViewProps = Readonly<{
  parameters: Readonly<Record<string, string>>;
  query: URLSearchParams;
  session: Session;
  reaches: (path: string) => boolean;
}>;

export type Load = () => Promise<{ default: ComponentType<ViewProps> }>;

/**
 * `name`: of its link and its `h1`. `path`: behind `/console`. `roles`: who is shown it. `hasPast`: whether `As of` changes what it shows. `pages`: by the
 * pattern of what follows `path`, the first one counts. A part with `?` may be missing, and may change while the page is shown.
 */
export type View = Readonly<{
  name: string;
  path: string;
  roles: readonly Role[];
  hasPast?: true;
  pages: Readonly<Record<string, Load>>;
}>;
