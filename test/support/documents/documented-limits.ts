import { readFileSync } from 'node:fs';

/** What docs/limits.md says below a heading, its tables without padding. @throws when there is no such heading */
export const documentedLimits = (heading: string): string => {
  const documented = readFileSync(new URL('../../../docs/limits.md', import.meta.url), 'utf8').replaceAll(/ +/g, ' ');
  const section = documented.split(/^## /m).find((text) => text.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`docs/limits.md has no section ${heading}`);
  return section;
};

/** The limits that a table of the section names. */
export const limitsNamedIn = (section: string): readonly (string | undefined)[] =>
  Array.from(section.matchAll(/^\| `([a-z]\w+)` \|/gm), ([, name]) => name);
