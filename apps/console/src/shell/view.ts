import type { ComponentType } from 'preact';
import type { Role, Session } from '../api/session.js';

/** What every view is given. `segments`: parts of the path behind that of the view, decoded. */
export type ViewProps = Readonly<{ segments: readonly string[]; query: URLSearchParams; session: Session }>;

/** `name`: of its link and its `h1`. `path`: behind `/console`. `roles`: who is shown it. */
export type View = Readonly<{
  name: string;
  path: string;
  roles: readonly Role[];
  load(): Promise<{ default: ComponentType<ViewProps> }>;
}>;
