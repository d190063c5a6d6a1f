import type { Load, View } from './view.js';

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** `key`: tells pages of one pattern apart, without the parts that may be missing. */
type Matched = Readonly<{ parameters: Readonly<Record<string, string>>; key: string }>;

/** The named parts of a pattern such as `/:project/topics/:name?` in a path; `undefined` if the path does not match. */
export const matched = (pattern: string, path: string): Matched | undefined => {
  const [wanted = [], given = []] = [pattern, path].map((text) => text.split('/').filter(Boolean));
  if (given.length > wanted.length) return undefined;
  const parameters: Record<string, string> = {};
  const keys: string[] = [];
  for (const [at, part] of wanted.entries()) {
    const [, name, optional] = /^:(\w+)(\??)$/.exec(part) ?? [];
    const value = given[at];
    if (name === undefined ? value !== part : value === undefined && !optional) return undefined;
    if (name === undefined || value === undefined) continue;
    parameters[name] = decoded(value);
    if (!optional) keys.push(value);
  }
  return { parameters, key: keys.join('/') };
};

export type Page = Matched & Readonly<{ load: Load }>;

/** The page of a view at a path. */
export const pageAt = ({ path: own, pages }: View, path: string): Page | undefined => {
  for (const [pattern, load] of Object.entries(pages)) {
    const found = matched(own + pattern, path);
    if (found) return { ...found, load };
  }
  return undefined;
};
